import { editData, readRaw } from '../../source/edit/edit-data.ts';
import { type Layout, layoutOf } from '../../source/edit/layout.ts';
import { type Raw, type RawMap, sameRaw } from '../../source/edit/raw.ts';
import { UnwritableChangeError } from '../../source/edit/unwritable.ts';
import { firstHeading } from '../../source/heading.ts';
import { MAX_DATA_DEPTH, TOO_DEEP } from '../../source/parsed-data.ts';
import { MAX_DATA_LENGTH } from '../../source/source-data.ts';
import { isBaseField } from '../base-fields.ts';
import { fileTitle } from '../decode/base-values.ts';
import type { Entity, FieldDefinition, FieldValue } from '../model.ts';
import { idFromKey, roleOf } from '../resource-type.ts';
import { aliasIn, aliasRaw, bodyChange, stampRaw, statusEdits, timeRaw } from './encode-base.ts';
import { type EncodeBundle, encodeField, keyOf } from './encode-field.ts';
import { type FileParts, emptyFile, joinFile, openFile, withBody, withData } from './file-parts.ts';
import { keyOrder } from './key-order.ts';
import { sameValue } from './same-value.ts';

/**
 * Canonical values (`FieldValue` in model.ts) by public field name; null or an empty list empties a field. `body` is
 * `{value?, summary?}`: what is not named stays. Of images and files `uri.value` and `alt` are written.
 */
export type FieldChanges = Readonly<Record<string, FieldValue>>;

export interface EncodeContext extends EncodeBundle {
  /** Where the file is, or will be. */
  readonly key: string;
  /** What the file is now, to know what really changes; null for a new one. */
  readonly entity: Entity | null;
  /** Of a new entity: written where its key does not say it. */
  readonly id?: string | undefined;
  /**
   * RFC 3339 with seconds and offset: the time of the write, for `changed` of a file that says it, and for `created` and
   * `changed` of a new one whose schema or neighbours do. None is set without.
   */
  readonly now?: string | undefined;
}

/**
 * The bytes of a file after the changes: only what changed differs; key order, comments, quotes, indentation, line
 * ends, blank lines and the bytes of the body stay. A field that equals its present value is not touched. `before` null
 * makes a new file. Throws `UnwritableChangeError` for what a file cannot hold.
 */
export function encodeFile(
  before: Uint8Array | null,
  changes: FieldChanges,
  context: EncodeContext,
): Uint8Array {
  const { key, habits } = context;
  const role = roleOf(key);
  if (role.role !== 'entity') throw new UnwritableChangeError([], `\`${key}\` is no place for an entity.`);
  const parts = before === null ? emptyFile(role.format) : openFile(before, role.format);
  const data = parts && readRaw({ text: parts.data, language: parts.language });
  if (parts === undefined || data === undefined) {
    throw new UnwritableChangeError([], `\`${key}\` has errors: correct it by hand first.`);
  }
  const { edits, body } = collectEdits(changes, data, parts, context);
  const changed = [...edits].filter(([name, raw]) => !sameRaw(data[name], raw));
  const newBody = body === parts.body ? null : body;
  if (before !== null && changed.length === 0 && newBody === null) return before;
  for (const [name, raw] of stamps(changes, data, context)) changed.push([name, raw]);

  const layout = before === null ? habits.layout : layoutOf(parts.data, usualLayout(parts, habits.layout));
  const source = { text: parts.data, language: parts.language, layout };
  const edited =
    changed.length === 0 ? parts.data : editData(source, data, new Map(changed), keyOrder(context));
  if (edited === undefined) {
    refuseTooLarge(parts.data, changes);
    throw new UnwritableChangeError([], `The data of \`${key}\` cannot be edited: change the file by hand.`);
  }
  const filled = edited === parts.data ? parts : withData(parts, edited, layout.newline);
  const whole = newBody === null ? filled : withBody(filled, newBody, layout.newline, habits.apart);
  const bytes = new TextEncoder().encode(joinFile(whole));
  const read = openFile(bytes, role.format);
  if (read?.data !== edited || read.body !== body) {
    throw new UnwritableChangeError(['body'], 'The body has characters that no text file can hold.');
  }
  return bytes;
}

/** Line ends are those of the whole file. */
function usualLayout(parts: FileParts, usual: Layout): Layout {
  const lineEnd = /\r?\n/.exec(joinFile(parts))?.[0];
  return lineEnd === undefined ? usual : { ...usual, newline: lineEnd === '\n' ? '\n' : '\r\n' };
}

/** What is to be written of each key, whether it differs or not. */
function collectEdits(
  changes: FieldChanges,
  data: RawMap,
  parts: FileParts,
  context: EncodeContext,
): { readonly edits: ReadonlyMap<string, Raw | undefined>; readonly body: string | null } {
  const { key, id, entity, type, habits } = context;
  const edits = new Map<string, Raw | undefined>();
  let body = parts.body;
  if (entity === null && id !== undefined) {
    const name = habits.keys.has('uuid') && !habits.keys.has('id') ? 'uuid' : 'id';
    if (idFromKey(key) !== id || habits.keys.has(name)) edits.set(name, id);
  }
  for (const [name, value] of Object.entries(changes)) {
    const field = type.fields.get(name);
    if (field === undefined) {
      throw new UnwritableChangeError([name], `There is no field \`${name}\` in \`${type.name}\`.`);
    }
    if (isDeeper(value, MAX_DATA_DEPTH - 1)) throw new UnwritableChangeError([name], TOO_DEEP);
    if (name === 'body') {
      const change = bodyChange(value);
      if (change.value !== undefined) body = newBody(change.value, body);
      if (change.summary !== undefined && change.summary !== (entity?.body?.summary ?? null)) {
        if (parts.body === null) throw new UnwritableChangeError(['body', 'summary'], NO_BODY);
        edits.set('summary', change.summary ?? undefined);
      }
    } else if (entity === null || !sameValue(field, entity.values[name] ?? null, value)) {
      for (const [each, raw] of fieldEdits(field, value, data, context)) edits.set(each, raw);
    }
  }
  keepTitle(changes, data, edits, body, key);
  return { edits, body };
}

const NO_BODY = 'Entities in `.json` and `.yaml` files have no body.';

function isDeeper(value: FieldValue, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((item: FieldValue) => isDeeper(item, levels - 1));
}

/** Says so where data beyond what is read would have been written; of several fields the longest is to blame. */
function refuseTooLarge(data: string, changes: FieldChanges): void {
  const sizes = Object.entries(changes)
    .filter(([name]) => name !== 'body')
    .map(([name, value]) => ({ name, size: JSON.stringify(value).length }));
  const [longest] = sizes.toSorted((a, b) => b.size - a.size);
  const size = sizes.reduce((sum, each) => sum + each.size, data.length);
  if (longest === undefined || size <= MAX_DATA_LENGTH) return;
  const message = `All fields of a file together may have ${MAX_DATA_LENGTH / 1024} kB, the body not counted.`;
  throw new UnwritableChangeError([longest.name], message);
}

function fieldEdits(
  field: FieldDefinition,
  value: FieldValue,
  data: RawMap,
  context: EncodeContext,
): ReadonlyMap<string, Raw | undefined> {
  const { key, entity, type } = context;
  const written = field.base ? field.name : keyOf(field, data, context);
  const present = data[written];
  const single = (raw: Raw | undefined) => new Map([[written, raw]]);
  if (field.base && isBaseField(field.name)) {
    switch (field.name) {
      case 'status':
        if (typeof value === 'boolean' && type.fields.get('status')?.kind === 'boolean') {
          return statusEdits(value, data, context);
        }
        break;
      case 'created':
      case 'changed':
        return single(typeof value === 'string' ? timeRaw(field, value, present, context) : undefined);
      case 'path': {
        const alias = aliasIn(value);
        return single(alias === null ? undefined : aliasRaw(field, alias, present, context));
      }
      case 'title':
        if (typeof value !== 'string' || value.trim() === '') return single(undefined);
        break;
      case 'langcode':
      case 'uid':
      case 'body':
        break;
      default:
        field.name satisfies never;
    }
  }
  return single(encodeField(field, value, { raw: present, value: entity?.values[field.name] }, key, context));
}

function newBody(text: string, present: string | null): string {
  if (present === null) {
    throw new UnwritableChangeError(['body'], NO_BODY);
  }
  if (!text.isWellFormed()) {
    throw new UnwritableChangeError(
      ['body', 'value'],
      'The text is not valid Unicode: it has half a character.',
    );
  }
  return text;
}

/** A title that was asked for is written where the text, as it is now, would give another. */
function keepTitle(
  { title }: FieldChanges,
  data: RawMap,
  edits: Map<string, Raw | undefined>,
  body: string | null,
  key: string,
): void {
  if (typeof title !== 'string' || title.trim() === '') return;
  const written = edits.has('title') ? edits.get('title') : data.title;
  if (written === undefined && (firstHeading(body ?? '') ?? fileTitle(key)) !== title)
    edits.set('title', title);
}

/** Times of the write, where the file, the schema or the neighbours have such. */
function stamps(
  changes: FieldChanges,
  data: RawMap,
  context: EncodeContext,
): readonly (readonly [string, Raw])[] {
  const { now, entity, type, declared, habits } = context;
  if (now === undefined) return [];
  const names = entity === null ? (['created', 'changed'] as const) : (['changed'] as const);
  return names.flatMap((name) => {
    const field = type.fields.get(name);
    const present = data[name];
    const had = entity === null ? habits.keys.has(name) : present !== undefined && present !== null;
    return field !== undefined &&
      !Object.hasOwn(changes, name) &&
      (had || declared?.fields.has(name) === true)
      ? [[name, stampRaw(field, now, present, context)] as const]
      : [];
  });
}
