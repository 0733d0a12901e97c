import { pathInput } from '../combobox.ts';
import type { Attributes } from '../dom.ts';
import type { PathOption } from '../field-paths.ts';
import { ask } from '../request.ts';
import { type ExplorerSchema, type ExplorerType, isRecord } from '../schema.ts';
import { pathTo } from './write-target.ts';

/** What is needed to look for entities. */
export interface ReferenceSource {
  readonly schema: ExplorerSchema;
  /** `/base/jsonapi`. */
  readonly prefix: string;
}

/** A combobox of the entities of some types, by words of their titles and ids. Its text is as `referenceText` has it. */
export function referenceInput(
  { schema, prefix }: ReferenceSource,
  targets: readonly string[],
  label: string,
  value: unknown,
  set: (reference: unknown) => void,
  attributes: Attributes,
): HTMLElement {
  const types = schema.types.filter(({ name }) => targets.length === 0 || targets.includes(name));
  return pathInput({
    label,
    value: referenceText(value, targets),
    options: (typed) => findEntities(prefix, types, typed, targets),
    whole: true,
    onchange: (text) => set(readReference(text, targets, schema)),
    attributes: { placeholder: 'words of its title, or its id', ...attributes },
  });
}

/** The id alone where only one type can be meant, else type and id: `node--person/jane`. */
export function referenceText(value: unknown, targets: readonly string[]): string {
  if (!isRecord(value) || typeof value.id !== 'string') return '';
  return targets.length === 1 && value.type === targets[0] ? value.id : `${value.type}/${value.id}`;
}

/** Null for an empty text. `person/jane` will do for `node--person/jane`. */
export function readReference(text: string, targets: readonly string[], schema: ExplorerSchema): unknown {
  if (text === '') return null;
  const [target] = targets;
  const slash = text.indexOf('/');
  const named = schema.types.find(({ name, entityType, bundle }) => {
    const before = text.slice(0, Math.max(slash, 0));
    return before === name || (entityType === 'node' && before === bundle);
  });
  if (named !== undefined && (targets.length === 0 || targets.includes(named.name))) {
    return { type: named.name, id: text.slice(slash + 1) };
  }
  return { type: target ?? '', id: text };
}

/** Up to 20 of each type, at most three types at once. */
async function findEntities(
  prefix: string,
  types: readonly ExplorerType[],
  words: string,
  targets: readonly string[],
): Promise<readonly PathOption[]> {
  const found = await Promise.all(types.slice(0, 3).map((type) => findOfType(prefix, type, words)));
  return found.flat().map(({ type, id, title }) => ({
    path: referenceText({ type, id }, targets),
    name: title,
    hint: targets.length === 1 ? id : `${type.replace(/^node--/, '')} ${id}`,
    opens: false,
  }));
}

async function findOfType(
  prefix: string,
  type: ExplorerType,
  words: string,
): Promise<readonly { readonly type: string; readonly id: string; readonly title: string }[]> {
  const query = new URLSearchParams({
    [`fields[${type.name}]`]: 'title',
    sort: 'title',
    'page[limit]': '20',
  });
  if (words !== '') {
    query.set('filter[either][group][conjunction]', 'OR');
    for (const path of ['title', 'id']) {
      query.set(`filter[${path}-has][condition][path]`, path);
      query.set(`filter[${path}-has][condition][operator]`, 'CONTAINS');
      query.set(`filter[${path}-has][condition][value]`, words);
      query.set(`filter[${path}-has][condition][memberOf]`, 'either');
    }
  }
  const { document } = await ask(`${prefix}${pathTo(type)}?${query}`, new AbortController().signal);
  const data: readonly unknown[] = isRecord(document) && Array.isArray(document.data) ? document.data : [];
  return data.filter(isRecord).map(({ id, attributes }) => ({
    type: type.name,
    id: String(id),
    title: isRecord(attributes) && attributes.title !== null ? String(attributes.title ?? id) : String(id),
  }));
}
