import { HAS_BIN } from './config.ts';
import { type Resource, readList, readResource, request } from './content.ts';
import { type Job, objectOf, readJob } from './document.ts';
import { problemText } from './problem-texts.ts';
import { site } from './site.svelte.ts';

/** A deleted entry. */
export interface BinEntry {
  readonly id: string;
  readonly title: string;
  readonly type: string;
  readonly entityId: string;
  /** The language, if only a translation was deleted. */
  readonly translation: string | undefined;
  /** Languages of the translations that were deleted with it. */
  readonly translations: readonly string[];
  /** RFC 3339. */
  readonly deleted: string;
  readonly by: string;
  /** Number of references that a restore brings back. */
  readonly references: number;
}

/** The former address of an entry, which the bin can look up. */
export interface DeletedEntity {
  readonly type: string;
  readonly id: string;
  readonly translation?: string | undefined;
}

/** A page of the bin, from 1, the newest first. Throws RequestError. */
export async function readBin(
  page = 1,
): Promise<{ readonly entries: readonly BinEntry[]; readonly count: number }> {
  const { pageSize } = site.schema.limits;
  const { items, count } = await readList(
    `/_bin?page[limit]=${pageSize}&page[offset]=${(page - 1) * pageSize}`,
  );
  return { entries: items.map(entryOf), count };
}

/** One entry with the text of its file, or the reason why it cannot be restored. Throws RequestError. */
export async function readBinEntry(id: string): Promise<{
  readonly entry: BinEntry;
  readonly source: string | undefined;
  readonly problem: string | undefined;
}> {
  const resource = await readResource(`/_bin/${id}`);
  const { source, problem, problem_code: code, problem_meta: meta } = resource.attributes;
  const detail = typeof problem === 'string' ? problem : undefined;
  const named = { ...(typeof code === 'string' && { code }), meta: objectOf(meta) };
  return {
    entry: entryOf(resource),
    source: typeof source === 'string' ? source : undefined,
    problem: detail && (await problemText({ status: '409', title: '', detail, source: {}, ...named })),
  };
}

/** The last deletion of an entry, or of one translation; undefined if it is not in the bin. Throws RequestError. */
export async function findInBin({ type, id, translation }: DeletedEntity): Promise<BinEntry | undefined> {
  const query = new URLSearchParams({ 'filter[type]': type, 'filter[id]': id });
  const { items } = await readList(`/_bin?${query}`);
  return items
    .map(entryOf)
    .find((entry) => entry.translation === undefined || entry.translation === translation);
}

/** Restores entries, or none of them. Returns the job of the commit. Throws RequestError. */
export async function restoreFromBin(ids: readonly string[]): Promise<Job | undefined> {
  const { document } = await request('/_bin', {
    method: 'POST',
    headers: { 'Content-Type': 'application/vnd.api+json' },
    body: JSON.stringify({ data: ids.map((id) => ({ type: 'bin-entry', id })) }),
  });
  return readJob(document);
}

/** Deletes an entry for good. Throws RequestError. */
export async function purgeFromBin(id: string): Promise<Job | undefined> {
  const { document } = await request(`/_bin/${id}`, { method: 'DELETE' });
  return readJob(document);
}

/** The id of the newest entry of the bin: later deletions come before it. Undefined if it cannot be read. */
export async function newestInBin(): Promise<string | undefined> {
  if (!HAS_BIN) return undefined;
  const { items } = await readList('/_bin?page[limit]=1').catch(() => ({ items: [] }));
  return items[0]?.id;
}

/** The ids of deleted entries that have come into the bin since; undefined unless all of them have. */
export async function addedSince(
  newest: string | undefined,
  deleted: readonly DeletedEntity[],
): Promise<readonly string[] | undefined> {
  if (!HAS_BIN) return undefined;
  const wanted = new Set(deleted.map(keyOf));
  const found: string[] = [];
  const pages = Math.ceil(deleted.length / site.schema.limits.pageSize) + 1;
  for (let page = 1; page <= pages && wanted.size > 0; page++) {
    // Without it, there is only no undo.
    const { entries, count } = await readBin(page).catch(() => ({ entries: [], count: 0 }));
    const known = entries.findIndex(({ id }) => id === newest);
    for (const entry of known < 0 ? entries : entries.slice(0, known)) {
      const { type, entityId, translation } = entry;
      if (wanted.delete(keyOf({ type, id: entityId, translation }))) found.push(entry.id);
    }
    if (known >= 0 || page * site.schema.limits.pageSize >= count) break;
  }
  return wanted.size === 0 ? found : undefined;
}

function keyOf({ type, id, translation = '' }: DeletedEntity): string {
  return JSON.stringify([type, id, translation]);
}

function entryOf({ id, attributes }: Resource): BinEntry {
  const { resource, title, translation, translations, deleted, deleted_by: by, references } = attributes;
  const { type, id: entityId } = objectOf(resource);
  return {
    id,
    title: typeof title === 'string' && title !== '' ? title : String(entityId),
    type: String(type),
    entityId: String(entityId),
    translation: typeof translation === 'string' ? translation : undefined,
    translations: Array.isArray(translations) ? translations.map(String) : [],
    deleted: String(deleted),
    by: String(by ?? ''),
    references: typeof references === 'number' ? references : 0,
  };
}
