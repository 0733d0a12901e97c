import type { Entity, ResourceType } from '../content/model.ts';
import type { FilterNode } from '../engine/ast.ts';
import type { QueryAccess } from '../engine/engine.ts';
import type { Action, ChangeAction, SpecialPermission } from './role.ts';
import type { Rule } from './rule.ts';
import { createTypeRules, type RuleContext, type TypeRules } from './type-rules.ts';

/** What an actor may do. Actors who may do the same share one. */
export interface Access extends QueryAccess {
  /**
   * What an entity must match; null where every one may be acted on, false where none. The same object while it holds.
   * What may be changed or deleted may be seen.
   */
  filterFor(action: Action, type: ResourceType): FilterNode | null | false;
  /** Whether it may be done to this entity as it is given: stored, or as it would be. False for an unknown type. */
  allows(action: Action, entity: Entity): boolean;
  /** Whether an entity of which status and owner alone are known was to be seen: by rules that ask for nothing else. */
  couldSee(entity: Entity): boolean;
  /**
   * Whether the field may be given a value on this entity, as it is before an update, as it would be for a creation;
   * without one: on every entity that the actor may act on so. Never a field that is hidden.
   */
  fieldWritable(type: ResourceType, field: string, action?: ChangeAction, entity?: Entity): boolean;
  has(permission: SpecialPermission): boolean;
}

/** What rules allow together: whatever one of them does. Nothing else is allowed. */
export function createAccess(
  rules: readonly Rule[],
  also: ReadonlySet<SpecialPermission>,
  context: RuleContext,
): Access {
  let types = context.store.types;
  let byType = new Map<ResourceType, TypeRules>();

  function rulesOf(type: ResourceType): TypeRules {
    // Whether a filter fits depends on the types that its paths lead to.
    if (types !== context.store.types) {
      types = context.store.types;
      byType = new Map();
    }
    let known = byType.get(type);
    if (known === undefined) {
      known = createTypeRules(type, rules, context);
      byType.set(type, known);
    }
    return known;
  }

  const typeOf = ({ type }: Entity) => context.store.types.get(type);

  return {
    visibility(type) {
      const filter = rulesOf(type).filter('view');
      return filter === false ? NOTHING : filter;
    },
    fieldVisible: (type, field) => rulesOf(type).fieldVisible(field),
    filterFor: (action, type) => rulesOf(type).filter(action),
    allows(action, entity) {
      const type = typeOf(entity);
      return type !== undefined && rulesOf(type).allows(action, entity);
    },
    couldSee(entity) {
      const type = typeOf(entity);
      return type !== undefined && rulesOf(type).couldSee(entity);
    },
    fieldWritable: (type, field, action = 'update', entity = undefined) =>
      rulesOf(type).fieldWritable(field, action, entity),
    has: (permission) => also.has(permission),
  };
}

/** No entity matches. */
const NOTHING: FilterNode = { kind: 'group', conjunction: 'OR', members: [] };
