import { editData, readRaw } from '../source/edit/edit-data.ts';
import { layoutOf } from '../source/edit/layout.ts';
import { type Raw, sameRaw } from '../source/edit/raw.ts';
import { decodeUtf8 } from '../util/text.ts';
import { joinFile, splitFile } from './file-parts.ts';
import { formatOf } from './resource-type.ts';
import { CHANGE_KEYS } from './usual-names.ts';

/** Three versions of a file: two come from `base`. */
export interface Versions<T> {
  readonly base: T;
  readonly ours: T;
  readonly theirs: T;
}

/**
 * Merges two changes of a content file by field. Null if both have changed the same field differently; undefined if the file
 * is not content. A time of the last change is ours. `mergeText` merges bodies; undefined if it cannot.
 */
export async function mergeContentFile(
  key: string,
  { base, ours, theirs }: Versions<Uint8Array>,
  mergeText: (versions: Versions<string>) => Promise<string | undefined>,
): Promise<Uint8Array | null | undefined> {
  const format = formatOf(key);
  const texts = [base, ours, theirs].map(decodeUtf8);
  if (format === undefined || !texts.every((text) => text !== undefined)) return undefined;
  const [before, own, other] = texts.map((text) => splitFile(text, format));
  if (before === undefined || own === undefined || other === undefined) return undefined;
  const [beforeData, ownData, otherData] = [before, own, other].map(({ data, language, problems }) =>
    problems.length > 0 ? undefined : readRaw(data, language),
  );
  if (beforeData === undefined || ownData === undefined || otherData === undefined) return undefined;
  const edits = new Map<string, Raw | undefined>();
  for (const name of new Set([...Object.keys(beforeData), ...Object.keys(ownData)])) {
    const [was, is, present] = [beforeData[name], ownData[name], otherData[name]];
    if (isSame(was, is) || isSame(present, is)) continue;
    if (!isSame(present, was) && !CHANGE_KEYS.has(name)) return null;
    edits.set(name, is);
  }
  const body = await mergeBody({ base: before.body, ours: own.body, theirs: other.body }, mergeText);
  const source = { text: other.data, language: other.language, layout: layoutOf(other.data) };
  const data = edits.size === 0 ? other.data : editData(source, otherData, edits, () => undefined);
  if (body === undefined || data === undefined) return null;
  const rest = body === other.body ? other : { ...other, body, separator: own.separator, ending: own.ending };
  return new TextEncoder().encode(joinFile({ ...rest, data }));
}

function isSame(a: Raw | undefined, b: Raw | undefined): boolean {
  return a === undefined || b === undefined ? a === b : sameRaw(a, b);
}

async function mergeBody(
  { base, ours, theirs }: Versions<string | null>,
  mergeText: (versions: Versions<string>) => Promise<string | undefined>,
): Promise<string | null | undefined> {
  if (ours === base || ours === theirs) return theirs;
  if (theirs === base) return ours;
  return base === null || ours === null || theirs === null ? undefined : mergeText({ base, ours, theirs });
}
