import {
  fileEntity,
  filesInField,
  isFileRelationship,
  isRelationship,
  targetsOf,
  UNSTORED_TYPES,
} from '../content/file-resource.ts';
import type { Entity, FieldDefinition, Reference, ResourceType } from '../content/model.ts';
import { isOwner, isPublicOwner, PUBLIC_OWNER, USER_TYPE_NAME, userNamed } from '../content/owner.ts';
import type { QueryAccess } from '../engine/engine.ts';
import { beyondLimit, type Limits } from '../engine/limits.ts';
import { collectErrors } from '../util/collect-errors.ts';
import { BadParameterError } from '../util/errors.ts';
import { allValues, mapValue } from '../util/maybe-promise.ts';
import { digestText } from '../util/revision.ts';
import type { Link, Omitted } from './document-types.ts';
import type { DocumentContext, Reader } from './reader.ts';
import type { ResponseWork } from './response-limiter.ts';
import { isKnown, referencesIn } from './serialize.ts';
import { documentFields } from './sparse-fields.ts';

/** Include paths as a tree: `a,a.b` is `{a: {b: {}}}`. */
export type IncludeTree = ReadonlyMap<string, IncludeTree>;

export interface Included {
  /** By include path, then first appearance. Without duplicates and primary entities. */
  readonly entities: readonly Entity[];
  /** Hidden targets. */
  readonly omitted: readonly Reference[];
}

export interface IncludeOptions {
  /** True for a response without limits. */
  readonly whole?: boolean;
  /** Entities that the document has already: `from` by default. */
  readonly primary?: readonly Entity[];
  readonly work?: Pick<ResponseWork, 'pause'> | undefined;
}

/**
 * Parses include paths. Each name must be a visible reference of at least one of the types. Throws BadParameterError, which
 * lists the valid names.
 */
export function includeTree(
  services: Reader,
  access: QueryAccess,
  roots: readonly ResourceType[],
  paths: readonly string[],
  fieldsOf = references,
): IncludeTree {
  const root: MutableTree = new Map();
  const add = (path: string) => {
    let types = roots;
    let tree = root;
    for (const name of path.split('.')) {
      const fields = types.flatMap((each) => fieldsOf(access, each).filter((field) => field.name === name));
      // Drupal's clients ask for owners everywhere, and for what only Drupal knows about them.
      const isExpected =
        name === PUBLIC_OWNER.name
          ? types.some((type) => UNSTORED_TYPES.get(type.name) !== type)
          : OF_USERS.includes(name) && types.some((type) => type.name === USER_TYPE_NAME);
      if (fields.length === 0 && isExpected && fieldsOf === references) return;
      if (fields.length === 0) throw unknownPath(access, path, name, types, fieldsOf);
      types = targetTypes(services, fields);
      const child: MutableTree = tree.get(name) ?? new Map();
      tree.set(name, child);
      tree = child;
    }
  };
  collectErrors(...paths.map((path) => () => add(path)));
  return root;
}

/**
 * Finds the entities to include. Entities on the way to an included one are included too. Throws BadParameterError beyond the
 * limits.
 */
export async function resolveIncludes(
  services: Reader,
  access: QueryAccess,
  from: readonly Entity[],
  tree: IncludeTree,
  { whole = false, primary = from, work }: IncludeOptions = {},
): Promise<Included> {
  const targetsOf = createTargets(services, access);
  const visited = new Set(primary);
  const entities: Entity[] = [];
  const omitted = new Map<string, Reference>();
  const { included, includeReferences } = services.settings.limits;
  const maxEntities = whole ? Number.POSITIVE_INFINITY : included;
  let followed = 0;

  async function follow(sources: Iterable<Entity>, level: IncludeTree): Promise<void> {
    for (const [name, deeper] of level) {
      const targets = new Set<Entity>();
      for (const source of sources) {
        const found = targetsOf(source, name);
        // An engine that loads files loads those of all sources together.
        if (found instanceof Promise) await Promise.all([...sources].map((each) => targetsOf(each, name)));
        const { seen, unseen } = found instanceof Promise ? await found : found;
        followed += seen.length + unseen.length;
        for (const target of seen) targets.add(target);
        for (const reference of unseen) omitted.set(`${reference.type}:${reference.id}`, reference);
        if (followed > includeReferences) throw tooMuch('includeReferences', includeReferences, 'references');
        const pause = work?.pause();
        if (pause !== undefined) await pause;
      }
      for (const target of targets) {
        if (visited.has(target)) continue;
        visited.add(target);
        entities.push(target);
      }
      if (entities.length + omitted.size > maxEntities) throw tooMuch('included', maxEntities, 'entities');
      await follow(targets, deeper);
    }
  }

  await follow(from, tree);
  return { entities, omitted: [...omitted.values()] };
}

/** Finds the targets of a field of an entity. Results are cached. */
export function createTargets(
  services: Reader,
  access: QueryAccess,
): (source: Entity, name: string) => Targets | Promise<Targets> {
  const byField = new Map<string, Map<Entity, Targets>>();
  const fieldsByType = new Map<string, ReadonlyMap<string, FieldDefinition>>();
  const unstored = new Map<string, Entity>();

  function fieldOf(source: Entity, name: string): FieldDefinition | undefined {
    let fields = fieldsByType.get(source.type);
    if (fields === undefined) {
      const type = services.store.types.get(source.type);
      fields = new Map(
        type === undefined ? [] : references(access, type).map((field) => [field.name, field]),
      );
      fieldsByType.set(source.type, fields);
    }
    return fields.get(name);
  }

  /** One object for each file, and for each user without one. */
  function once(entity: Entity): Entity {
    const known = unstored.get(entity.id) ?? entity;
    unstored.set(entity.id, known);
    return known;
  }

  function find(
    source: Entity,
    field: FieldDefinition,
    results: Map<Entity, Targets>,
  ): Targets | Promise<Targets> {
    const { store, engine } = services;
    const value = source.values[field.name];
    const references = referencesIn(value, field);
    const existing = references.filter((reference) => isKnown(store, reference, field));
    const isBare = existing.length < references.length && isOwner(field) && !isPublicOwner(field);
    const divide = (answers: readonly (Entity | undefined)[]): Targets => {
      const bare = isBare ? [once(userNamed(String(value)))] : [];
      const targets: Targets = {
        seen: [...bare, ...answers.filter((entity) => entity !== undefined)],
        unseen: existing.filter((_, at) => answers[at] === undefined),
      };
      results.set(source, targets);
      return targets;
    };
    return mapValue(allValues(existing.map(({ type, id }) => engine.find(type, id, access))), divide);
  }

  return (source, name) => {
    const results: Map<Entity, Targets> = byField.get(name) ?? new Map();
    byField.set(name, results);
    const known = results.get(source);
    if (known !== undefined) return known;
    const field = fieldOf(source, name);
    if (field === undefined) return { seen: [], unseen: [] };
    if (!isFileRelationship(field)) return find(source, field, results);
    // Actors that can see a field can see its files.
    return { seen: filesInField(source.values[name]).map((value) => once(fileEntity(value))), unseen: [] };
  };
}

function tooMuch(name: keyof Limits, limit: number, what: string): BadParameterError {
  return beyondLimit(
    'include',
    name,
    `Include less, or ask for smaller pages: these paths lead to more than ${limit} ${what} from here`,
  );
}

interface Targets {
  readonly seen: readonly Entity[];
  /** Existing targets that the actor may not see. */
  readonly unseen: readonly Reference[];
}

/** The visible fields that are relationships. */
export function references(access: QueryAccess, type: ResourceType): FieldDefinition[] {
  return documentFields(type, access).filter(isRelationship);
}

/** The same without files, which plain JSON has in the entity. */
export function entityReferences(access: QueryAccess, type: ResourceType): FieldDefinition[] {
  return references(access, type).filter((field) => field.kind === 'reference' && !isOwner(field));
}

export function targetTypes(services: Reader, fields: readonly FieldDefinition[]): ResourceType[] {
  const names = new Set(fields.flatMap(targetsOf));
  return [...names].flatMap((name) => services.store.types.get(name) ?? UNSTORED_TYPES.get(name) ?? []);
}

function unknownPath(
  access: QueryAccess,
  path: string,
  name: string,
  types: readonly ResourceType[],
  fieldsOf: typeof references,
): BadParameterError {
  const possible = new Set(types.flatMap((type) => fieldsOf(access, type).map((field) => field.name)));
  const where = types.map((type) => type.name).join(', ') || 'its target';
  return new BadParameterError(
    'include',
    `'${path}' cannot be included: ${where} has no reference '${name}'. ${
      possible.size === 0 ? 'It has no references.' : `References: ${[...possible].join(', ')}.`
    }`,
  );
}

const OF_USERS: readonly string[] = ['roles', 'user_picture'];

type MutableTree = Map<string, MutableTree>;

/**
 * `meta.omitted` in Drupal's form: a help link and an `item--…` link for each hidden resource. The identifiers in the
 * relationships reveal as much.
 */
export function omittedMember(context: DocumentContext, omitted: readonly Reference[]): Omitted | undefined {
  if (omitted.length === 0) return undefined;
  const links: Record<string, Link> = { help: { href: HELP } };
  for (const { type: name, id } of omitted) {
    const type = context.services.store.types.get(name);
    const href = type === undefined ? undefined : context.links.omitted(type, id);
    if (href !== undefined)
      links[`item--${digestText(`${name}/${id}`)}`] = { href, meta: { rel: 'item', detail: DETAIL } };
  }
  return { detail: 'Some related resources are left out, because you may not see them.', links };
}

/** Druxt reads this in each link except `help`. */
const DETAIL = 'You may not see this resource.';

const HELP = 'https://www.drupal.org/docs/8/modules/json-api/filtering#filters-access-control';
