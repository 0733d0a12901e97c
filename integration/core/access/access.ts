import type { Entity, ResourceType } from '../content/model.ts';
import { USER_TYPE, USER_TYPE_NAME } from '../content/owner.ts';
import type { FilterNode } from '../engine/ast.ts';
import type { QueryAccess } from '../engine/engine.ts';
import { resolvePolicy } from '../engine/plan/policy-rows.ts';
import type { EntityStore, IndexedStore } from '../engine/store/entity-store.ts';
import { OWNER_PATH } from '../engine/store/slot.ts';
import { BadParameterError } from '../util/errors.ts';
import { ACTIONS, type Action, type ChangeAction, OWNER_FIELD, type SpecialPermission } from './role.ts';
import { hasField, impliesTerms, isPersonal, type Rule, type Term } from './rule.ts';
import type { PublicationFilters } from './schedule.ts';

/** The permissions of an actor. Actors with the same permissions share one object. */
export interface Access extends QueryAccess {
  /**
   * The filter of the entities that the action is allowed on: null for all, false for none. The same object while the
   * filter is valid. Only visible entities can be updated or deleted.
   */
  filterFor(action: Action, type: ResourceType): ActionFilter;
  /** The filter of the entities in which the field can be changed, like `filterFor`. */
  filterForField(type: ResourceType, field: string): ActionFilter;
  /** True if the action is allowed on this entity, which need not be stored. False for an unknown type. */
  allows(action: Action, entity: Entity): boolean;
  /** True if a removed entity, of which only status and owner are known, was certainly visible. */
  couldHaveSeen(entity: Entity): boolean;
  /**
   * True if the actor may set the field on this entity: as it is before an update, or as it will be after a creation.
   * Without an entity: on every entity that the action is allowed on. Always false for a hidden field.
   */
  fieldWritable(type: ResourceType, field: string, action?: ChangeAction, entity?: Entity): boolean;
  /** True for a field that option `bundles` keeps out of the API, for every role. */
  isLeftOut?(type: ResourceType, field: string): boolean;
  has(permission: SpecialPermission): boolean;
}

/** Null matches every entity, false none. */
export type ActionFilter = FilterNode | null | false;

export interface AccessContext {
  readonly store: IndexedStore;
  /** Account name; null if no rule depends on it. */
  readonly name: string | null;
  readonly publication: (type: ResourceType) => PublicationFilters;
  readonly matches: (type: ResourceType, entity: Entity, filter: FilterNode) => boolean;
}

/** Combines rules: an action is allowed if at least one of them allows it. */
export function createAccess(
  rules: readonly Rule[],
  also: ReadonlySet<SpecialPermission>,
  context: AccessContext,
): Access {
  const { store } = context;
  let types = store.types;
  let byType = new Map<ResourceType, TypeRules>();

  function rulesOf(type: ResourceType): TypeRules {
    // Whether a filter applies depends on the types that its paths lead to.
    if (types !== store.types) {
      types = store.types;
      byType = new Map();
    }
    let typeRules = byType.get(type);
    if (typeRules === undefined) {
      typeRules = createTypeRules(type, rules, context);
      byType.set(type, typeRules);
    }
    return typeRules;
  }

  function rulesOfEntity({ type: name }: Entity): TypeRules | undefined {
    const type = store.types.get(name);
    return type && rulesOf(type);
  }

  return {
    visibility(type) {
      const filter = rulesOf(type).filterFor('view');
      return filter === false ? NOTHING : filter;
    },
    fieldVisible: (type, field) => type === USER_TYPE || rulesOf(type).fieldVisible(field),
    ownersShown: () => store.types.has(USER_TYPE_NAME),
    filterFor: (action, type) => rulesOf(type).filterFor(action),
    filterForField: (type, field) => rulesOf(type).filterForField(field),
    allows: (action, entity) => rulesOfEntity(entity)?.allows(action, entity) ?? false,
    couldHaveSeen: (entity) => rulesOfEntity(entity)?.couldHaveSeen(entity) ?? false,
    fieldWritable: (type, field, action = 'update', entity = undefined) =>
      rulesOf(type).fieldWritable(field, action, entity),
    has: (permission) => also.has(permission),
  };
}

/**
 * True if the action is allowed on every entity of the site, all of whose fields the actor may see. Fields that the API leaves out
 * only matter to `view`, because texts about everything could have their values.
 */
export function allowsEverything(
  access: Access,
  action: Action,
  { types }: Pick<EntityStore, 'types'>,
): boolean {
  return [...types.values()].every(
    (type) =>
      access.filterFor('view', type) === null &&
      access.filterFor(action, type) === null &&
      [...type.fields.keys()].every(
        (field) =>
          access.fieldVisible(type, field) || (action !== 'view' && access.isLeftOut?.(type, field) === true),
      ),
  );
}

/** Matches no entity. */
export const NOTHING: FilterNode = { kind: 'group', conjunction: 'OR', members: [] };

type TypeRules = ReturnType<typeof createTypeRules>;

/** The rules that apply to one type. */
function createTypeRules(type: ResourceType, rules: readonly Rule[], context: AccessContext) {
  const { store, name, publication, matches } = context;
  const isNameless = name === null || name === '';
  const applicable = applicableRules(rules, type, store).filter((rule) => !(isNameless && isPersonal(rule)));
  const byAction = new Map(
    ACTIONS.map((action) => [action, applicable.filter(({ actions }) => actions.has(action))]),
  );
  const rulesFor = (action: Action): readonly Rule[] => byAction.get(action) ?? [];
  const visibleFields = new Set(
    [...type.fields.keys()].filter((field) =>
      withStored(type, field).every((name) => grantedByAllRules(rulesFor('view'), 'view', name)),
    ),
  );
  const isVisible = (field: string) =>
    visibleFields.has(field) ||
    (type.former?.has(field) === true && grantedByAllRules(rulesFor('view'), 'view', field));
  const mayChange = ({ change }: Rule, field: string) =>
    withStored(type, field).every((name) => hasField(change, name));
  const filters = new Map<Action, { publication: PublicationFilters; filter: ActionFilter }>();

  function conjunction({ terms }: Rule): FilterNode | null {
    const members = [...terms.values()].map((term) => termFilter(term, publication(type), name));
    return joined('AND', members) ?? null;
  }

  function meets(rule: Rule, entity: Entity): boolean {
    const filter = conjunction(rule);
    return filter === null || matches(type, entity, filter);
  }

  /** Only visible entities can be updated or deleted. */
  const satisfiesView = (action: Action, entity: Entity) =>
    action === 'view' || action === 'create' || rulesFor('view').some((rule) => meets(rule, entity));

  function buildFilter(action: Action, granting = rulesFor(action)): ActionFilter {
    const conjunctions = granting.map(conjunction);
    const filter = conjunctions.includes(null)
      ? null
      : (joined(
          'OR',
          conjunctions.filter((each) => each !== null),
        ) ?? false);
    return action === 'view' || action === 'create' ? filter : both(filterFor('view'), filter);
  }

  function filterFor(action: Action): ActionFilter {
    const current = publication(type);
    const cached = filters.get(action);
    if (cached?.publication === current) return cached.filter;
    const filter = buildFilter(action);
    filters.set(action, { publication: current, filter });
    return filter;
  }

  return {
    filterFor,
    filterForField(field: string): ActionFilter {
      if (!visibleFields.has(field)) return false;
      return buildFilter(
        'update',
        rulesFor('update').filter((rule) => mayChange(rule, field)),
      );
    },
    allows: (action: Action, entity: Entity) =>
      rulesFor(action).some((rule) => meets(rule, entity)) && satisfiesView(action, entity),
    couldHaveSeen: (entity: Entity) =>
      rulesFor('view').some((rule) => {
        const hasFilter = [...rule.terms.values()].some((term) => typeof term !== 'string');
        return !hasFilter && meets(rule, entity);
      }),
    fieldVisible: isVisible,
    fieldWritable(field: string, action: ChangeAction, entity: Entity | undefined): boolean {
      // A client that does not receive a field takes it for missing, and must not empty it.
      if (!isVisible(field)) return false;
      if (entity === undefined) {
        return withStored(type, field).every((name) => grantedByAllRules(rulesFor(action), 'change', name));
      }
      const granting = rulesFor(action).filter((rule) => mayChange(rule, field));
      return granting.some((rule) => meets(rule, entity)) && satisfiesView(action, entity);
    },
  };
}

/** A field, and the one that stores it: a title is the value of that field. */
function withStored({ fields }: ResourceType, name: string): readonly string[] {
  const storedIn = fields.get(name)?.storedIn;
  return storedIn === undefined ? [name] : [name, storedIn];
}

/** Fields that some rule shows but that stay hidden, because other rules show entities without them. */
export function hiddenByOtherRules(
  rules: readonly Rule[],
  type: ResourceType,
  store: EntityStore,
): readonly string[] {
  const views = applicableRules(rules, type, store).filter(({ actions }) => actions.has('view'));
  return [...type.fields.keys()].filter(
    (field) => views.some(({ view }) => hasField(view, field)) && !grantedByAllRules(views, 'view', field),
  );
}

function applicableRules(rules: readonly Rule[], type: ResourceType, store: EntityStore): readonly Rule[] {
  return rules.filter(
    (rule) => rule.types?.has(type.name) !== false && whyInapplicable(rule, type, store) === null,
  );
}

/** Why the conditions of a rule do not apply to a type, so that it allows nothing there; null if they do. */
export function whyInapplicable({ terms }: Rule, type: ResourceType, store: EntityStore): string | null {
  for (const term of terms.values()) {
    if (term === 'own') {
      const owner = type.fields.get(OWNER_FIELD);
      if (owner?.kind !== 'string' || owner.list) {
        return `${type.name} has no field "uid" that holds one name.`;
      }
    } else if (typeof term === 'object') {
      try {
        resolvePolicy(store, type, term);
      } catch (error) {
        if (!(error instanceof BadParameterError)) throw error;
        return error.detail;
      }
    }
  }
  return null;
}

/**
 * True if every rule grants the field, or implies a rule that does. All entities of a type show the same fields, so a
 * field that some of them would lack is hidden on all.
 */
function grantedByAllRules(rules: readonly Rule[], fields: 'view' | 'change', field: string): boolean {
  const granting = rules.filter((rule) => hasField(rule[fields], field));
  return (
    granting.length > 0 &&
    rules.every((rule) => granting.some(({ terms }) => impliesTerms(rule.terms, terms)))
  );
}

function termFilter(term: Term, filters: PublicationFilters, name: string | null): FilterNode {
  if (term === 'own') return { kind: 'condition', path: OWNER_PATH, operator: '=', value: name };
  return typeof term === 'string' ? filters[term] : term;
}

function both(first: ActionFilter, second: ActionFilter): ActionFilter {
  if (first === false || second === false) return false;
  if (first === null || second === null) return first ?? second;
  return { kind: 'group', conjunction: 'AND', members: [first, second] };
}

function joined(conjunction: 'AND' | 'OR', members: readonly FilterNode[]): FilterNode | undefined {
  return members.length < 2 ? members[0] : { kind: 'group', conjunction, members };
}
