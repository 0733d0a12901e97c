import type { Entity, FieldDefinition, Reference, ResourceType } from '../entities/model.ts';
import { BadParameterError } from '../errors.ts';
import type { QueryAccess } from '../query/engine.ts';
import { referencesOf } from './serialize.ts';
import type { Services } from './services.ts';

/** Include paths with common beginnings joined: `a,a.b` is `{a: {b: {}}}`. */
export type IncludeTree = ReadonlyMap<string, IncludeTree>;

export interface Included {
  /** By include path, then first appearance; no entity twice, none of the primary ones. */
  readonly entities: readonly Entity[];
  /** Existing targets that the actor may not see. */
  readonly omitted: readonly Reference[];
}

/**
 * Checks include paths against the fields that this actor may see and joins them. Throws BadParameterError
 * that names the reference fields there are. On several types (a polymorphic reference) one must have the field.
 */
export function includeTree(
  services: Services,
  access: QueryAccess,
  type: ResourceType,
  paths: readonly string[],
): IncludeTree {
  const root: MutableTree = new Map();
  for (const path of paths) {
    let types: readonly ResourceType[] = [type];
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

/** Follows the tree from the primary entities. Entities on the way to an included one are included too. */
export async function resolveIncludes(
  services: Services,
  access: QueryAccess,
  primary: readonly Entity[],
  tree: IncludeTree,
): Promise<Included> {
  const known = new Set(primary);
  const entities: Entity[] = [];
  const omitted = new Map<string, Reference>();

  async function follow(sources: readonly Entity[], level: IncludeTree): Promise<void> {
    for (const [name, deeper] of level) {
      const targets = new Set<Entity>();
      for (const source of sources) {
        if (!hasVisibleField(services, access, source, name)) continue;
        for (const reference of referencesOf(source.values[name])) {
          const target = services.store.get(reference.type, reference.id);
          if (target === undefined) continue;
          if (await services.engine.visible(reference.type, reference.id, access)) targets.add(target);
          else omitted.set(`${reference.type}:${reference.id}`, reference);
        }
      }
      for (const target of targets) {
        if (known.has(target)) continue;
        known.add(target);
        entities.push(target);
      }
      if (targets.size > 0) await follow([...targets], deeper);
    }
  }

  await follow(primary, tree);
  return { entities, omitted: [...omitted.values()] };
}

function hasVisibleField(services: Services, access: QueryAccess, entity: Entity, name: string): boolean {
  const type = services.store.types.get(entity.type);
  return type !== undefined && references(access, type).some((field) => field.name === name);
}

function references(access: QueryAccess, type: ResourceType): FieldDefinition[] {
  return [...type.fields.values()].filter(
    (field) => field.kind === 'reference' && access.fieldVisible(type, field.name),
  );
}

function targetTypes(services: Services, fields: readonly FieldDefinition[]): ResourceType[] {
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
