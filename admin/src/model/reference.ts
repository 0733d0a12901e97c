import { isRecord } from '../../../integration/core/util/json.ts';
import { type Bundle, bundleNamed, type Schema } from '../api/schema.ts';

/** Identifies an entry among those of all types. */
export function keyOf({ type, id }: { readonly type: string; readonly id: string }): string {
  return `${type}/${id}`;
}

/** The id alone if only one type is possible, else type and id: `node--person/jane`. */
export function referenceText(value: unknown, targets: readonly string[]): string {
  if (!isRecord(value) || typeof value.id !== 'string') return '';
  return targets.length === 1 && value.type === targets[0] ? value.id : `${value.type}/${value.id}`;
}

/** Null for an empty text. `person/jane` is short for `node--person/jane`. */
export function readReference(text: string, targets: readonly string[], schema: Schema): unknown {
  if (text === '') return null;
  const slash = text.indexOf('/');
  const before = text.slice(0, Math.max(slash, 0));
  const type = bundleNamed(schema, before) ?? bundleNamed(schema, `node--${before}`);
  return type !== undefined && (targets.length === 0 || targets.includes(type.name))
    ? { type: type.name, id: text.slice(slash + 1) }
    : { type: targets[0] ?? '', id: text };
}

/** The query that finds entities of a bundle by words of their title or id. */
export function searchQuery(bundle: Bundle, words: string): string {
  const query = new URLSearchParams({
    [`fields[${bundle.name}]`]: 'title',
    sort: 'title',
    'page[limit]': '20',
    // Not what the bundle has by default.
    include: '',
    ...(words === '' && { filter: '' }),
  });
  if (words === '') return String(query);
  query.set('filter[either][group][conjunction]', 'OR');
  for (const path of ['title', 'id']) {
    const start = `filter[${path}-contains][condition]`;
    query.set(`${start}[path]`, path);
    query.set(`${start}[operator]`, 'CONTAINS');
    query.set(`${start}[value]`, words);
    query.set(`${start}[memberOf]`, 'either');
  }
  return String(query);
}
