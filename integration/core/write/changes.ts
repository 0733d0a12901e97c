import { isPublicationFlag } from '../content/decode/publication.ts';
import type { KnownEntities } from '../content/decode/references.ts';
import type { FieldChanges } from '../content/encode/encode-file.ts';
import { sameJson, sameValue } from '../content/encode/same-value.ts';
import { type FileValue, isFileField } from '../content/file-resource.ts';
import {
  type Entity,
  type FieldDefinition,
  type FieldValue,
  type Reference,
  type ResourceType,
  referenceKey,
  writableField,
} from '../content/model.ts';
import { isOwner } from '../content/owner.ts';
import { isUsualBase, storingFields } from '../content/usual-names.ts';
import type { Reader } from '../read/reader.ts';
import { serializeField } from '../read/serialize.ts';
import { ConflictError, DomainError, ForbiddenError, NotFoundError, type Violation } from '../util/errors.ts';
import { isRecord, type JsonValue } from '../util/json.ts';
import { accountOf } from './account-of.ts';
import { coerceBody, coerceField } from './coerce.ts';
import { maySet, SET_BY_SERVER } from './permissions.ts';
import type {
  EntityInput,
  ErrorPlace,
  RelationshipChange,
  RequestedChanges,
  UpdateMode,
  Writer,
} from './writer.ts';

export interface ChangeDeps {
  readonly reader: Reader;
  /** The entities that the actor may refer to. */
  readonly targets: KnownEntities;
}

export function validChanges(changes: FieldChanges, { pointer }: ErrorPlace): RequestedChanges {
  return { changes, violations: [], missing: [], faulty: new Set(), pointer };
}

/**
 * The changes without the untranslated fields of a translation, which the source has. Another value than that of the source
 * is a violation. `entity` is the translation, or the source of a new one.
 */
export function withoutShared(
  requested: RequestedChanges,
  { fields }: ResourceType,
  { values }: Entity,
): RequestedChanges {
  const changes: Record<string, FieldValue> = Object.create(null);
  const violations = [...requested.violations];
  const faulty = new Set(requested.faulty);
  for (const [name, value] of Object.entries(requested.changes)) {
    const field = fields.get(name);
    if (field?.untranslated !== true) changes[name] = value;
    else if (!sameValue(field, values[name] ?? null, value)) {
      const detail = `\`${name}\` is the same in all languages. Change it in the source.`;
      violations.push({ detail, source: { pointer: requested.pointer([name]) } });
      faulty.add(name);
    }
  }
  return { ...requested, changes, violations, faulty };
}

/**
 * Reads the changes of an input; `before` is null for a new entity. A value that equals the one that reading returns is not
 * a change, so clients may send back a whole entity. Throws ForbiddenError for a field that the actor may see but not change.
 */
export async function readChanges(
  { access }: Pick<Writer, 'access'>,
  type: ResourceType,
  before: Entity | null,
  input: EntityInput,
  { reader, targets }: ChangeDeps,
  mode: UpdateMode = 'fields',
): Promise<RequestedChanges> {
  const violations: Violation[] = [...input.violations];
  const missing: Violation[] = [];
  const faulty = new Set<string>();
  const changes: Record<string, FieldValue> = Object.create(null);
  const storedIn = type.fields.get('title')?.storedIn;
  let pointer = storedIn === undefined ? input.pointer : titlePointer(input, storedIn);
  const isWritable = (name: string) => maySet(access, type, name, before);
  // A flag such as `draft` also sets the status.
  const mayChange = (name: string) =>
    isWritable(name) &&
    (!isPublicationFlag(name) || isWritable('status')) &&
    (!isUsualBase(name) || storingFields(name, type).every((field) => isWritable(field.name)));

  const isTitle = (name: string) => name === 'title' || name === storedIn;
  if ((before === null || mode === 'entity') && ![...input.values.keys()].some(isTitle)) {
    violations.push(titleMissing(input));
  }
  if (before !== null && mode === 'entity') {
    Object.assign(changes, emptyFields(type, before, input, isWritable));
  }
  for (const [name, value] of input.values) {
    const field = writableField(type, name);
    if (field === undefined) throw new NotFoundError(`${type.name} has no field '${name}'.`);
    const sent = isOwner(field)
      ? accountOf(value, reader)
      : mode === 'entity' && name === 'body'
        ? wholeBody(value)
        : value;
    const current = before === null ? null : await serializeField(withHtmlFor(sent, reader), before, field);
    const stored = before?.values[name];
    const restored = field.kind === 'reference' ? restoreMissing(sent, stored, current) : sent;
    const isUnchanged = isFileField(field)
      ? isSameFile(sent, stored, field)
      : isSame(restored, current, stored, field, mode);
    if (before !== null && mode !== 'append' && isUnchanged) continue;
    if (SET_BY_SERVER.has(name) || !mayChange(name)) {
      throw new ForbiddenError(`You may not change \`${name}\`.`, { pointer: input.pointer([name]) });
    }
    const { value: coerced, faults } =
      field.kind === 'formatted_text'
        ? coerceBody(sent, current, field)
        : coerceField(restored, field, withTargets(targets, referencesIn(stored, field)), stored);
    for (const { path, detail, missing: isMissing } of faults) {
      const violation = { detail, source: { pointer: input.pointer([name, ...path]) } };
      (isMissing ? missing : violations).push(violation);
    }
    const isUntitled =
      isTitle(name) && faults.length === 0 && (typeof coerced !== 'string' || coerced.trim() === '');
    if (isUntitled) violations.push(titleMissing(input, name));
    if (isUntitled || faults.length > 0) faulty.add(name);
    else if (mode !== 'append') changes[name] = coerced;
    else {
      const items = itemsOf(stored);
      changes[name] = appended(items, itemsOf(coerced), field);
      pointer = pointerAfter(items.length, input);
    }
  }
  if (storedIn !== undefined) {
    const { title = changes[storedIn], [storedIn]: stored = title } = changes;
    if (title !== stored) {
      const detail = `\`title\` is the value of \`${storedIn}\`. Send one of them, or the same text in both.`;
      violations.push({ detail, source: { pointer: input.pointer(['title']) } });
      faulty.add(storedIn);
    } else if (title !== undefined) Object.assign(changes, { title, [storedIn]: stored });
  }
  return { changes, violations, missing, faulty, pointer };
}

/** Pointers for errors of a title in the field that stores it, which the client may not have sent. */
function titlePointer({ pointer, values }: EntityInput, storedIn: string): EntityInput['pointer'] {
  const isRenamed = values.has('title') && !values.has(storedIn);
  return (path) => pointer(isRenamed && path[0] === storedIn ? ['title', ...path.slice(1)] : path);
}

/**
 * The references in a field after a change. Adding a present reference and removing an absent one have no effect. Throws
 * ConflictError for adding to or removing from a single reference, and a `bad-request` error for invalid targets. Source:
 * JSON:API 1.1, "Updating Relationships", and Drupal for the errors.
 */
export async function readRelationship(
  entity: Entity,
  field: FieldDefinition,
  change: RelationshipChange,
  input: EntityInput,
  { reader, targets }: ChangeDeps,
): Promise<FieldChanges> {
  const { name } = field;
  if (!field.list && change !== 'set') {
    throw new ConflictError(`\`${name}\` is a single reference, so it can only be set.`);
  }
  const stored = entity.values[name];
  const isReference = field.kind === 'reference';
  const present: readonly FieldValue[] = itemsOf(stored);
  const current = await serializeField(reader, entity, field);
  const given = input.values.get(name) ?? null;
  const requested = isOwner(field) ? accountOf(given, reader) : given;
  const sent = isReference ? restoreMissing(requested, stored, current) : requested;
  // A removed reference may be one that the actor cannot see, or have no target.
  const allowed =
    change === 'remove' ? { has: () => true } : withTargets(targets, referencesIn(stored, field));
  const { value, faults } = coerceField(sent, field, allowed);
  const [fault] = faults;
  if (fault !== undefined) throw badReference(fault.detail, input.pointer([name, ...fault.path]));
  if (!field.list) return { [name]: value };
  const items = value as readonly FieldValue[];
  const keyOf = isReference ? (item: FieldValue) => referenceKey(item as Reference) : fileUri;
  const keys = items.map(keyOf);
  switch (change) {
    case 'add':
      return { [name]: isReference ? appended(present, items, field) : withFiles(present, items) };
    case 'remove':
      return { [name]: present.filter((each) => !keys.includes(keyOf(each))) };
    case 'set': {
      const repeated = keys.findIndex((key, at) => keys.indexOf(key) < at);
      if (repeated === -1) return { [name]: items };
      throw badReference('The list has this target twice.', input.pointer([name, repeated]));
    }
    default:
      return change satisfies never;
  }
}

function badReference(detail: string, pointer: string): DomainError {
  return new DomainError('bad-request', detail, { source: { pointer } });
}

function titleMissing({ pointer }: ErrorPlace, name = 'title'): Violation {
  return { detail: `\`${name}\` is required.`, source: { pointer: pointer([name]) } };
}

/** Empties the fields that an input does not have, except those that the actor may not change. */
function emptyFields(
  type: ResourceType,
  { body, translation }: Entity,
  { values }: EntityInput,
  isWritable: (name: string) => boolean,
): FieldChanges {
  const changes: Record<string, FieldValue> = Object.create(null);
  for (const { name, list, untranslated } of type.fields.values()) {
    if (translation !== undefined && (untranslated === true || name === 'langcode')) continue;
    if (SET_ONCE.has(name) || SET_BY_SERVER.has(name) || values.has(name) || !isWritable(name)) continue;
    if (name === 'title' || name === type.fields.get('title')?.storedIn) continue;
    if (name !== 'body') changes[name] = list ? [] : null;
    else if (body !== null) changes.body = EMPTY_BODY;
  }
  return changes;
}

/** Fields that a replacement keeps if the client does not send them. */
const SET_ONCE: ReadonlySet<string> = new Set(['uid', 'created']);
const EMPTY_BODY = { value: '', summary: null } as const;

function wholeBody(sent: JsonValue): JsonValue {
  if (sent === null) return null;
  return isRecord(sent) ? { ...EMPTY_BODY, ...sent } : { ...EMPTY_BODY, value: sent };
}

/** A reader that renders bodies only if the client sent HTML to compare. */
function withHtmlFor(sent: JsonValue, reader: Reader): Reader {
  const [item = null] = [sent].flat() as readonly JsonValue[];
  return isRecord(item) && 'processed' in item ? reader : { ...reader, renderBody: async () => '' };
}

function isSame(
  sent: JsonValue,
  current: JsonValue,
  stored: FieldValue | undefined,
  { kind }: FieldDefinition,
  mode: UpdateMode,
): boolean {
  // References are plain JSON.
  if (kind === 'reference') return sameJson(identifiersIn(sent), identifiersIn(stored ?? null));
  // A body has computed parts, which are not sent.
  if (isRecord(sent) && isRecord(current) && (mode === 'fields' || kind === 'formatted_text')) {
    return Object.entries(sent).every(([name, part]) => sameJson(part, current[name] ?? null));
  }
  return sameJson(sent, current);
}

/** A client need not send what follows from the file. */
function isSameFile(sent: JsonValue, stored: FieldValue | undefined, field: FieldDefinition): boolean {
  const { value, faults } = coerceField(sent, field, { has: () => false });
  return faults.length === 0 && sameValue(field, stored ?? null, value);
}

function identifiersIn(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(identifiersIn);
  return isRecord(value) ? { type: value.type ?? null, id: value.id ?? null } : value;
}

/**
 * Reading returns references without a target under the id `missing`. If a client sends one back, it means the stored
 * reference at that position.
 */
function restoreMissing(sent: JsonValue, stored: FieldValue | undefined, current: JsonValue): JsonValue {
  const names = itemsOf(current);
  const missing = (itemsOf(stored) as readonly Reference[]).flatMap((reference, at) => {
    const { id } = (names[at] ?? reference) as Reference;
    return id === reference.id ? [] : [{ reference, id }];
  });
  const restore = (item: JsonValue): JsonValue => {
    const at = isRecord(item)
      ? missing.findIndex(({ reference, id }) => reference.type === item.type && id === item.id)
      : -1;
    const [restored] = at === -1 ? [] : missing.splice(at, 1);
    return restored === undefined ? item : { type: restored.reference.type, id: restored.reference.id };
  };
  return Array.isArray(sent) ? sent.map(restore) : restore(sent);
}

function itemsOf<T extends JsonValue | FieldValue>(value: T | undefined): readonly T[] {
  return ([value ?? null].flat() as readonly T[]).filter((item) => item !== null);
}

function referencesIn(value: FieldValue | undefined, { kind }: FieldDefinition): readonly Reference[] {
  return kind === 'reference' ? (itemsOf(value) as readonly Reference[]) : [];
}

/** References that an entity has already may stay, even if the actor cannot see their targets. */
function withTargets(targets: KnownEntities, references: readonly Reference[]): KnownEntities {
  const keys = new Set(references.map(referenceKey));
  return { has: (type, id) => targets.has(type, id) || keys.has(referenceKey({ type, id })) };
}

/** A list with more items. Present references are not added again. */
function appended(
  present: readonly FieldValue[],
  items: readonly FieldValue[],
  { kind }: FieldDefinition,
): readonly FieldValue[] {
  if (kind !== 'reference') return [...present, ...items];
  const keys = new Set((present as readonly Reference[]).map(referenceKey));
  const isNew = (key: string) => !keys.has(key) && keys.add(key);
  return [...present, ...(items as readonly Reference[]).filter((item) => isNew(referenceKey(item)))];
}

/** A list of files with more of them. Present files are not added again. */
function withFiles(present: readonly FieldValue[], files: readonly FieldValue[]): readonly FieldValue[] {
  const uris = new Set(present.map(fileUri));
  return [...present, ...files.filter((file) => !uris.has(fileUri(file)))];
}

function fileUri(file: FieldValue): string {
  return (file as FileValue).uri.value;
}

/** Pointers for the items that follow `present` others. */
function pointerAfter(present: number, input: ErrorPlace): EntityInput['pointer'] {
  return ([name = '', at, ...steps]) =>
    typeof at !== 'number' || at < present
      ? input.pointer([name])
      : input.pointer([name, at - present, ...steps]);
}
