import fc from 'fast-check';
import type { Actor } from '../../integration/core/access/actor.ts';
import type {
  Action,
  FieldNames,
  FilterData,
  Permission,
  Role,
  Roles,
  WhereData,
} from '../../integration/core/access/role.ts';
import type { Entity, FieldValue, ResourceType } from '../../integration/core/content/model.ts';
import type { Condition } from '../../integration/core/engine/ast.ts';
import { conditions, leavesOf } from './arbitraries.ts';
import { isSource, matches } from './evaluate.ts';
import { type Dataset, typeNamed } from './items.ts';
import { TYPES } from './schema.ts';

/** The current instant of all tests; stored schedules are before, at and after it. */
export const NOW = Date.parse('2024-01-12T00:00:00Z');

/** A site's roles and an actor. */
export interface RoleCase {
  readonly roles: Roles;
  readonly actor: Actor;
  /** Filters that stand in `roles` as data, by that data. */
  readonly filters: ReadonlyMap<unknown, Condition>;
}

/** Names that are equal to a collator, one that owns nothing, and null. */
const ACCOUNTS = ['a', 'A', 'á', 'ａ', 'z', 'nobody', ''] as const;

export function roleCases(): fc.Arbitrary<RoleCase> {
  return fc
    .record({
      authenticated: fc.option(permissionLists(), { nil: undefined }),
      one: permissionLists(),
      two: permissionLists(),
      held: fc.subarray(['one', 'two', 'gone']),
      name: fc.constantFrom(...ACCOUNTS),
    })
    .map(({ authenticated, one, two, held, name }) => {
      const roles: Record<string, Role> = { one: roleOf(one), two: roleOf(two) };
      if (authenticated !== undefined) roles.authenticated = roleOf(authenticated);
      const drafts = [...(authenticated ?? []), ...one, ...two];
      const filters = new Map(
        drafts.flatMap((draft) => (draft.filter ? [[draft.filter.data, draft.filter.node]] : [])),
      );
      return { roles, actor: { name, roles: held }, filters };
    });
}

/**
 * True if one of the actor's permissions allows the action on this entity, and the field if one is given; by brute
 * force. Only visible entities can be changed.
 */
export function allowed(
  dataset: Dataset,
  roleCase: RoleCase,
  action: Action,
  entity: Entity,
  field?: string,
): boolean {
  const seen = action === 'view' || permitted(dataset, roleCase, 'view', entity);
  return seen && permitted(dataset, roleCase, action, entity, field);
}

function permitted(
  dataset: Dataset,
  { roles, actor, filters }: RoleCase,
  action: Action,
  entity: Entity,
  field?: string,
): boolean {
  const held = ['authenticated', ...actor.roles].flatMap(
    (name) => (roles[name] ?? BUILT_IN[name])?.permissions ?? [],
  );
  const type = typeNamed(dataset, entity.type);
  return held.some(({ actions, bundles, where = [], fields = {} }) => {
    if (!actions.includes(action) || (bundles !== '*' && !bundles.includes(type.bundle))) return false;
    const terms: readonly WhereData[] = Array.isArray(where) ? where : [where];
    if (!terms.every((term) => meets(dataset, term, filters, actor, type, entity))) return false;
    if (field === undefined) return true;
    const names =
      action === 'view' ? (fields.view ?? { except: [] }) : (fields.change ?? { except: ['uid'] });
    return 'except' in names ? !names.except.includes(field) : names.includes(field);
  });
}

/** Content without the fields that an actor does not see. */
export function withoutFields(
  dataset: Dataset,
  visible: (type: ResourceType, field: string) => boolean,
): Dataset {
  const types = dataset.types.map((type) => ({
    ...type,
    fields: new Map([...type.fields].filter(([name]) => visible(type, name))),
  }));
  const entities = dataset.entities.map((entity): Entity => {
    const type = typeNamed(dataset, entity.type);
    const values = Object.entries(entity.values).filter(([name]) => visible(type, name));
    const kept = Object.assign(Object.create(null) as Record<string, FieldValue>, Object.fromEntries(values));
    return { ...entity, values: kept, body: visible(type, 'body') ? entity.body : null };
  });
  return { ...dataset, types, entities };
}

const BUILT_IN: Roles = {
  authenticated: {
    permissions: [
      { actions: ['view'], bundles: '*', where: 'published' },
      { actions: ['view'], bundles: '*', where: ['unpublished', 'own'] },
    ],
  },
};

function meets(
  dataset: Dataset,
  term: WhereData,
  filters: RoleCase['filters'],
  { name }: Actor,
  type: ResourceType,
  entity: Entity,
): boolean {
  switch (term) {
    case 'published':
      return isPublished(entity);
    case 'unpublished':
      return !isPublished(entity);
    case 'own':
      return type.fields.has('uid') && name !== '' && entity.values.uid === name;
    default: {
      const node = filters.get(term);
      if (node === undefined) throw new Error('The filter is not known.');
      // A condition on a missing field allows nothing.
      if (!leavesOf(type).some(({ path }) => path === node.path)) return false;
      return matches(dataset, node, entity, isSource);
    }
  }
}

function isPublished({ published, values }: Entity): boolean {
  const instant = (value: FieldValue | undefined) => (typeof value === 'string' ? Date.parse(value) : null);
  const from = instant(values.publish_on);
  const until = instant(values.unpublish_on);
  return published && (from === null || from <= NOW) && (until === null || until > NOW);
}

interface Draft {
  readonly permission: Permission;
  readonly filter: FilterTerm | undefined;
}

interface FilterTerm {
  readonly data: FilterData;
  readonly node: Condition;
}

function roleOf(drafts: readonly Draft[]): Role {
  return { permissions: drafts.map(({ permission }) => permission) };
}

function permissionLists(): fc.Arbitrary<readonly Draft[]> {
  return fc.array(permissions(), { maxLength: 3 });
}

function permissions(): fc.Arbitrary<Draft> {
  const words = fc.subarray(['own', 'published', 'unpublished'] as const, { maxLength: 2 });
  return fc
    .record({
      actions: fc.constantFrom<readonly Action[]>(['view'], ['view'], ['update'], ['view', 'update']),
      bundles: fc.oneof(
        fc.constant('*' as const),
        fc.subarray(
          TYPES.map(({ bundle }) => bundle),
          { minLength: 1 },
        ),
      ),
      words,
      filter: fc.option(filterTerms(), { nil: undefined, freq: 2 }),
      view: fc.option(fieldNames(), { nil: undefined, freq: 2 }),
      change: fc.option(fieldNames(), { nil: undefined, freq: 2 }),
    })
    .map(({ actions, bundles, words: some, filter, view, change }) => {
      const where = [...some, ...(filter ? [filter.data] : [])];
      return { permission: { actions, bundles, where, fields: { view, change } }, filter };
    });
}

function fieldNames(): fc.Arbitrary<FieldNames> {
  const all = [...new Set(TYPES.flatMap((type) => [...type.fields.keys()]))];
  return fc.oneof(
    { weight: 3, arbitrary: fc.subarray(all, { maxLength: 6 }).map((except) => ({ except })) },
    { weight: 1, arbitrary: fc.subarray(all, { minLength: 12 }) },
  );
}

function filterTerms(): fc.Arbitrary<FilterTerm> {
  return fc
    .constantFrom(...TYPES)
    .chain((type) => fc.constantFrom(...leavesOf(type).filter(({ hops }) => hops <= 1)))
    .chain(conditions)
    .map((node) => {
      const { path, operator, value } = node;
      const written = value === null ? {} : { value };
      return { data: { term: { condition: { path, operator, ...written } } }, node };
    });
}
