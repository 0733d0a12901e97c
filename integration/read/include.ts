import type { Entity, FieldDefinition, Reference, ResourceType } from '../content/model.ts';
import type { QueryAccess } from '../engine/engine.ts';
import { beyondLimit, type Limits } from '../engine/limits.ts';
import { BadParameterError } from '../util/errors.ts';
import type { Production } from './production.ts';
import type { Reader } from './reader.ts';
import { referencesOf } from './serialize.ts';

/** Include paths with common beginnings joined: `a,a.b` is `{a: {b: {}}}`. */
export type IncludeTree = ReadonlyMap<string, IncludeTree>;

export interface Included {
  /** By include path, then first appearance; no entity twice, none of the primary ones. */
  readonly entities: readonly Entity[];
  /** Existing targets that the actor may not see. */
  readonly omitted: readonly Reference[];
}

export interface IncludeOptions {
  /** Whether an answer of any size was asked for. */
  readonly whole?: boolean;
  /** Entities that the document has anyway: those followed, unless told otherwise. */
  readonly primary?: readonly Entity[];
  readonly work?: Pick<Production, 'pause'> | undefined;
}

/**
 * Checks include paths against the fields that this actor may see and joins them. Throws BadParameterError
 * that names the reference fields there are. On several types (a reference to any of them) one must have the field.
 */
export function includeTree(
  services: Reader,
  access: QueryAccess,
  roots: readonly ResourceType[],
  paths: readonly string[],
): IncludeTree {
  const root: MutableTree = new Map();
  for (const path of paths) {
    let types = roots;
    let tree = root;
    for (const name of path.split('.')) {
      const fields = types.flatMap((each) => references(access, each).filter((field) => field.name === name));
      if (fields.length === 0) throw unknownPath(access, path, name, types);
      types = targetTypes(services, fields);
      const child: MutableTree = tree.get(name) ?? new Map();
      tree.set(name, child);
      tree = child;
    }
  }
  return root;
}

/**
 * Follows the tree from some entities. Entities on the way to an included one are included too. Throws
 * BadParameterError where the paths lead to more than the limits allow.
 */
export async function resolveIncludes(
  services: Reader,
  access: QueryAccess,
  from: readonly Entity[],
  tree: IncludeTree,
  { whole = false, primary = from, work }: IncludeOptions = {},
): Promise<Included> {
  const targetsOf = createTargets(services, access);
  const known = new Set(primary);
  const entities: Entity[] = [];
  const omitted = new Map<string, Reference>();
  const { included, includeReferences } = services.settings.limits;
  const most = whole ? Number.POSITIVE_INFINITY : included;
  let followed = 0;

  async function follow(sources: Iterable<Entity>, level: IncludeTree): Promise<void> {
    for (const [name, deeper] of level) {
      const targets = new Set<Entity>();
      for (const source of sources) {
        const pointed = targetsOf(source, name);
        const { seen, unseen } = pointed instanceof Promise ? await pointed : pointed;
        followed += seen.length + unseen.length;
        for (const target of seen) targets.add(target);
        for (const reference of unseen) omitted.set(`${reference.type}:${reference.id}`, reference);
        if (followed > includeReferences) throw tooMuch('includeReferences', includeReferences, 'references');
        const pause = work?.pause();
        if (pause !== undefined) await pause;
      }
      for (const target of targets) {
        if (known.has(target)) continue;
        known.add(target);
        entities.push(target);
      }
      if (entities.length + omitted.size > most) throw tooMuch('included', most, 'entities');
      if (targets.size > 0 && deeper.size > 0) await follow(targets, deeper);
    }
  }

  await follow(from, tree);
  return { entities, omitted: [...omitted.values()] };
}

/** Where the references of an entity's field lead; found once, however many paths come by. */
export function createTargets(
  services: Reader,
  access: QueryAccess,
): (source: Entity, name: string) => Targets | Promise<Targets> {
  const byField = new Map<string, Map<Entity, Targets>>();
  const visibleFields = new Map<string, ReadonlySet<string>>();

  function hasField(source: Entity, name: string): boolean {
    let names = visibleFields.get(source.type);
    if (names === undefined) {
      const type = services.store.types.get(source.type);
      names = new Set(type === undefined ? [] : references(access, type).map((field) => field.name));
      visibleFields.set(source.type, names);
    }
    return names.has(name);
  }

  function find(source: Entity, name: string, found: Map<Entity, Targets>): Targets | Promise<Targets> {
    const existing: Existing[] = [];
    const visible: (boolean | Promise<boolean>)[] = [];
    let waits = false;
    for (const reference of referencesOf(source.values[name])) {
      const entity = services.store.get(reference.type, reference.id);
      if (entity === undefined) continue;
      const answer = services.engine.visible(reference.type, reference.id, access);
      existing.push({ reference, entity });
      visible.push(answer);
      waits ||= answer instanceof Promise;
    }
    const divide = (answers: readonly (boolean | Promise<boolean>)[]): Targets => {
      const targets: { seen: Entity[]; unseen: Reference[] } = { seen: [], unseen: [] };
      for (const [at, { entity, reference }] of existing.entries()) {
        if (answers[at] === true) targets.seen.push(entity);
        else targets.unseen.push(reference);
      }
      found.set(source, targets);
      return targets;
    };
    return waits ? Promise.all(visible).then(divide) : divide(visible);
  }

  return (source, name) => {
    let found = byField.get(name);
    if (found === undefined) {
      found = new Map();
      byField.set(name, found);
    }
    return found.get(source) ?? (hasField(source, name) ? find(source, name, found) : NOWHERE);
  };
}

function tooMuch(name: keyof Limits, limit: number, what: string): BadParameterError {
  return beyondLimit(
    'include',
    name,
    `Include less, or ask for smaller pages: these paths lead to more than ${limit} ${what} from here`,
  );
}

const NOWHERE: Targets = { seen: [], unseen: [] };

interface Existing {
  readonly reference: Reference;
  readonly entity: Entity;
}

interface Targets {
  readonly seen: readonly Entity[];
  /** Existing targets that the actor may not see. */
  readonly unseen: readonly Reference[];
}

export function references(access: QueryAccess, type: ResourceType): FieldDefinition[] {
  return [...type.fields.values()].filter(
    (field) => field.kind === 'reference' && access.fieldVisible(type, field.name),
  );
}

export function targetTypes(services: Reader, fields: readonly FieldDefinition[]): ResourceType[] {
  const names = new Set(fields.flatMap((field) => field.targets));
  return [...names].flatMap((name) => services.store.types.get(name) ?? []);
}

function unknownPath(
  access: QueryAccess,
  path: string,
  name: string,
  types: readonly ResourceType[],
): BadParameterError {
  const possible = new Set(types.flatMap((type) => references(access, type).map((field) => field.name)));
  const where = types.map((type) => type.name).join(', ') || 'its target';
  return new BadParameterError(
    'include',
    `'${path}' cannot be included: ${where} has no reference '${name}'. ${
      possible.size === 0 ? 'It has no references.' : `References: ${[...possible].join(', ')}.`
    }`,
  );
}

type MutableTree = Map<string, MutableTree>;
