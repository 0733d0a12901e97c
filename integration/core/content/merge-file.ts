import { editData, readRaw } from '../source/edit/edit-data.ts';
import { layoutOf } from '../source/edit/layout.ts';
import { type Raw, sameRaw } from '../source/edit/raw.ts';
import { formatOf } from '../source/formats.ts';
import { decodeUtf8 } from '../util/text.ts';
import { joinFile, splitFile } from './file-parts.ts';
import { CHANGE_KEYS } from './usual-names.ts';

/** Three versions of a file: two come from `base`. */
export interface Versions<T> {
  readonly base: T;
  readonly ours: T;
  readonly theirs: T;
}

export interface MergedFile {
  /** Fields that conflict have the value of `theirs`. */
  readonly bytes: Uint8Array;
  /** The same file with our values of the fields that conflict; undefined if none does. */
  readonly lost: Uint8Array | undefined;
}

export interface MergeDeps {
  /** Merges bodies by lines; undefined if that is not possible. */
  mergeText(versions: Versions<string>): Promise<string | undefined>;
  /** True if a file may have a body that neither side has written. */
  isAllowed(key: string, bytes: Uint8Array): Promise<boolean>;
}

/**
 * Merges two changes of a content file by field, and bodies by lines. If both have changed a field differently, or if the merged
 * body is not allowed, the value of `theirs` stays. A time of the last change is ours. Returns undefined if one of the files
 * is not content or cannot be read.
 */
export async function mergeContentFile(
  key: string,
  { base, ours, theirs }: Versions<Uint8Array>,
  { mergeText, isAllowed }: MergeDeps,
): Promise<MergedFile | undefined> {
  const format = formatOf(key);
  const texts = [base, ours, theirs].map(decodeUtf8);
  if (format === undefined || !texts.every((text) => text !== undefined)) return undefined;
  const [before, own, other] = texts.map((text) => splitFile(text, format));
  if (before === undefined || own === undefined || other === undefined) return undefined;
  if (own.hasFrontmatter !== other.hasFrontmatter || own.language !== other.language) return undefined;
  const [beforeData, ownData, otherData] = [before, own, other].map(({ data, language, problems }) =>
    problems.length > 0 ? undefined : readRaw(data, language),
  );
  if (beforeData === undefined || ownData === undefined || otherData === undefined) return undefined;
  const edits = new Map<string, Raw | undefined>();
  const conflicts = new Map<string, Raw | undefined>();
  for (const name of new Set([...Object.keys(beforeData), ...Object.keys(ownData)])) {
    const [was, is, present] = [beforeData[name], ownData[name], otherData[name]];
    if (isSame(was, is) || isSame(present, is)) continue;
    (isSame(present, was) || CHANGE_KEYS.has(name) ? edits : conflicts).set(name, is);
  }

  /** The file of `theirs` with these values, and with the body of `from` if it differs. */
  function fileWith(values: ReadonlyMap<string, Raw | undefined>, body: string | null, from = own) {
    if (other === undefined || otherData === undefined || from === undefined) return undefined;
    const source = { text: other.data, language: other.language, layout: layoutOf(other.data) };
    const data = values.size === 0 ? other.data : editData(source, otherData, values, () => undefined);
    if (data === undefined) return undefined;
    const { separator, ending } = from;
    const rest = body === other.body ? other : { ...other, body, separator, ending };
    return new TextEncoder().encode(joinFile({ ...rest, data }));
  }

  const merged = await mergeBody({ base: before.body, ours: own.body, theirs: other.body }, mergeText);
  let body = merged?.text;
  if (body !== undefined && merged?.isNew === true) {
    const bytes = fileWith(edits, body);
    if (bytes === undefined || !(await isAllowed(key, bytes))) body = undefined;
  }
  const isBodyLost = body === undefined;
  const keptBody = body === undefined ? other.body : body;
  const isChanged = [...edits.keys()].some((name) => !CHANGE_KEYS.has(name)) || keptBody !== other.body;
  const isConflict = conflicts.size > 0 || isBodyLost;
  // Without another change, the time of the change is not worth a commit.
  const kept = isConflict && !isChanged ? new Map<string, Raw | undefined>() : edits;
  const bytes = fileWith(kept, keptBody);
  if (bytes === undefined) return undefined;
  if (!isConflict) return { bytes, lost: undefined };
  const lost = fileWith(new Map([...kept, ...conflicts]), isBodyLost ? own.body : keptBody);
  return lost && { bytes, lost };
}

/** The body of a file; null if its format has no body. Undefined if it is not content. */
export function bodyIn(key: string, bytes: Uint8Array): string | null | undefined {
  const [format, text] = [formatOf(key), decodeUtf8(bytes)];
  return format && text !== undefined ? splitFile(text, format).body : undefined;
}

/** The present file with the body of a former one. */
export function takeBackBody(key: string, present: Uint8Array, former: Uint8Array): Uint8Array {
  const [format, text, before] = [formatOf(key), decodeUtf8(present), decodeUtf8(former)];
  if (format === undefined || text === undefined || before === undefined) return former;
  const parts = splitFile(text, format);
  const { body, separator, ending, hasFrontmatter } = splitFile(before, format);
  if (hasFrontmatter !== parts.hasFrontmatter) return former;
  return new TextEncoder().encode(joinFile({ ...parts, body, separator, ending }));
}

function isSame(a: Raw | undefined, b: Raw | undefined): boolean {
  return a === undefined || b === undefined ? a === b : sameRaw(a, b);
}

/** `isNew` is true for a text that neither side has. Undefined if the bodies conflict. */
async function mergeBody(
  { base, ours, theirs }: Versions<string | null>,
  mergeText: MergeDeps['mergeText'],
): Promise<{ readonly text: string | null; readonly isNew: boolean } | undefined> {
  if (ours === base || ours === theirs) return { text: theirs, isNew: false };
  if (theirs === base) return { text: ours, isNew: false };
  if (base === null || ours === null || theirs === null) return undefined;
  const text = await mergeText({ base, ours, theirs });
  return text === undefined ? undefined : { text, isNew: text !== ours && text !== theirs };
}
