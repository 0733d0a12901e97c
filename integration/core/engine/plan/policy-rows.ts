import type { Entity, ResourceType } from '../../content/model.ts';
import type { FilterNode } from '../ast.ts';
import { POLICY_LIMITS } from '../limits.ts';
import { createResolveContext } from '../resolve/bind-path.ts';
import { type ResolvedNode, resolveFilter } from '../resolve/resolve-filter.ts';
import type { EntityStore, IndexedStore } from '../store/entity-store.ts';
import { createOrderings } from '../store/ordering.ts';
import { allRows, EMPTY_ROWS, type RowSet } from '../store/row-set.ts';
import { POLICY_SLOTS } from '../store/slot.ts';
import { EntityTable, type Table } from '../store/table.ts';
import { rowsInLanguages } from './language-rows.ts';
import { createProgress, type PlanContext, planFilter } from './plan.ts';
import type { PlanNode } from './plan-node.ts';
import { createTextScans } from './text-scan.ts';

/**
 * Finds the rows of a table that match a policy: a filter that may use every field and every entity of the store. The
 * result is computed in one or more slices, and is valid until the content changes. Throws BadParameterError if the filter
 * does not apply to the type.
 */
export function policyRows(store: IndexedStore, table: Table, filter: FilterNode): () => RowSet {
  const node = resolvePolicy(store, table.type, filter);
  const tableOf = (type: string) => store.table(type);
  const context: PlanContext = {
    table: tableOf,
    // References lead to sources, so that a policy means the same in every language.
    visible: (each) => rowsInLanguages(each, allRows(each), []),
    texts: createTextScans(node, table, tableOf),
    search: () => EMPTY_ROWS,
    progress: createProgress(),
  };
  let plan: PlanNode | undefined;
  return () => {
    plan ??= planFilter(node, table, context);
    return plan.rows();
  };
}

/** Binds a policy to a type. Throws BadParameterError if it does not apply. */
export function resolvePolicy({ types }: EntityStore, type: ResourceType, filter: FilterNode): ResolvedNode {
  return resolveFilter(type, filter, createResolveContext(types, null, POLICY_LIMITS));
}

/**
 * True if an entity matches a filter over `POLICY_SLOTS`, which needs no index. Undefined for filters over other paths and
 * with other operators than those of publication and ownership.
 */
export function matchesPolicy(filter: FilterNode, entity: Entity): boolean | undefined {
  if (filter.kind === 'group') {
    const isAnd = filter.conjunction === 'AND';
    const results = filter.members.map((member) => matchesPolicy(member, entity));
    return results.includes(undefined) ? undefined : results.includes(!isAnd) ? !isAnd : isAnd;
  }
  const slot = filter.kind === 'condition' ? POLICY_SLOTS.get(filter.path) : undefined;
  if (filter.kind !== 'condition' || slot === undefined) return undefined;
  const value = slot.read(entity);
  if (filter.operator === 'IS NULL') return value === null;
  if (slot.kind === 'datetime') {
    const [time, limit] = [Date.parse(String(value)), Date.parse(String(filter.value))];
    // A comparison with NaN, which null becomes, is false.
    return filter.operator === '<=' ? time <= limit : filter.operator === '>' ? time > limit : undefined;
  }
  const operand = typeof filter.value === 'boolean' ? Number(filter.value) : filter.value;
  return filter.operator === '=' ? value !== null && value === operand : undefined;
}

/** Tests if one entity, which need not be stored, matches a policy. */
export function createEntityMatcher(
  store: IndexedStore,
): (type: ResourceType, entity: Entity, filter: FilterNode) => boolean {
  const orderings = createOrderings(store.locale);
  return (type, entity, filter) =>
    matchesPolicy(filter, entity) ??
    policyRows(store, new EntityTable(type, orderings, [entity]), filter)().count === 1;
}
