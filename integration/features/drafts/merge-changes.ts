import { applyPatch, structuredPatch } from 'diff';
import { sameValue } from '../../core/content/encode/same-value.ts';
import { mergeContentFile } from '../../core/content/merge-file.ts';
import {
  bodyText,
  type Entity,
  type FieldDefinition,
  type FieldValue,
  type ResourceType,
} from '../../core/content/model.ts';
import { digestBytes } from '../../core/util/revision.ts';
import { type DraftEntry, type DraftFiles, keyOfBase } from './draft-files.ts';

/** The unfinished changes of a stored entry, merged with later changes of the entry. */
export interface MergedChanges {
  readonly bytes: Uint8Array;
  /** The same with the values of the entry in fields that conflict; undefined if none does. */
  readonly theirs: Uint8Array | undefined;
  /** The text that the changes began from. */
  readonly base: Uint8Array;
  /** The text of the entry. */
  readonly present: Uint8Array;
  /** False if the entry has changed, and one of the files cannot be read. */
  readonly isMerged: boolean;
}

/** Undefined if the entry, or the text that the changes began from, is missing. */
export async function mergeChanges(
  files: DraftFiles,
  entry: DraftEntry,
  stored: Entity | undefined,
  changed: Uint8Array,
): Promise<MergedChanges | undefined> {
  const baseKey = keyOfBase(entry);
  const present = stored && (await files.read(stored.key));
  const base = baseKey === undefined ? undefined : await files.read(baseKey);
  if (stored === undefined || present === undefined || base === undefined) return undefined;
  const unchanged = { bytes: changed, theirs: undefined, base, present };
  if (digestBytes(base) === digestBytes(present)) return { ...unchanged, isMerged: true };
  const merged = await mergeContentFile(
    stored.key,
    { base, ours: changed, theirs: present },
    // The save that moves the text to its place checks the whole of it.
    { mergeText: async (versions) => mergeLines(versions), isAllowed: async () => true },
  );
  if (merged === undefined) return { ...unchanged, isMerged: false };
  const { bytes, lost } = merged;
  return { bytes: lost ?? bytes, theirs: lost && bytes, base, present, isMerged: true };
}

interface Texts {
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
}

/**
 * Undefined if both have changed the same or neighboring lines. A patch can also fit lines elsewhere that are the same. So the
 * changes of each side are applied to the other side: results that differ are a conflict.
 */
function mergeLines({ base, ours, theirs }: Texts): string | undefined {
  const merged = applyChanges(base, ours, theirs);
  return merged === applyChanges(base, theirs, ours) ? merged : undefined;
}

/** The changes from `base` to `changed`, made in another text. Undefined if they do not fit. */
function applyChanges(base: string, changed: string, other: string): string | undefined {
  const options = { context: 3, maxEditLength: MAX_EDITS };
  const patch = structuredPatch('', '', base, changed, undefined, undefined, options);
  const merged = patch && applyPatch(other, patch, { autoConvertLineEndings: false });
  return merged === false ? undefined : merged;
}

/** Texts that differ in more lines conflict. */
const MAX_EDITS = 2000;

/** The fields whose values differ, without the times of the file. */
export function differingFields(
  { fields }: ResourceType,
  one: Entity,
  other: Entity,
): readonly FieldDefinition[] {
  const [values, others] = [valuesOf(one), valuesOf(other)];
  return [...fields.values()].filter((field) => {
    const { name } = field;
    return !TIMES.has(name) && !sameValue(field, values[name] ?? null, others[name] ?? null);
  });
}

const TIMES: ReadonlySet<string> = new Set(['created', 'changed']);

export function valuesOf({ values, body }: Entity): Readonly<Record<string, FieldValue>> {
  if (body === null) return values;
  const { format, summary } = body;
  return { ...values, body: { value: bodyText(body), format, summary } };
}
