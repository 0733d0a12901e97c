import { RequestError, type Resource, readList, sendOperations } from '../../api/content.ts';
import { type JsonObject, objectOf } from '../../api/document.ts';
import { problemsText } from '../../api/problem-texts.ts';
import { pathTo } from '../../api/schema.ts';
import { site } from '../../api/site.svelte.ts';
import {
  type BulkChange,
  fieldsFor,
  inRequests,
  operationsFor,
  undoOperationFor,
} from '../../model/bulk-change.ts';
import { type ListState, matchesPath } from '../../model/content-list.ts';
import { keyOf } from '../../model/reference.ts';
import { sourceLanguage, translationLanguage } from '../../model/translations.ts';

/** The result of a bulk change. `failure` is why the entries after `done` were not changed. */
export interface BulkResult {
  readonly done: number;
  /** Number of entries that had to be changed. */
  readonly count: number;
  readonly failure?: string;
  /** The changed entries as they were before, with their revision afterwards. */
  readonly changed: readonly ChangedEntry[];
}

interface ChangedEntry {
  readonly before: Resource;
  readonly revision: unknown;
}

/** Everything that a list contains on all its pages, with the fields that the change needs. Throws RequestError. */
export async function readMatches(
  state: ListState,
  change: BulkChange | undefined,
  count: number,
): Promise<readonly Resource[]> {
  const pages = Math.ceil(count / site.schema.limits.pageSize);
  const all: Resource[] = [];
  for (let page = 0; page < pages; page++) {
    const { items } = await readList(matchesPath(site.schema, state, fieldsFor(change), page));
    all.push(...items);
  }
  return asSources(all, change);
}

/** The current state of entries, with the fields that the change needs. Throws RequestError. */
export async function readEntries(
  entries: Iterable<Resource>,
  change?: BulkChange,
): Promise<readonly Resource[]> {
  return asSources(await readGroup(entries, change), change);
}

/** Changes are made in sources. A list shows some of them in a translation, with its values and its revision. */
async function asSources(
  entries: readonly Resource[],
  change: BulkChange | undefined,
): Promise<readonly Resource[]> {
  const translated = entries.filter((entry) => translationLanguage(entry) !== undefined);
  const sources = new Map<string, Resource>();
  for (const [language, members] of Map.groupBy(translated, sourceLanguage)) {
    for (const source of await readGroup(members, change, language)) sources.set(keyOf(source), source);
  }
  return entries.map((entry) => sources.get(keyOf(entry)) ?? entry);
}

async function readGroup(
  entries: Iterable<Resource>,
  change: BulkChange | undefined,
  language?: string,
): Promise<readonly Resource[]> {
  const all: Resource[] = [];
  for (const [type, members] of Map.groupBy(entries, (entry) => entry.type)) {
    const bundle = site.bundle(type);
    if (bundle === undefined) continue;
    for (const some of inRequests(members, site.schema.limits.pageSize)) {
      const query = new URLSearchParams([
        [`fields[${type}]`, fieldsFor(change).join(',')],
        ['filter[these][condition][path]', 'id'],
        ['filter[these][condition][operator]', 'IN'],
        ...some.map(({ id }) => ['filter[these][condition][value][]', id]),
        ['page[limit]', String(site.schema.limits.pageSize)],
        ...(language === undefined ? [] : [['langCode', language]]),
      ]);
      all.push(...(await readList(`${pathTo(bundle)}?${query}`)).items);
    }
  }
  return all;
}

/** Sends a change of many entries in as few requests as possible. Calls `ondone` with the number of changed entries. */
export function changeEntries(
  entries: readonly Resource[],
  change: BulkChange,
  ondone: (done: number) => void,
): Promise<BulkResult> {
  const changes = entries.map((before) => ({ before, operations: operationsFor(change, before) }));
  return send(
    changes.filter(({ operations }) => operations.length > 0),
    ondone,
  );
}

/** Gives entries back what a change has replaced, if they have not changed since. Throws RequestError. */
export async function undoChange(
  changed: readonly ChangedEntry[],
  change: BulkChange,
): Promise<BulkResult & { readonly skipped: number }> {
  const present = await readEntries(
    changed.map(({ before }) => before),
    change,
  );
  const revisions = new Map(present.map((entry) => [keyOf(entry), entry.meta.revision]));
  const changes = changed.flatMap(({ before, revision }) => {
    const isUnchanged = typeof revision === 'string' && revisions.get(keyOf(before)) === revision;
    return isUnchanged ? [{ before, operations: [undoOperationFor(change, before, revision)] }] : [];
  });
  const result = await send(changes, () => undefined);
  return { ...result, skipped: changed.length - changes.length };
}

async function send(
  changes: readonly { readonly before: Resource; readonly operations: readonly JsonObject[] }[],
  ondone: (done: number) => void,
): Promise<BulkResult> {
  const count = changes.length;
  const changed: ChangedEntry[] = [];
  // Responses with all fields would contain rendered bodies.
  const fields = new URLSearchParams(site.schema.types.map(({ name }) => [`fields[${name}]`, 'title']));
  const groups = inRequests(changes, site.schema.limits.operations, ({ operations }) => operations.length);
  for (const some of groups) {
    try {
      const { document } = await sendOperations(
        some.flatMap(({ operations }) => operations),
        `?${fields}`,
      );
      const { 'atomic:results': results } = objectOf(document);
      let first = 0;
      for (const { before, operations } of some) {
        const { data } = objectOf(Array.isArray(results) ? results[first] : undefined);
        first += operations.length;
        changed.push({ before, revision: objectOf(objectOf(data).meta).revision });
      }
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      return { done: changed.length, count, failure: await problemsText(error), changed };
    }
    ondone(changed.length);
  }
  return { done: changed.length, count, changed };
}
