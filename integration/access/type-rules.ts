import type { Entity, ResourceType } from '../content/model.ts';
import type { FilterNode } from '../engine/ast.ts';
import { resolvePolicy } from '../engine/policy-rows.ts';
import type { IndexedStore } from '../engine/store/entity-store.ts';
import { OWNER_PATH } from '../engine/store/slot.ts';
import type { EntityStore } from '../engine/store/store.ts';
import { BadParameterError } from '../util/errors.ts';
import { hasField } from './field-set.ts';
import type { PublicationFilters } from './publication.ts';
import { ACTIONS, type Action, type ChangeAction, OWNER_FIELD } from './role.ts';
import { impliesTerms, isPersonal, type Rule, type Term } from './rule.ts';

/** Rules on the entities of one type. */
export interface TypeRules {
  filter(action: Action): FilterNode | null | false;
  allows(action: Action, entity: Entity): boolean;
  couldSee(entity: Entity): boolean;
  fieldVisible(field: string): boolean;
  fieldWritable(field: string, action: ChangeAction, entity: Entity | undefined): boolean;
}

export interface RuleContext {
  readonly store: IndexedStore;
  /** Account name; null where no rule asks for it. */
  readonly name: string | null;
  readonly publication: (type: ResourceType) => PublicationFilters;
  readonly matches: (type: ResourceType, entity: Entity, filter: FilterNode) => boolean;
}

export function createTypeRules(type: ResourceType, rules: readonly Rule[], context: RuleContext): TypeRules {
  const { store, name } = context;
  const nameless = name === null || name === '';
  const fitting = fittingRules(rules, type, store).filter((rule) => !(nameless && isPersonal(rule)));
  const byAction = new Map<Action, readonly Rule[]>(
    ACTIONS.map((action) => [action, fitting.filter(({ actions }) => actions.has(action))]),
  );
  const rulesFor = (action: Action) => byAction.get(action) ?? [];
  const visible = new Set(
    [...type.fields.keys()].filter((field) => everywhere(rulesFor('view'), 'view', field)),
  );
  const kept = new Map<Action, KeptFilter>();

  function meets({ terms }: Rule, entity: Entity): boolean {
    const filter = conjunction(terms, type, context);
    return filter === null || context.matches(type, entity, filter);
  }

  /** What is acted on besides being seen or created has to be seen. */
  const reaches = (action: Action, entity: Entity) =>
    action === 'view' || action === 'create' || rulesFor('view').some((rule) => meets(rule, entity));

  function filterOf(action: Action): FilterNode | null | false {
    const filter = disjunction(rulesFor(action).map(({ terms }) => conjunction(terms, type, context)));
    return action === 'view' || action === 'create' ? filter : both(filterFor('view'), filter);
  }

  function filterFor(action: Action): FilterNode | null | false {
    const publication = context.publication(type);
    const known = kept.get(action);
    if (known?.publication === publication) return known.filter;
    const filter = filterOf(action);
    kept.set(action, { publication, filter });
    return filter;
  }

  return {
    filter: filterFor,
    allows: (action, entity) =>
      rulesFor(action).some((rule) => meets(rule, entity)) && reaches(action, entity),
    couldSee: (entity) =>
      rulesFor('view').some((rule) => {
        const isPlain = [...rule.terms.values()].every((term) => typeof term === 'string');
        return isPlain && meets(rule, entity);
      }),
    fieldVisible: (field) => visible.has(field),
    fieldWritable(field, action, entity) {
      // Whoever is answered without a field takes it for one that is not there, and may not empty it.
      if (!visible.has(field)) return false;
      if (entity === undefined) return everywhere(rulesFor(action), 'change', field);
      const having = rulesFor(action).filter(({ change }) => hasField(change, field));
      return having.some((rule) => meets(rule, entity)) && reaches(action, entity);
    },
  };
}

/** Fields that some rule shows, but that are not seen, since others show entities without them. */
export function fieldsLost(
  rules: readonly Rule[],
  type: ResourceType,
  store: EntityStore,
): readonly string[] {
  const views = fittingRules(rules, type, store).filter(({ actions }) => actions.has('view'));
  return [...type.fields.keys()].filter(
    (field) => views.some(({ view }) => hasField(view, field)) && !everywhere(views, 'view', field),
  );
}

function fittingRules(rules: readonly Rule[], type: ResourceType, store: EntityStore): readonly Rule[] {
  return rules.filter((rule) => rule.types?.has(type.name) !== false && misfitOf(rule, type, store) === null);
}

/** Why the conditions of a rule do not fit a type, so that it allows nothing there; null where they do. */
export function misfitOf({ terms }: Rule, type: ResourceType, store: EntityStore): string | null {
  for (const term of terms.values()) {
    if (term === 'own') {
      const owner = type.fields.get(OWNER_FIELD);
      if (owner?.kind !== 'string' || owner.list)
        return `${type.name} has no field "uid" that holds one name.`;
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
 * Whether each rule has the field, or another that has it holds wherever that rule does: entities come with the same
 * fields all, so a field that some of them would lack is not there at all.
 */
function everywhere(rules: readonly Rule[], fields: 'view' | 'change', field: string): boolean {
  const having = rules.filter((rule) => hasField(rule[fields], field));
  return (
    having.length > 0 && rules.every((rule) => having.some(({ terms }) => impliesTerms(rule.terms, terms)))
  );
}

function conjunction(terms: Rule['terms'], type: ResourceType, context: RuleContext): FilterNode | null {
  const members = [...terms.values()].map((term) => nodeOf(term, type, context));
  const [first] = members;
  if (first === undefined) return null;
  return members.length === 1 ? first : { kind: 'group', conjunction: 'AND', members };
}

function disjunction(filters: readonly (FilterNode | null)[]): FilterNode | null | false {
  const members = filters.filter((filter) => filter !== null);
  const [first] = members;
  if (members.length < filters.length) return null;
  if (first === undefined) return false;
  return members.length === 1 ? first : { kind: 'group', conjunction: 'OR', members };
}

function both(first: FilterNode | null | false, second: FilterNode | null | false) {
  if (first === false || second === false) return false;
  if (first === null || second === null) return first ?? second;
  return { kind: 'group', conjunction: 'AND', members: [first, second] } as const;
}

function nodeOf(term: Term, type: ResourceType, { name, publication }: RuleContext): FilterNode {
  switch (term) {
    case 'published':
      return publication(type).published;
    case 'unpublished':
      return publication(type).unpublished;
    case 'own':
      return { kind: 'condition', path: OWNER_PATH, operator: '=', value: name };
    default:
      return term;
  }
}

interface KeptFilter {
  readonly publication: PublicationFilters;
  readonly filter: FilterNode | null | false;
}
