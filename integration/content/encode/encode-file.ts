import { isDeeper, MAX_DATA_DEPTH, TOO_DEEP } from '../../source/data.ts';
import { isError } from '../../source/diagnostic.ts';
import { editData, readRaw, UnwritableChangeError } from '../../source/edit/edit-data.ts';
import { type Layout, layoutOf } from '../../source/edit/layout.ts';
import { type Raw, type RawMap, sameRaw } from '../../source/edit/raw.ts';
import { firstHeading } from '../../source/heading.ts';
import { MAX_DATA_LENGTH } from '../../source/read-data.ts';
import type { JsonValue } from '../../util/json.ts';
import { isBaseField } from '../base-fields.ts';
import { titleFromKey } from '../decode/base-values.ts';
import { type FileParts, joinFile, splitFile, withBody, withData } from '../file-parts.ts';
import type { Entity, FieldDefinition, FieldValue } from '../model.ts';
import { decodeText } from '../parse-file.ts';
import { idFromKey, roleOf } from '../resource-type.ts';
import { type EncodeBundle, keyOrder } from './bundle-habits.ts';
import { encodeAlias, encodeEditTime, encodeField, encodeTime, keyOf, statusEdits } from './encode-field.ts';
import { isMap, sameValue } from './same-value.ts';

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

/**
 * The bytes of a file after the changes, as a minimal edit: key order, comments, quotes, indentation, line endings, blank
 * lines and the bytes of the body stay. A field that equals its present value is not touched. `before` is null for a new
 * file. Throws `UnwritableChangeError` for changes that the file cannot hold.
 */
export function encodeFile(
  before: Uint8Array | null,
  changes: FieldChanges,
  context: EncodeContext,
): Uint8Array {
  const { key, habits } = context;
  const role = roleOf(key);
  if (role.role !== 'entity') throw new UnwritableChangeError([], `\`${key}\` is not the path of an entity.`);
  const text = before === null ? '' : decodeText(before);
  const parts = text === undefined ? undefined : splitFile(text, role.format);
  const data = parts?.problems.length === 0 ? readRaw(parts.data, parts.language) : undefined;
  if (text === undefined || parts === undefined || data === undefined) {
    throw new UnwritableChangeError([], `\`${key}\` has errors. Correct the file by hand first.`);
  }
  const { edits, body } = collectEdits(changes, data, parts, context);
  const changed: (readonly [string, Raw | undefined])[] = [...edits].filter(
    ([name, raw]) => !sameRaw(data[name], raw),
  );
  if (before !== null && changed.length === 0 && body === parts.body) return before;
  changed.push(...editTimes(changes, data, context));

  const layout = before === null ? habits.layout : layoutOf(parts.data, usualLayout(text, habits.layout));
  const source = { text: parts.data, language: parts.language, layout };
  const edited =
    changed.length === 0 ? parts.data : editData(source, data, new Map(changed), keyOrder(context));
  if (edited === undefined) {
    checkSize(parts.data, changes);
    throw new UnwritableChangeError([], `The data of \`${key}\` cannot be edited. Change the file by hand.`);
  }
  const filled = edited === parts.data ? parts : withData(parts, edited, layout.newline);
  const whole =
    body === null || body === parts.body ? filled : withBody(filled, body, layout.newline, habits.apart);
  const result = joinFile(whole);
  const read = splitFile(result, role.format);
  if (read.problems.some(isError) || read.data !== edited || read.body !== body) {
    throw new UnwritableChangeError(['body'], 'The body has characters that a text file cannot hold.');
  }
  return new TextEncoder().encode(result);
}

/** Takes the line endings of the whole file. */
function usualLayout(text: string, usual: Layout): Layout {
  const lineEnd = /\r?\n/.exec(text)?.[0];
  return lineEnd === undefined ? usual : { ...usual, newline: lineEnd === '\n' ? '\n' : '\r\n' };
}

/** New values by key, also those that are in the file already, and the body. */
function collectEdits(
  changes: FieldChanges,
  data: RawMap,
  parts: FileParts,
  context: EncodeContext,
): { readonly edits: ReadonlyMap<string, Raw | undefined>; readonly body: string | null } {
  const { key, id, entity, type, habits, translationOf } = context;
  const edits = new Map<string, Raw | undefined>();
  let { body } = parts;
  if (entity === null && id !== undefined) {
    const name = habits.keys.has('uuid') && !habits.keys.has('id') ? 'uuid' : 'id';
    if (idFromKey(key) !== id || habits.keys.has(name)) edits.set(name, id);
  }
  if (translationOf !== undefined) edits.set('translationOf', translationOf);
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
    } else if (entity === null || !sameValue(field, entity.values[name] ?? null, value)) {
      for (const [each, raw] of fieldEdits(field, value, data, context)) edits.set(each, raw);
    }
  }
  const { title } = changes;
  const writtenTitle = edits.has('title') ? edits.get('title') : data.title;
  if (typeof title === 'string' && title.trim() !== '' && writtenTitle === undefined) {
    // Needed unless the heading or the file name implies the same title.
    if ((firstHeading(body ?? '') ?? titleFromKey(key)) !== title) edits.set('title', title);
  }
  return { edits, body };
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
): ReadonlyMap<string, Raw | undefined> {
  const { key, entity, type } = context;
  const name = field.base ? field.name : keyOf(field, data, context);
  const present = data[name];
  const edit = (raw: Raw | undefined) => new Map([[name, raw]]);
  const encoded = () =>
    edit(encodeField(field, value, { raw: present, value: entity?.values[field.name] }, key, context));
  if (!field.base || !isBaseField(field.name)) return encoded();
  switch (field.name) {
    case 'status':
      return typeof value === 'boolean' && type.fields.get('status')?.kind === 'boolean'
        ? statusEdits(value, data, context)
        : encoded();
    case 'created':
    case 'changed':
      return edit(typeof value === 'string' ? encodeTime(field, value, present, context) : undefined);
    case 'path': {
      const alias = isMap(value) && typeof value.alias === 'string' ? value.alias : undefined;
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
    const field = type.fields.get(name);
    const present = data[name];
    const isUsual = entity === null ? habits.keys.has(name) : (present ?? null) !== null;
    const isWanted = !Object.hasOwn(changes, name) && (isUsual || declared?.fields.has(name) === true);
    const isShared = isTranslation === true && field?.untranslated === true;
    return field !== undefined && isWanted && !isShared
      ? [[name, encodeEditTime(field, now, present, context)] as const]
      : [];
  });
}

/** Blames the longest field if the data would exceed the limit. */
function checkSize(data: string, changes: FieldChanges): void {
  const sizes = Object.entries(changes)
    .filter(([name]) => name !== 'body')
    .map(([name, value]) => ({ name, size: JSON.stringify(value).length }));
  const [longest] = sizes.toSorted((a, b) => b.size - a.size);
  const size = sizes.reduce((sum, each) => sum + each.size, data.length);
  if (longest === undefined || size <= MAX_DATA_LENGTH) return;
  const message = `The fields of a file may have ${MAX_DATA_LENGTH / 1024} kB in total, not counting the body.`;
  throw new UnwritableChangeError([longest.name], message);
}
