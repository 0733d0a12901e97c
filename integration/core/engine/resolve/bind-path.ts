import { isFileRelationship, propertiesOf } from '../../content/file-resource.ts';
import type { FieldDefinition, ResourceType } from '../../content/model.ts';
import { isOwner, isPublicOwner, PUBLIC_OWNER } from '../../content/owner.ts';
import { isUuid } from '../../content/resource-type.ts';
import { closestName, didYouMean } from '../../util/closest-name.ts';
import { BadParameterError } from '../../util/errors.ts';
import type { Search } from '../ast.ts';
import type { QueryAccess } from '../engine.ts';
import { checkLimit, type Limits } from '../limits.ts';
import {
  createPresenceSlot,
  createSlot,
  ID_SLOT,
  OWNER_SLOT,
  POLICY_SLOTS,
  type Slot,
} from '../store/slot.ts';
import type { SearchedFields } from '../text/clauses.ts';
import type { SearchRules } from '../text/words.ts';

/** What a query is resolved against. */
export interface ResolveContext {
  readonly types: ReadonlyMap<string, ResourceType>;
  /** Null for policies, which may use every field. */
  readonly access: QueryAccess | null;
  readonly limits: Limits;
  /** Undefined if full-text search is off. */
  readonly search: (() => SearchCode) | undefined;
  /**
   * The types of a list with several types: a path applies to at least one of them, and is null in the others. Undefined for
   * a list with one type.
   */
  readonly peers?: readonly string[] | undefined;
  /** Counts against the limits. */
  readonly used: { joins: number; textComparisons: number; searchWords: number };
}

/** What resolves a search. */
export interface SearchCode extends SearchRules {
  resolveSearch(
    type: ResourceType,
    search: Omit<Search, 'kind'>,
    parameter: string,
    context: ResolveContext,
  ): readonly SearchedFields[];
}

/** A context for one query. */
export function createResolveContext(
  types: ReadonlyMap<string, ResourceType>,
  access: QueryAccess | null,
  limits: Limits,
  search?: () => SearchCode,
  peers?: readonly string[],
): ResolveContext {
  const used = { joins: 0, textComparisons: 0, searchWords: 0 };
  return { types, access, limits, search, peers, used };
}

/** The first part of a path on one resource type: it ends at a value, or continues through a reference. */
export type PathStep = ValueStep | JoinStep;

export interface ValueStep {
  readonly kind: 'value';
  readonly slot: Slot;
  /** The slot of IS NULL and IS NOT NULL, if it is another one. */
  readonly presence?: Slot;
  /** Position of the only item, from 0; null for any item. */
  readonly delta: number | null;
  /** If only IS NULL and IS NOT NULL apply: the paths to use instead, or an empty string. Else null. */
  readonly nullTestOnly: string | null;
  /** True if a bare number means Unix seconds. */
  readonly unix: boolean;
}

export interface JoinStep {
  readonly kind: 'join';
  readonly slot: Slot;
  readonly delta: number | null;
  /** Resource type names the reference may point to. */
  readonly targets: readonly string[];
  /** The path on the target. */
  readonly rest: readonly string[];
}

export interface PathContext {
  readonly access: QueryAccess | null;
  /** The whole path, for messages. */
  readonly path: string;
  readonly parameter: string;
  /** The value of the condition, or a list. */
  readonly value?: unknown;
  /** The type of the users whom the content describes. */
  readonly users?: ResourceType | undefined;
}

/**
 * Binds the head of a path to a resource type. Throws BadParameterError with the valid choices. Source: Drupal's
 * FieldResolver; `entity` between a reference and its field is optional, and `meta.drupal_internal__target_id` is the id, the number or the
 * machine name.
 */
export function bindStep(type: ResourceType, members: readonly string[], context: PathContext): PathStep {
  const { access } = context;
  const [name = '', ...following] = members === TARGET_ID ? [targetKey(type, context)] : members;
  if (name === 'id' && following.length === 0) return valueStep(ID_SLOT);
  const policySlot = access === null ? POLICY_SLOTS.get(name) : undefined;
  if (policySlot !== undefined) return valueStep(policySlot);
  const isVisible = (field: string) => access === null || access.fieldVisible(type, field);
  const field = type.fields.get(name);
  if (field !== undefined && isOwner(field) && (isVisible(name) || access?.ownersShown?.(type) === true)) {
    const isNamed = isVisible(name) && !isPublicOwner(field);
    return bindOwner(type, field, isNamed, following, context);
  }
  if (field === undefined || !isVisible(name)) {
    const choices = ['id', ...[...type.fields.keys()].filter(isVisible)];
    throw unknownName(context, `${type.name} has no field "${name}"`, name, choices);
  }
  const [first] = following;
  const hasDelta = field.list && first !== undefined && /^\d{1,6}$/.test(first);
  const delta = hasDelta ? Number(first) : null;
  const rest = hasDelta ? following.slice(1) : following;
  if (field.kind === 'reference') {
    return bindReference(createSlot(type, [name], [field]), field, delta, rest, context);
  }
  return isFileRelationship(field)
    ? bindFile(type, field, delta, rest, context)
    : bindValue(type, field, delta, rest, context);
}

/** The field that a condition on the id of a target compares: of whole numbers, of machine names, or the id. */
function targetKey(type: ResourceType, { access, value }: PathContext): string {
  const values = [value].flat().map(String);
  const kind = values.every((each) => /^\d+$/.test(each)) ? 'integer' : 'string';
  const isName = kind === 'integer' || !values.some((each) => value === undefined || isUuid(each));
  return (isName && keyField(type, access, kind)) || 'id';
}

/** The visible field with the number that an entity has in Drupal, or with the machine name, if content keeps it. */
export function keyField(
  type: ResourceType,
  access: QueryAccess | null,
  kind: 'integer' | 'string' = 'integer',
): string | undefined {
  const name = `drupal_internal__${KEYS[type.entityType] ?? 'id'}`;
  const isHidden = access?.fieldVisible(type, name) === false;
  return isHidden || type.fields.get(name)?.kind !== kind ? undefined : name;
}

/** Source: the keys of Drupal's entity types. Configuration has machine names. */
const KEYS: Record<string, string> = {
  comment: 'cid',
  media: 'mid',
  node: 'nid',
  node_type: 'type',
  taxonomy_term: 'tid',
  taxonomy_vocabulary: 'vid',
  user: 'uid',
};
const TARGET_ID: readonly string[] = ['drupal_internal__target_id'];

/** A path to a file and its metadata: its value has all of them. Source: Drupal, for names before and in `meta`. */
function bindFile(
  type: ResourceType,
  field: FieldDefinition,
  delta: number | null,
  members: readonly string[],
  context: PathContext,
): PathStep {
  const [first = '', second = ''] = members;
  const isWrapped = first === 'meta' || first === 'entity';
  const named = first === 'meta' ? META_OF_FILES[second] : undefined;
  const rest = named ? [named] : isWrapped ? members.slice(1) : members;
  return bindValue(type, { ...field, properties: propertiesOf(field) }, delta, rest, context);
}

const META_OF_FILES: Record<string, string> = { drupal_internal__target_id: 'id', description: 'alt' };

/** A path to the owner: the name of the account, if the actor may see it and users have no visible field `name`, or a field of the user. */
function bindOwner(
  type: ResourceType,
  field: FieldDefinition,
  isNamed: boolean,
  members: readonly string[],
  context: PathContext,
): PathStep {
  const { users, access } = context;
  const hasName = users?.fields.has('name') && access?.fieldVisible(users, 'name');
  const isName = members.length === 0 || (members.join() === 'name' && !hasName);
  if (isName && isNamed) return bindValue(type, field, null, [], context);
  if (members.length > 0) return bindReference(OWNER_SLOT, PUBLIC_OWNER, null, members, context);
  throw unknownName(context, `"${field.name}" needs a field after it`, '', [`${field.name}.id`]);
}

function bindReference(
  slot: Slot,
  field: FieldDefinition,
  delta: number | null,
  members: readonly string[],
  context: PathContext,
): PathStep {
  if (members.length === 0) return valueStep(slot, delta, `${context.path}.id or ${context.path}.title`);
  const rest = members[0] === 'entity' ? members.slice(1) : members;
  if (rest.length === 0) {
    throw unknownName(context, '"entity" needs a field after it', '', ['entity.id', 'entity.title']);
  }
  const isTargetId = rest.join('.') === 'meta.drupal_internal__target_id';
  return { kind: 'join', slot, delta, targets: field.targets, rest: isTargetId ? TARGET_ID : rest };
}

function bindValue(
  type: ResourceType,
  field: FieldDefinition,
  delta: number | null,
  members: readonly string[],
  context: PathContext,
): PathStep {
  const definitions = [field];
  let current = field;
  for (const name of members) {
    const property = Object.hasOwn(current.properties, name) ? current.properties[name] : undefined;
    if (property === undefined || (current.kind === 'formatted_text' && name === 'processed')) {
      const path = [field.name, ...members.slice(0, definitions.length - 1)].join('.');
      throw unknownName(context, `${path} has no property "${name}"`, name, queryableProperties(current));
    }
    definitions.push(property);
    current = property;
  }
  if (definitions.filter(({ list }) => list).length > 1) {
    throw new BadParameterError(
      context.parameter,
      `${context.path} is a list inside a list of objects, which filters and sorts cannot distinguish. Name a single property of ${field.name}.`,
    );
  }
  const names = [field.name, ...members];
  const choices = queryableProperties(current).map((property) => [...names, property].join('.'));
  if (current.kind === 'formatted_text') {
    throw new BadParameterError(
      context.parameter,
      `${context.path} is a text with properties. Name one of them: ${choices.join(', ')}.`,
    );
  }
  // A reference inside an object only has null tests: paths continue through fields.
  const slot = createSlot(type, names, definitions);
  const nullTestOnly = slot.kind === 'presence' || current.kind === 'reference' ? choices.join(', ') : null;
  return {
    ...valueStep(slot, delta, nullTestOnly, field.base && UNIX_FIELDS.has(field.name)),
    ...(definitions.some(({ kind }) => kind === 'json') && {
      presence: createPresenceSlot(type, names, definitions),
    }),
  };
}

/** Source: Drupal stores them as Unix seconds, and its clients send them so. */
const UNIX_FIELDS: ReadonlySet<string> = new Set(['created', 'changed']);

function valueStep(
  slot: Slot,
  delta: number | null = null,
  nullTestOnly: string | null = null,
  unix = false,
): ValueStep {
  return { kind: 'value', slot, delta, nullTestOnly, unix };
}

function queryableProperties({ kind, properties }: FieldDefinition): string[] {
  const names = Object.keys(properties);
  return kind === 'formatted_text' ? names.filter((name) => name !== 'processed') : names;
}

function unknownName(
  { path, parameter }: PathContext,
  problem: string,
  name: string,
  choices: readonly string[],
): BadParameterError {
  const guess = didYouMean(closestName(name, choices));
  const valid = choices.length === 0 ? ' It has no properties.' : ` Valid: ${choices.join(', ')}.`;
  const location = path.includes('.') ? ` (in the path ${path})` : '';
  return new BadParameterError(parameter, `${problem}${location}.${guess}${valid}`);
}

/** The target types of a reference that the path on the target applies to. Throws BadParameterError without any. */
export function joinTargets(
  names: readonly string[],
  members: readonly string[],
  at: PathContext,
  context: ResolveContext,
): readonly ResourceType[] {
  let firstMismatch: BadParameterError | undefined;
  const applicable = targetTypes(names, context).filter((type) => {
    const mismatch = findMismatch(type, members, at, context);
    if (mismatch !== null) firstMismatch ??= mismatch;
    return mismatch === null;
  });
  if (applicable.length === 0) throw firstMismatch ?? missingBundle(at);
  return applicable;
}

/** Adds to what the query has used of a limit. Throws BadParameterError beyond it. */
export function consume(
  name: keyof ResolveContext['used'],
  count: number,
  parameter: string,
  { used, limits }: ResolveContext,
): void {
  used[name] += count;
  checkLimit(name, used[name], parameter, limits);
}

export function targetTypes(names: readonly string[], { types }: ResolveContext): ResourceType[] {
  return names.map((name) => types.get(name)).filter((type) => type !== undefined);
}

/**
 * Why a path does not apply to a type; null if it does. A path through references of several types is followed as a
 * set of types, one pass per member, so that the cost of a path is proportional to its length.
 */
function findMismatch(
  type: ResourceType,
  members: readonly string[],
  at: PathContext,
  context: ResolveContext,
): BadParameterError | null {
  let level: readonly PartialPath[] = [{ type, members }];
  for (;;) {
    const next = new Map<string, PartialPath>();
    let mismatch: BadParameterError | null = null;
    for (const partial of level) {
      const step = tryBindStep(partial, at);
      if (step instanceof BadParameterError) mismatch ??= step;
      else if (step.kind === 'value') return null;
      else {
        for (const target of targetTypes(step.targets, context)) {
          next.set(`${target.name} ${step.rest.length}`, { type: target, members: step.rest });
        }
      }
    }
    if (next.size === 0) return mismatch ?? missingBundle(at);
    level = [...next.values()];
  }
}

interface PartialPath {
  readonly type: ResourceType;
  readonly members: readonly string[];
}

function tryBindStep({ type, members }: PartialPath, at: PathContext): PathStep | BadParameterError {
  try {
    return bindStep(type, members, at);
  } catch (error) {
    if (error instanceof BadParameterError) return error;
    throw error;
  }
}

function missingBundle({ path, parameter }: PathContext): BadParameterError {
  return new BadParameterError(parameter, `The path ${path} leads to a bundle that this site does not have.`);
}
