import { z } from 'zod';
import { slugFor } from '../../core/content/encode/slug.ts';
import { isHidden } from '../../core/storage/file-name.ts';
import { normalizeKey } from '../../core/storage/key.ts';
import { parseAs } from '../../core/util/json.ts';
import { digestText } from '../../core/util/revision.ts';

const draftEntry = z.object({
  /** Resource type name. */
  type: z.string(),
  id: z.string(),
  /** The file in `.drafts/`. */
  file: z.string().regex(/^\w[\w-]*\/\w[\w.-]*$/),
  /** The key of its file as an entry. */
  key: z.string().refine((key) => normalizeKey(key) === key && !isHidden(key)),
  /** The language, if it will be a translation of the entry with this id. */
  translation: z.string().optional(),
  /** The file in `.drafts/` with the text that the changes began from, if they are those of a stored entry. */
  base: z
    .string()
    .regex(/^\w[\w-]*\/\w[\w.-]*$/)
    .optional(),
  /** The account that began a translation or changes of an entry. A new source has its owner in its file. */
  author: z.string().optional(),
});

/** A draft: a line of JSON in `.drafts/entries.jsonl`. */
export type DraftEntry = z.infer<typeof draftEntry>;

const DRAFTS_FOLDER = '.drafts';
const ENTRIES_KEY = `${DRAFTS_FOLDER}/entries.jsonl`;

export interface DraftFiles {
  read(key: string): Promise<Uint8Array | undefined>;
}

interface WritableDraftFiles extends DraftFiles {
  write(key: string, bytes: Uint8Array, when?: { readonly ifRevision: string | null }): Promise<void>;
  remove(key: string): Promise<void>;
}

/** All drafts. Lines that are not entries, such as conflict markers of a merge, are left out. */
export async function readDrafts(files: DraftFiles): Promise<readonly DraftEntry[]> {
  const all = (await linesOf(files)).flatMap((line) => entryIn(line) ?? []);
  // A merge can repeat a line.
  return [...new Map(all.map((entry) => [entry.file, entry])).values()];
}

export async function findDraft(
  files: DraftFiles,
  type: string,
  id: string,
  translation?: string,
): Promise<DraftEntry | undefined> {
  return (await readDrafts(files)).find(
    (entry) => entry.type === type && entry.id === id && entry.translation === translation,
  );
}

/** The key of the file of a draft. */
export function keyOfDraft({ file }: Pick<DraftEntry, 'file'>): string {
  return `${DRAFTS_FOLDER}/${file}`;
}

/** The key of the text that changes of a stored entry began from. */
export function keyOfBase({ base }: Pick<DraftEntry, 'base'>): string | undefined {
  return base && `${DRAFTS_FOLDER}/${base}`;
}

/** `node--article/moon.base.md` for `node--article/moon.md`. */
export function fileOfBase(file: string): string {
  const at = file.lastIndexOf('.');
  return `${file.slice(0, at)}.base${file.slice(at)}`;
}

/**
 * The file of a new draft, `node--article/two-bulges.md`, or `node--article/two-bulges.de.md` for a translation. The name of an id
 * that is not a slug has a digest too.
 */
export function fileOfDraft({ type, id, key, translation }: Omit<DraftEntry, 'file' | 'base'>): string {
  const slug = slugFor(id, () => false);
  const name = slug === id ? id : `${slug}-${digestText(id).slice(0, 8)}`;
  const language = translation === undefined ? '' : `.${translation}`;
  return `${type}/${name}${language}${key.slice(key.lastIndexOf('.'))}`;
}

/** Adds a draft to the list. Returns the keys of the changed files. */
export async function addDraft(files: WritableDraftFiles, entry: DraftEntry): Promise<readonly string[]> {
  await writeLines(files, [...(await linesOf(files)), JSON.stringify(entry)]);
  return [ENTRIES_KEY];
}

/** Removes a draft with its file. Returns the keys of the changed files. */
export async function removeDraft(files: WritableDraftFiles, entry: DraftEntry): Promise<readonly string[]> {
  const base = keyOfBase(entry);
  const keys = [keyOfDraft(entry), ...(base === undefined ? [] : [base])];
  const lines = await linesOf(files);
  for (const key of keys) if ((await files.read(key)) !== undefined) await files.remove(key);
  await writeLines(
    files,
    lines.filter((line) => entryIn(line)?.file !== entry.file),
  );
  return [...keys, ENTRIES_KEY];
}

function entryIn(line: string): DraftEntry | undefined {
  const entry = parseAs(draftEntry, line);
  return entry?.file.startsWith(`${entry.type}/`) ? entry : undefined;
}

async function linesOf(files: DraftFiles): Promise<readonly string[]> {
  const text = new TextDecoder().decode(await files.read(ENTRIES_KEY));
  return text
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '');
}

async function writeLines(files: WritableDraftFiles, lines: readonly string[]): Promise<void> {
  if (lines.length > 0) await files.write(ENTRIES_KEY, new TextEncoder().encode(`${lines.join('\n')}\n`));
  else if ((await files.read(ENTRIES_KEY)) !== undefined) await files.remove(ENTRIES_KEY);
}
