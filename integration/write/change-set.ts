import { dequal } from 'dequal/lite';
import { isPublicationFlag } from '../content/decode/publication.ts';
import type { KnownEntities } from '../content/decode/references.ts';
import type { FieldChanges } from '../content/encode/encode-file.ts';
import type { Entity, FieldDefinition, FieldValue, Reference, ResourceType } from '../content/model.ts';
import type { Reader } from '../read/reader.ts';
import { serializeField } from '../read/shown.ts';
import { ForbiddenError, type Violation } from '../util/errors.ts';
import { isRecord, type JsonValue } from '../util/json.ts';
import { coerceField } from './coerce.ts';
import { coerceBody } from './coerce-body.ts';
import { SET_BY_WRITES } from './permissions.ts';
import type { EntityInput, Writer } from './writer.ts';

export interface ChangeDeps {
  /** Which entities the actor may refer to. */
  readonly known: KnownEntities;
  /** A field as reading answers it: a reference as its identifiers. */
  readonly reader: Reader;
}

/** What an input asks for, as far as it can be, and what is wrong with the rest. */
export interface ReadChanges {
  readonly changes: FieldChanges;
  readonly violations: readonly Violation[];
  /** References to what is not there, or not for the eyes of the actor. */
  readonly missing: readonly Violation[];
  /** The fields that something is wrong with, by public name. They are not among the changes. */
  readonly faulty: ReadonlySet<string>;
  /** Where in the request a value stands. */
  readonly pointer: EntityInput['pointer'];
}

/**
 * The changes that an input asks for. What was sent as reading answered it is no change, so that a client may send back
 * all that it got. Throws a 403 for a field that the actor may see but not change.
 */
export async function readChanges(
  { access }: Pick<Writer, 'access'>,
  type: ResourceType,
  before: Entity | null,
  input: EntityInput,
  deps: ChangeDeps,
  /** Whether an object that was sent says all of what is to be, or only what is to change of it. */
  objects: 'all of it' | 'parts' = 'parts',
): Promise<ReadChanges> {
  const violations: Violation[] = [...input.violations];
  const missing: Violation[] = [];
  const faulty = new Set<string>();
  const changes: Record<string, FieldValue> = Object.create(null);
  const isWritable = (name: string) =>
    before === null
      ? access.fieldWritable(type, name, 'create')
      : access.fieldWritable(type, name, 'update', before);
  // A declared flag such as `draft` decides about the status too.
  const mayGive = (name: string) => isWritable(name) && (!isPublicationFlag(name) || isWritable('status'));
  for (const [name, sent] of input.values) {
    const field = type.fields.get(name);
    if (field === undefined) throw new Error(`${type.name} has no field '${name}'.`);
    const shown = before === null ? null : await serializeField(deps.reader, before, field);
    if (before !== null && isAsShown(sent, shown, before, field, objects)) continue;
    if (SET_BY_WRITES.has(name) || !mayGive(name)) throw notWritable(name, input);
    const held = before === null ? [] : heldReferences(before.values[name], shown);
    const heldNames = new Set(held.map((each) => `${each.type} ${each.id}`));
    const known: KnownEntities = {
      has: (target, id) => deps.known.has(target, id) || heldNames.has(`${target} ${id}`),
    };
    const { value, faults } =
      field.kind === 'formatted_text'
        ? coerceBody(sent, shown, field)
        : coerceField(field.kind === 'reference' ? withHeld(sent, held) : sent, field, known);
    for (const { path, detail, missing: absent } of faults) {
      const violation = { detail, source: { pointer: input.pointer([name, ...path]) } };
      (absent ? missing : violations).push(violation);
    }
    // A title of blanks alone is none: reading would take another.
    const isUntitled =
      name === 'title' && faults.length === 0 && (typeof value !== 'string' || value.trim() === '');
    if (isUntitled) violations.push(titleMissing(input));
    if (isUntitled || faults.length > 0) faulty.add(name);
    else changes[name] = value;
  }
  return { changes, violations, missing, faulty, pointer: input.pointer };
}

export function titleMissing({ pointer }: Pick<EntityInput, 'pointer'>): Violation {
  return { detail: 'A title is needed.', source: { pointer: pointer(['title']) } };
}

export function notWritable(name: string, { pointer }: Pick<EntityInput, 'pointer'>): ForbiddenError {
  return new ForbiddenError(`You may not change \`${name}\`.`, { pointer: pointer([name]) });
}

/** References may be named as they are, or as `shown` names those whose target is missing. */
function isAsShown(
  sent: JsonValue,
  shown: JsonValue,
  { values }: Entity,
  { kind, name }: FieldDefinition,
  objects: 'all of it' | 'parts',
): boolean {
  if (kind === 'reference') {
    const named = identifiersOf(sent);
    // References are plain JSON.
    const own = (values[name] ?? null) as JsonValue;
    return dequal(named, identifiersOf(shown)) || dequal(named, identifiersOf(own));
  }
  // Parts of a body that are not sent are computed.
  if (isRecord(sent) && isRecord(shown) && (objects === 'parts' || kind === 'formatted_text')) {
    return Object.entries(sent).every(([name, part]) => dequal(part, shown[name]));
  }
  return dequal(sent, shown);
}

function identifiersOf(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(identifiersOf);
  return isRecord(value) ? { type: value.type ?? null, id: value.id ?? null } : value;
}

/** References as a client names them, with those that reading calls otherwise as they stand there. */
export function asHeld(sent: JsonValue, value: FieldValue | undefined, shown: JsonValue): JsonValue {
  return withHeld(sent, heldReferences(value, shown));
}

/** The references that a field holds, each with the id by which reading calls it. */
function heldReferences(value: FieldValue | undefined, shown: JsonValue): readonly Held[] {
  const names = [shown].flat() as readonly JsonValue[];
  return ([value ?? null].flat() as readonly (Reference | null)[]).flatMap((reference, at) => {
    const name = names[at] ?? null;
    return reference === null ? [] : [{ ...reference, called: isRecord(name) ? name.id : undefined }];
  });
}

type Held = Reference & { readonly called: JsonValue | undefined };

/** Sent back under the name by which reading calls it, `missing`, a reference is still the one that stands there. */
function withHeld(sent: JsonValue, held: readonly Held[]): JsonValue {
  const left = held.filter(({ id, called }) => called !== id);
  const item = (each: JsonValue): JsonValue => {
    const at = isRecord(each)
      ? left.findIndex(({ type, called }) => type === each.type && called === each.id)
      : -1;
    const [found] = at === -1 ? [] : left.splice(at, 1);
    return found === undefined ? each : { type: found.type, id: found.id };
  };
  return Array.isArray(sent) ? sent.map(item) : item(sent);
}
