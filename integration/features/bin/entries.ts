import { z } from 'zod';
import { type Access, allowsEverything } from '../../core/access/access.ts';
import type { Entity } from '../../core/content/model.ts';
import type { EntityStore } from '../../core/engine/store/entity-store.ts';
import { isHidden } from '../../core/storage/file-name.ts';
import { normalizeKey } from '../../core/storage/key.ts';
import { parseAs } from '../../core/util/json.ts';
import { digestText } from '../../core/util/revision.ts';

const reference = z.object({ type: z.string(), id: z.string() });
const references = z.union([reference, z.array(reference)]).nullable();

/** A reference that went away with the deleted entry. */
const referrer = reference.extend({
  /** Language of the translation that has it; absent for a source. */
  translation: z.string().optional(),
  field: z.string(),
  before: references,
  after: references,
});

const binEntry = reference.extend({
  /** Language, if a translation was deleted. */
  translation: z.string().optional(),
  /** The file in `.bin/`. */
  file: z.string().regex(/^\w[\w-]*\/[\w.-]+$/),
  /** Its former key. */
  key: z.string().refine((key) => normalizeKey(key) === key && !isHidden(key)),
  title: z.string(),
  langcode: z.string(),
  /** Time of the deletion: RFC 3339, UTC. Entries that one request deleted have the same time. */
  at: z.string(),
  /** Name of the account; null without one. */
  by: z.string().nullable(),
  /** With `uid`, decides which accounts can see and restore it. */
  published: z.boolean(),
  uid: z.string().nullable(),
  referrers: z.array(referrer),
});

/** A deleted entry: a line of JSON in `.bin/entries.jsonl`. */
export type BinEntry = z.infer<typeof binEntry>;
export type Referrer = z.infer<typeof referrer>;

export const BIN_FOLDER = '.bin';
const ENTRIES_KEY = `${BIN_FOLDER}/entries.jsonl`;

interface BinFiles {
  read(key: string): Promise<Uint8Array | undefined>;
}

interface WritableBinFiles extends BinFiles {
  write(key: string, bytes: Uint8Array): Promise<void>;
  remove(key: string): Promise<void>;
}

/** The deleted entries, the newest first. Lines that are not entries, such as conflict markers of a merge, are left out. */
export async function readBin(files: BinFiles): Promise<readonly BinEntry[]> {
  const all = (await linesOf(files)).flatMap((line) => parseAs(binEntry, line) ?? []);
  // A merge can repeat a line.
  const entries = [...new Map(all.map((entry) => [entry.file, entry])).values()];
  return entries.sort((a, b) => (a.at === b.at ? (a.file < b.file ? -1 : 1) : a.at < b.at ? 1 : -1));
}

/** The id of an entry in addresses: the same as long as it is in the bin. */
export function idOf({ file }: BinEntry): string {
  return digestText(file).slice(0, 16);
}

/** The key of the file of an entry. */
export function keyInBin({ file }: BinEntry): string {
  return `${BIN_FOLDER}/${file}`;
}

/** Adds an entry with its file. Returns the keys of the changed files. */
export async function addToBin(
  files: WritableBinFiles,
  entry: BinEntry,
  bytes: Uint8Array,
): Promise<readonly string[]> {
  await files.write(keyInBin(entry), bytes);
  await writeLines(files, [...(await linesOf(files)), JSON.stringify(entry)]);
  return [keyInBin(entry), ENTRIES_KEY];
}

/** Removes an entry with its file. Returns the keys of the changed files. */
export async function removeFromBin(files: WritableBinFiles, entry: BinEntry): Promise<readonly string[]> {
  const lines = await linesOf(files);
  if ((await files.read(keyInBin(entry))) !== undefined) await files.remove(keyInBin(entry));
  await writeLines(
    files,
    lines.filter((line) => parseAs(binEntry, line)?.file !== entry.file),
  );
  return [keyInBin(entry), ENTRIES_KEY];
}

/**
 * True if the actor could see the entry and may delete it, and so restore it. Filters of roles do not show it, because it has
 * few values. A bundle without files and schema does not exist.
 */
export function mayRestore(access: Access, store: EntityStore, entry: BinEntry): boolean {
  const entity = entityOf(entry);
  return store.types.has(entry.type)
    ? access.couldHaveSeen(entity) && access.allows('delete', entity)
    : allowsEverything(access, 'delete', store);
}

/** The entity without its file. */
export function entityOf({ type, id, published, uid, langcode, translation }: BinEntry): Entity {
  const values: Entity['values'] = Object.assign(Object.create(null), { status: published, uid, langcode });
  const language = translation === undefined ? {} : { translation };
  return { type, id, key: '', revision: '', values, published, body: null, ...language };
}

async function linesOf(files: BinFiles): Promise<readonly string[]> {
  const text = new TextDecoder().decode(await files.read(ENTRIES_KEY));
  return text
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '');
}

async function writeLines(files: WritableBinFiles, lines: readonly string[]): Promise<void> {
  if (lines.length > 0) await files.write(ENTRIES_KEY, new TextEncoder().encode(`${lines.join('\n')}\n`));
  else if ((await files.read(ENTRIES_KEY)) !== undefined) await files.remove(ENTRIES_KEY);
}
