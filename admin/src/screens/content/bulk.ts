import { RequestError, type Resource, readList, request } from '../../api/content.ts';
import { pathTo } from '../../api/schema.ts';
import { site } from '../../api/site.svelte.ts';
import { type BulkChange, fieldsFor, inRequests, operationFor } from '../../model/bulk-change.ts';
import { type ListState, matchesPath } from '../../model/content-list.ts';

/** The result of a bulk change. `failure` is why the entries after `done` were not changed. */
export interface BulkResult {
  readonly done: number;
  /** Number of entries that had to be changed. */
  readonly count: number;
  readonly failure?: string;
}

const ATOMIC = 'application/vnd.api+json;ext="https://jsonapi.org/ext/atomic"';

/** Everything that a list contains on all its pages, with the fields that the change needs. Throws RequestError. */
export async function readMatches(
  state: ListState,
  change: BulkChange,
  count: number,
): Promise<readonly Resource[]> {
  const pages = Math.ceil(count / site.schema.limits.pageSize);
  const all: Resource[] = [];
  for (let page = 0; page < pages; page++) {
    const { items } = await readList(matchesPath(site.schema, state, fieldsFor(change), page));
    all.push(...items);
  }
  return all;
}

/** The current state of entries, with the fields that the change needs. Throws RequestError. */
export async function readEntries(
  entries: Iterable<Resource>,
  change: BulkChange,
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
      ]);
      all.push(...(await readList(`${pathTo(bundle)}?${query}`)).items);
    }
  }
  return all;
}

/** Sends a change of many entries in as few requests as possible. Calls `ondone` with the number of changed entries. */
export async function changeEntries(
  entries: readonly Resource[],
  change: BulkChange,
  ondone: (done: number) => void,
): Promise<BulkResult> {
  const operations = entries.flatMap((entry) => operationFor(change, entry) ?? []);
  const count = operations.length;
  let done = 0;
  // Responses with all fields would contain rendered bodies.
  const fields = new URLSearchParams(site.schema.types.map(({ name }) => [`fields[${name}]`, 'title']));
  for (const some of inRequests(operations, site.schema.limits.operations)) {
    try {
      await request(`/operations?${fields}`, {
        method: 'POST',
        headers: { 'Content-Type': ATOMIC, Accept: ATOMIC },
        body: JSON.stringify({ 'atomic:operations': some }),
      });
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      return { done, count, failure: error.message };
    }
    done += some.length;
    ondone(done);
  }
  return { done, count };
}
