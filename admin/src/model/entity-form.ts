import { isRecord } from '../../../integration/core/util/json.ts';
import type { JsonObject } from '../api/document.ts';
import { type Field, inputFields } from '../api/schema.ts';
import { changeOf, fieldIn, isRequired, isSame, toInput, withField } from './document.ts';
import { type Conflict, matchesOf, mergeField } from './merge.ts';
import { inOrder } from './nested.ts';

/** Values of fields by name, as inputs hold them. */
export type Values = Readonly<Record<string, unknown>>;

export interface Layout {
  readonly title: Field | undefined;
  readonly body: Field | undefined;
  /** The fields of the bundle that are in no section: required ones first, then in the order of the schema. */
  readonly fields: readonly Field[];
  readonly sections: readonly { readonly name: string; readonly fields: readonly Field[] }[];
  /** Publication and address. */
  readonly side: readonly Field[];
  /** The fields of the form without title, text and side panel. */
  readonly own: readonly Field[];
  /** The owner and the dates of the file. */
  readonly machine: readonly Field[];
}

/** The fields of the side panel, in its order. Bundles have `publish_on` and `unpublish_on` if their schema does. */
const SIDE = ['status', 'publish_on', 'unpublish_on', 'path', 'langcode', 'uid', 'created', 'changed'];

/** Fields that can change with every write of the file. */
export const FILE_TIMES: readonly string[] = ['created', 'changed'];

/** The place of each field in the form. */
export function layOut(fields: readonly Field[]): Layout {
  const own = inputFields(fields).filter(
    ({ name }) => name !== 'title' && name !== 'body' && !SIDE.includes(name),
  );
  const sections = new Map<string | undefined, Field[]>();
  const inSchema = own.toSorted((one, other) => (one.at ?? own.length) - (other.at ?? own.length));
  for (const field of inSchema) sections.set(field.group, [...(sections.get(field.group) ?? []), field]);
  // The order of a section is that of the schema, because its author arranged it.
  const plain = (sections.get(undefined) ?? []).toSorted(
    (one, other) => Number(isRequired(other)) - Number(isRequired(one)),
  );
  sections.delete(undefined);
  return {
    title: fields.find(({ name }) => name === 'title'),
    body: fields.find(({ name, kind }) => name === 'body' && kind === 'formatted_text'),
    own,
    fields: inOrder(plain),
    sections: [...sections].map(([name = '', inner]) => ({ name, fields: inOrder(inner) })),
    side: SIDE.filter((name) => !MACHINE.includes(name)).flatMap(
      (name) => fields.find((field) => field.name === name) ?? [],
    ),
    machine: MACHINE.flatMap((name) => fields.find((field) => field.name === name) ?? []),
  };
}

/** Facts that the server writes by itself. */
const MACHINE = ['uid', 'created', 'changed'];

/** The first values of a new translation: those of the source that are not text. */
export function translationDefaults(fields: readonly Field[], source: Values): Values {
  const copied = layOut(fields).own.filter(({ name, kind, untranslated, choices = [] }) => {
    const isText = TEXTS.includes(kind) && choices.length === 0;
    return !isText && untranslated !== true && !isEmpty(source[name]);
  });
  return Object.fromEntries(copied.map(({ name }) => [name, source[name]]));
}

const TEXTS: readonly Field['kind'][] = ['string', 'formatted_text', 'object', 'json'];

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0);
}

/** The values of a resource; without one, those of a form that has not been filled in. */
export function valuesOf(fields: readonly Field[], resource?: unknown): Values {
  return Object.fromEntries(
    fields.map((field) => [field.name, withPlainBreaks(storedValue(field, resource))]),
  );
}

/** The changes with another value for a field. A value that equals the stored one is not a change. */
export function withValue(stored: Values, changes: Values, name: string, value: unknown): Values {
  const { [name]: _, ...others } = changes;
  return isSame(stored[name], value) ? others : { ...others, [name]: value };
}

/**
 * The document that stores the changes: only the fields, and parts of a body, that differ. Undefined if a stored entity
 * would stay as it is. Fields in `decided` are sent as a whole, also with the stored value.
 */
export function writeChanges(
  { type, id }: { readonly type: string; readonly id?: string | undefined },
  fields: readonly Field[],
  changes: Values,
  resource?: unknown,
  decided: ReadonlySet<string> = new Set(),
): JsonObject | undefined {
  const stored = valuesOf(fields, resource);
  const empty: JsonObject = { data: { type, ...(id !== undefined && { id }) } };
  const document = fields.reduce((before, field) => {
    if (!Object.hasOwn(changes, field.name)) return before;
    const wanted = changes[field.name];
    const change = decided.has(field.name) ? wanted : changeOf(field, stored[field.name], wanted);
    return withField(before, field, withBreaksOf(storedValue(field, resource), change));
  }, empty);
  return resource !== undefined && isSame(document, empty) ? undefined : document;
}

/**
 * My changes after the stored values have become `theirs`. Fields that only one side changed are merged without asking.
 */
export function rebase(
  fields: readonly Field[],
  base: Values,
  theirs: Values,
  changes: Values,
): { readonly changes: Values; readonly conflicts: readonly Conflict[] } {
  const conflicts: Conflict[] = [];
  const merged: Record<string, unknown> = {};
  for (const field of fields) {
    const { name } = field;
    if (!Object.hasOwn(changes, name)) continue;
    const result = mergeField(field, base[name], theirs[name], changes[name]);
    conflicts.push(...result.conflicts);
    if (result.conflicts.length > 0 || !isSame(result.value, theirs[name])) merged[name] = result.value;
  }
  return { changes: merged, conflicts };
}

/** Names of the fields whose values differ. */
export function changedFields(one: Values, other: Values): readonly string[] {
  return Object.keys({ ...one, ...other }).filter((name) => !isSame(one[name], other[name]));
}

function storedValue(field: Field, resource: unknown): unknown {
  return toInput(field, resource && fieldIn(resource, field));
}

/** The same value with `\n` for every line break, as inputs hold texts. */
function withPlainBreaks(value: unknown): unknown {
  return mapTexts(value, (text) => text.replace(/\r\n?/g, '\n'));
}

/** A value that will replace the stored one, with the line breaks that its unchanged lines have there. */
function withBreaksOf(stored: unknown, value: unknown): unknown {
  if (typeof value === 'string') return typeof stored === 'string' ? withBreaksOfText(stored, value) : value;
  if (!isRecord(stored) || !isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, withBreaksOf(stored[name], part)]),
  );
}

function withBreaksOfText(stored: string, text: string): string {
  const breaks = stored.match(LINE_BREAK) ?? [];
  if (breaks.every((lineBreak) => lineBreak === '\n')) return text;
  const lines = text.split('\n');
  const origins = originsOf(lines, stored.split(LINE_BREAK));
  return lines
    .map((line, at) => (at === lines.length - 1 ? line : line + (breaks[origins[at] ?? 0] ?? breaks.at(-1))))
    .join('');
}

/** For each line the stored line that it is, replaces or follows. Equal lines around a change are not confused. */
function originsOf(lines: readonly string[], stored: readonly string[]): readonly number[] {
  const shorter = Math.min(lines.length, stored.length);
  let start = 0;
  while (start < shorter && lines[start] === stored[start]) start++;
  let end = 0;
  while (end < shorter - start && lines.at(-1 - end) === stored.at(-1 - end)) end++;
  const [own, before] = [lines.slice(start, lines.length - end), stored.slice(start, stored.length - end)];
  const matches = matchesOf(own, before);
  const matched = new Set(matches.values());
  let last = -1;
  const changed = own.map((_, at) => {
    const isReplacement = last + 1 < before.length && !matched.has(last + 1);
    last = matches.get(at) ?? (isReplacement ? last + 1 : last);
    return Math.max(0, start + last);
  });
  return lines.map((_, at) => {
    if (at < start) return at;
    return changed[at - start] ?? at - lines.length + stored.length;
  });
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, mapTexts(part, change)]));
}

const LINE_BREAK = /\r\n?|\n/g;
