import type { FieldDefinition, ResourceType } from '../content/model.ts';
import { closestName } from '../util/closest-name.ts';
import { BadParameterError } from '../util/errors.ts';
import type { QueryAccess } from './engine.ts';
import { createSlot, ID_SLOT, POLICY_SLOTS, type Slot } from './store/slot.ts';

/** The first part of a path on one resource type: it ends at a value, or goes on through a reference. */
export type PathStep =
  | {
      readonly kind: 'value';
      readonly slot: Slot;
      /** Position of the only item meant, from 0; null for any. */
      readonly delta: number | null;
      /** Only IS NULL and IS NOT NULL can ask about it; the sentence says what to name instead. */
      readonly nullTestOnly: string | null;
      /** Whether a bare number means Unix seconds. */
      readonly unix: boolean;
    }
  | {
      readonly kind: 'hop';
      readonly slot: Slot;
      readonly delta: number | null;
      /** Resource type names the reference may point to. */
      readonly targets: readonly string[];
      /** The path on the target. */
      readonly rest: readonly string[];
    };

export interface PathContext {
  /** Null for filters of our own (policies), which may use every field. */
  readonly access: QueryAccess | null;
  /** The whole path, for messages. */
  readonly path: string;
  readonly parameter: string;
}

/**
 * Binds the head of a path to a resource type. Throws BadParameterError that names the valid choices.
 * Source: Drupal's FieldResolver; `entity` between a reference and its field is optional, and
 * `meta.drupal_internal__target_id` is the id.
 */
export function bindStep(type: ResourceType, segments: readonly string[], context: PathContext): PathStep {
  const [name = '', ...following] = segments;
  if (name === 'id' && following.length === 0) return value(ID_SLOT);
  const policySlot = context.access === null ? POLICY_SLOTS.get(name) : undefined;
  if (policySlot !== undefined) return value(policySlot);
  const field = type.fields.get(name);
  if (field === undefined || (context.access !== null && !context.access.fieldVisible(type, name))) {
    throw unknown(context, `${type.name} has no field "${name}"`, name, visibleFields(type, context.access));
  }
  const { delta, rest } = takeDelta(field, following);
  if (field.kind === 'reference') return bindReference(type, field, delta, rest, context);
  return bindValue(type, field, delta, rest, context);
}

function bindReference(
  type: ResourceType,
  field: FieldDefinition,
  delta: number | null,
  rest: readonly string[],
  context: PathContext,
): PathStep {
  const slot = createSlot(type, [field.name], [field]);
  if (rest.length === 0) return value(slot, delta, `${context.path}.id or ${context.path}.title`);
  const beyond = rest[0] === 'entity' ? rest.slice(1) : rest;
  const target = beyond.join('.') === 'meta.drupal_internal__target_id' ? ['id'] : beyond;
  if (target.length === 0)
    throw unknown(context, '"entity" needs a field after it', '', ['entity.id', 'entity.title']);
  return { kind: 'hop', slot, delta, targets: field.targets, rest: target };
}

function bindValue(
  type: ResourceType,
  field: FieldDefinition,
  delta: number | null,
  rest: readonly string[],
  context: PathContext,
): PathStep {
  const names = [field.name];
  const definitions = [field];
  let current = field;
  for (const name of rest) {
    const property = Object.hasOwn(current.properties, name) ? current.properties[name] : undefined;
    if (property === undefined || (current.kind === 'formatted_text' && name === 'processed')) {
      throw unknown(
        context,
        `${names.join('.')} has no property "${name}"`,
        name,
        queryableProperties(current),
      );
    }
    names.push(name);
    definitions.push(property);
    current = property;
  }
  if (definitions.filter(({ list }) => list).length > 1) {
    throw new BadParameterError(
      context.parameter,
      `${context.path} is a list inside a list of objects, which filters and sorts cannot tell apart. Name a single property of ${field.name}.`,
    );
  }
  const nullTestOnly = current.kind in OPAQUE ? properties(names.join('.'), current) : null;
  if (current.kind === 'formatted_text') {
    throw new BadParameterError(
      context.parameter,
      `${context.path} is a text with properties. Name one of them: ${nullTestOnly}.`,
    );
  }
  // A reference inside an object can only be asked whether it is there; paths go on through fields.
  const slot = createSlot(type, names, definitions);
  return value(slot, delta, nullTestOnly, field.base && UNIX_FIELDS.has(field.name));
}

const OPAQUE = {
  object: true,
  json: true,
  formatted_text: true,
  image: true,
  file: true,
  reference: true,
} as const;
/** Source: Drupal stores them as Unix seconds, so its clients send them so. */
const UNIX_FIELDS: ReadonlySet<string> = new Set(['created', 'changed']);

function takeDelta(
  field: FieldDefinition,
  following: readonly string[],
): { delta: number | null; rest: readonly string[] } {
  const [first] = following;
  if (!field.list || first === undefined || !/^\d{1,6}$/.test(first)) return { delta: null, rest: following };
  return { delta: Number(first), rest: following.slice(1) };
}

function value(
  slot: Slot,
  delta: number | null = null,
  nullTestOnly: string | null = null,
  unix = false,
): PathStep {
  return { kind: 'value', slot, delta, nullTestOnly, unix };
}

function visibleFields(type: ResourceType, access: QueryAccess | null): string[] {
  const names = [...type.fields.keys()].filter((name) => access === null || access.fieldVisible(type, name));
  return ['id', ...names];
}

function queryableProperties(definition: FieldDefinition): string[] {
  const names = Object.keys(definition.properties);
  return definition.kind === 'formatted_text' ? names.filter((name) => name !== 'processed') : names;
}

function properties(path: string, definition: FieldDefinition): string {
  return queryableProperties(definition)
    .map((name) => `${path}.${name}`)
    .join(', ');
}

function unknown(
  context: PathContext,
  problem: string,
  name: string,
  choices: readonly string[],
): BadParameterError {
  const near = closestName(name, choices);
  const guess = near === undefined ? '' : ` Did you mean "${near}"?`;
  const valid = choices.length === 0 ? ' It has no properties.' : ` Valid: ${choices.join(', ')}.`;
  const where = context.path.includes('.') ? `${problem} (in the path ${context.path})` : problem;
  return new BadParameterError(context.parameter, `${where}.${guess}${valid}`);
}
