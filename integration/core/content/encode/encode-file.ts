import { isDeeper, MAX_DATA_DEPTH, type ParsedData, TOO_DEEP } from '../../source/data.ts';
import { isError } from '../../source/diagnostic.ts';
import { editData, readRaw, UnwritableChangeError } from '../../source/edit/edit-data.ts';
import { type Layout, layoutOf } from '../../source/edit/layout.ts';
import { isRawList, isRawMap, type Raw, type RawMap, rawOf, sameRaw } from '../../source/edit/raw.ts';
import { findDataFormat } from '../../source/formats.ts';
import { headingAtStart } from '../../source/heading.ts';
import { maxDataLength } from '../../source/read-data.ts';
import type { JsonValue } from '../../util/json.ts';
import { isRecord } from '../../util/json.ts';
import { digestBytes } from '../../util/revision.ts';
import { decodeUtf8 } from '../../util/text.ts';
import { isBaseField } from '../base-fields.ts';
import { titleFromPath } from '../decode/base-values.ts';
import { type FileParts, joinFile, splitFile, withBody, withData } from '../file-parts.ts';
import type { Entity, FieldDefinition, FieldValue, ResourceType } from '../model.ts';
import { type ParseResult, parseFile, parseParts, type ReadText, readParts } from '../parse-file.ts';
import { type EncodeBundle, keyOrder } from './bundle-habits.ts';
import {
  encodeAlias,
  encodeEditTime,
  encodeField,
  encodeTime,
  keyOf,
  statusEdits,
  storedField,
} from './encode-field.ts';
import { sameValue } from './same-value.ts';

/**
 * Canonical values (`FieldValue` in model.ts) by public field name; null or an empty list empties a field. `body` is
 * `{value?, summary?}`; a missing property stays. Of images and files, `uri.value` and `alt` are written.
 */
export type FieldChanges = Readonly<Record<string, FieldValue>>;

export interface EncodeContext extends EncodeBundle {
  /** Key of the file, which need not exist yet. */
  readonly key: string;
  /** The present entity; null for a new file. */
  readonly entity: Entity | null;
  /** Id of a new entity, written if its key does not imply it. */
  readonly id?: string | undefined;
  /** True for a file that has no untranslated fields. */
  readonly isTranslation?: boolean;
  /** The id of the source, to write into a new translation. */
  readonly translationOf?: string | undefined;
  /**
   * The time of the edit, RFC 3339 with seconds and offset. Sets `changed` if the file or the schema has it, and in a new
   * file `created` and `changed` if the schema or the neighbors have them. Without it, neither is set.
   */
  readonly now?: string | undefined;
}

/** A file after changes, which are read back already. */
export interface EncodedFile {
  readonly bytes: Uint8Array;
  /** `parseFile` of the bytes. */
  readonly parsed: ParseResult;
}

/**
 * A file after the changes, as a minimal edit: key order, comments, quotes, indentation, line endings, blank
 * lines and the bytes of the body stay. A field that equals its present value is not touched. `before` is null for a new
 * file. Throws `UnwritableChangeError` for changes that the file cannot hold.
 */
export function encodeFile(
  before: Uint8Array | null,
  changes: FieldChanges,
  context: EncodeContext,
): EncodedFile {
  const { key, habits, format } = context;
  const text = before === null ? '' : decodeUtf8(before);
  const parts = text === undefined ? undefined : splitText(text, context);
  const data = parts?.problems.length === 0 ? readRaw(parts.data, parts.language) : undefined;
  if (text === undefined || parts === undefined || data === undefined) {
    throw new UnwritableChangeError([], `\`${key}\` has errors. Correct the file by hand first.`);
  }
  const { edits, body } = collectEdits(changes, data, parts, context);
  const changed: (readonly [string, Raw | undefined])[] = [...edits].filter(
    ([name, raw]) => !sameRaw(data[name], raw),
  );
  if (before !== null && changed.length === 0 && body === parts.body) {
    return { bytes: before, parsed: parseFile(before, format, digestBytes(before)) };
  }
  // The times of the edit do not count: a file that has too many values already can get them.
  checkCount(data, changed);
  changed.push(...editTimes(changes, data, context));

  const layout = before === null ? habits.layout : layoutOf(parts.data, usualLayout(text, habits.layout));
  const source = { text: parts.data, language: parts.language, layout };
  let result: EditedFile | undefined;
  const readBack = (edited: string) => {
    result = withEdits(parts, edited, body, layout, context);
    // A body that breaks the file gets its own error.
    return result.isIntact ? rawDataOf(result.data) : readRaw(edited, parts.language);
  };
  const edited =
    changed.length === 0 ? parts.data : editData(source, data, new Map(changed), keyOrder(context), readBack);
  if (edited === undefined) {
    checkSize(parts, changes);
    checkNulls(parts.language, changed, context);
    throw new UnwritableChangeError([], `The data of \`${key}\` cannot be edited. Change the file by hand.`);
  }
  result ??= withEdits(parts, edited, body, layout, context);
  if (!result.isIntact) {
    throw new UnwritableChangeError(['body'], 'The body has characters that a text file cannot hold.');
  }
  const bytes = new TextEncoder().encode(result.text);
  return { bytes, parsed: parseParts({ ...result, bytes }, digestBytes(bytes)) };
}

type EditedFile = Omit<ReadText, 'bytes'> & {
  /** False if the file does not read back as its parts. */
  readonly isIntact: boolean;
};

/** Puts the file together, and reads it back. */
function withEdits(
  before: FileParts,
  data: string,
  body: string | null,
  { newline }: Layout,
  { habits, format }: EncodeContext,
): EditedFile {
  const filled = data === before.data ? before : withData(before, data, newline);
  const whole =
    body === null || body === before.body ? filled : withBody(filled, body, newline, habits.apart);
  const text = joinFile(whole);
  const parts = splitFile(text, format);
  const isIntact = !parts.problems.some(isError) && parts.data === filled.data && parts.body === body;
  return { text, parts, data: readParts(parts), isIntact };
}

function rawDataOf({ data, numerals, problems }: ParsedData): RawMap | undefined {
  const raw = rawOf(data, numerals);
  return problems.some(isError) || !isRawMap(raw) ? undefined : raw;
}

/** A file without frontmatter gets it in the language of its neighbors. */
function splitText(text: string, { format, habits }: EncodeContext): FileParts {
  const parts = splitFile(text, format);
  return parts.hasFrontmatter || parts.body === null ? parts : { ...parts, language: habits.language };
}

/** Takes the line endings of the whole file. */
function usualLayout(text: string, usual: Layout): Layout {
  const lineEnd = /\r?\n/.exec(text)?.[0];
  return lineEnd === undefined ? usual : { ...usual, newline: lineEnd === '\n' ? '\n' : '\r\n' };
}

/** New values by key, also those that are in the file already, and the body. */
function collectEdits(
  requested: FieldChanges,
  data: RawMap,
  parts: FileParts,
  context: EncodeContext,
): { readonly edits: ReadonlyMap<string, Raw | undefined>; readonly body: string | null } {
  const { pathId, id, entity, type, habits, translationOf } = context;
  const changes = withStoredTitle(requested, type);
  const edits = new Map<string, Raw | undefined>();
  let { body } = parts;
  if (entity === null && id !== undefined) {
    const name = habits.keys.has('uuid') && !habits.keys.has('id') ? 'uuid' : 'id';
    if (pathId !== id || habits.keys.has(name)) edits.set(name, id);
  }
  if (translationOf !== undefined) edits.set('translationOf', translationOf);
  const isChanged = (name: string) => {
    const field = type.fields.get(name);
    const value = changes[name];
    if (field === undefined || value === undefined) return false;
    return entity === null || !sameValue(field, entity.values[name] ?? null, value);
  };
  for (const [name, value] of Object.entries(changes)) {
    const field = type.fields.get(name);
    if (field === undefined) {
      throw new UnwritableChangeError([name], `There is no field \`${name}\` in \`${type.name}\`.`);
    }
    if (isDeeper(value, MAX_DATA_DEPTH - 1)) throw new UnwritableChangeError([name], TOO_DEEP);
    if (name === 'body') {
      const change = bodyChange(value);
      if (change.value !== undefined) body = writableBody(change.value, body);
      if (change.summary !== undefined && change.summary !== (entity?.body?.summary ?? null)) {
        if (parts.body === null) throw new UnwritableChangeError(['body', 'summary'], NO_BODY);
        edits.set('summary', change.summary ?? undefined);
      }
    } else if (isChanged(name)) {
      for (const [each, raw] of fieldEdits(field, value, data, context, isChanged)) edits.set(each, raw);
    }
  }
  const { title } = changes;
  const writtenTitle = edits.has('title') ? edits.get('title') : data.title;
  if (typeof title === 'string' && title.trim() !== '' && writtenTitle === undefined) {
    // Needed unless the heading or the path implies the same title.
    if ((headingAtStart(body ?? '') ?? titleFromPath(pathId)) !== title) edits.set('title', title);
  }
  return { edits, body };
}

/** The changes with a title in the field that stores it. */
function withStoredTitle(changes: FieldChanges, { fields }: ResourceType): FieldChanges {
  const storedIn = fields.get('title')?.storedIn;
  const { title, ...others } = changes;
  if (storedIn === undefined || title === undefined) return changes;
  return { [storedIn]: title, ...others };
}

/** Text and summary of a value of `body`; undefined to keep them. Null empties both. */
function bodyChange(value: FieldValue): {
  readonly value: string | undefined;
  readonly summary: string | null | undefined;
} {
  if (value === null) return { value: '', summary: null };
  const { value: text, summary } = value as Readonly<Record<string, JsonValue>>;
  return {
    value: text === undefined ? undefined : typeof text === 'string' ? text : '',
    summary: summary === undefined ? undefined : typeof summary === 'string' ? summary : null,
  };
}

function writableBody(text: string, present: string | null): string {
  if (present === null) throw new UnwritableChangeError(['body'], NO_BODY);
  if (text.isWellFormed()) return text;
  throw new UnwritableChangeError(
    ['body', 'value'],
    'The text is not valid Unicode: it has half of a surrogate pair.',
  );
}

const NO_BODY = 'Entities in `.json` and `.yaml` files have no body.';

function fieldEdits(
  field: FieldDefinition,
  value: FieldValue,
  data: RawMap,
  context: EncodeContext,
  /** True if the same request changes the field. */
  isChanged: (name: string) => boolean,
): ReadonlyMap<string, Raw | undefined> {
  const { key, entity, type } = context;
  const stored = storedField(field, data, context, isChanged);
  const name = stored.base ? stored.name : keyOf(stored, data, context);
  const present = data[name];
  const edit = (raw: Raw | undefined) => new Map([[name, raw]]);
  const encoded = () =>
    edit(encodeField(stored, value, { raw: present, value: entity?.values[stored.name] }, key, context));
  if (!field.base || !isBaseField(field.name)) return encoded();
  switch (field.name) {
    case 'status':
      return typeof value === 'boolean' && type.fields.get('status')?.kind === 'boolean'
        ? statusEdits(value, data, context)
        : encoded();
    case 'created':
    case 'changed':
      return edit(typeof value === 'string' ? encodeTime(stored, value, present, context) : undefined);
    case 'path': {
      const alias = isRecord(value) && typeof value.alias === 'string' ? value.alias : undefined;
      return edit(alias === undefined ? undefined : encodeAlias(field, alias, present, context));
    }
    case 'title':
      return typeof value === 'string' && value.trim() !== '' ? encoded() : edit(undefined);
    case 'langcode':
    case 'uid':
    case 'body':
      return encoded();
    default:
      return field.name satisfies never;
  }
}

/** `created` and `changed`, if the file, the schema or the neighbors have them. */
function editTimes(
  changes: FieldChanges,
  data: RawMap,
  context: EncodeContext,
): readonly (readonly [string, Raw])[] {
  const { now, entity, type, declared, habits, isTranslation } = context;
  if (now === undefined) return [];
  const names = entity === null ? (['created', 'changed'] as const) : (['changed'] as const);
  return names.flatMap((name) => {
    const base = type.fields.get(name);
    // A new file gets no date under another name: the day of an event is not the day of its file.
    const field = base && (entity === null ? base : storedField(base, data, context, () => false));
    if (field === undefined) return [];
    const present = data[field.key];
    const isUsual = entity === null ? habits.keys.has(name) : (present ?? null) !== null;
    const isSent = Object.hasOwn(changes, name) || Object.hasOwn(changes, field.name);
    const isWanted = !isSent && (isUsual || (field.base && declared?.fields.has(name) === true));
    const isShared = isTranslation === true && field.untranslated === true;
    return isWanted && !isShared ? [[field.key, encodeEditTime(field, now, present, context)] as const] : [];
  });
}

/** Blames the field with a null in a language without it. */
function checkNulls(
  language: FileParts['language'],
  changed: readonly (readonly [string, Raw | undefined])[],
  { type }: EncodeContext,
): void {
  const lacksNull = findDataFormat(language)?.hasNull === false;
  const [key] = changed.find(([, raw]) => lacksNull && hasNull(raw)) ?? [];
  if (key === undefined) return;
  const field = [...type.fields.values()].find((each) => each.key === key);
  const message = `The data of the file is ${language.toUpperCase()}, which has no null. Leave the property out.`;
  throw new UnwritableChangeError([field?.name ?? key], message);
}

function hasNull(raw: Raw | undefined): boolean {
  if (isRawList(raw)) return raw.some(hasNull);
  return raw === null || (isRawMap(raw) && Object.values(raw).some(hasNull));
}

/**
 * Values in the fields of one file: members of maps and items of lists at all depths. Each change parses the data several
 * times, for about 15 microseconds per value.
 */
export const MAX_FILE_VALUES = 5000;

/** Rejects changes that add values beyond the limit. Files that have more already can be changed, but not grow. */
function checkCount(data: RawMap, changed: readonly (readonly [string, Raw | undefined])[]): void {
  const before = countValues(data) - 1;
  const added = changed.map(([name, raw]) => ({
    name,
    count: countValues(raw) - countValues(data[name]),
  }));
  const [largest] = added.toSorted((a, b) => b.count - a.count);
  const after = added.reduce((sum, { count }) => sum + count, before);
  if (largest === undefined || after <= Math.max(before, MAX_FILE_VALUES)) return;
  const message = `The fields of a file may have ${MAX_FILE_VALUES} values in total: members of objects and items of arrays. With this change they would have ${after}.`;
  throw new UnwritableChangeError([largest.name], message);
}

/** A value with all values inside it. */
function countValues(raw: Raw | undefined): number {
  if (raw === undefined) return 0;
  const inside = isRawList(raw) ? raw : isRawMap(raw) ? Object.values(raw) : [];
  return inside.reduce<number>((sum, each) => sum + countValues(each), 1);
}

/** Blames the longest field if the data would exceed the limit. */
function checkSize({ data, language }: FileParts, changes: FieldChanges): void {
  const sizes = Object.entries(changes)
    .filter(([name]) => name !== 'body')
    .map(([name, value]) => ({ name, size: JSON.stringify(value).length }));
  const [longest] = sizes.toSorted((a, b) => b.size - a.size);
  const size = sizes.reduce((sum, each) => sum + each.size, data.length);
  const limit = maxDataLength(language);
  if (longest === undefined || size <= limit) return;
  const message = `The fields of a file may have ${limit / 1024} kB in total, not counting the body.`;
  throw new UnwritableChangeError([longest.name], message);
}
