import type { Entity, ResourceType } from '../content/model.ts';
import type { FilterNode } from './ast.ts';
import { POLICY_LIMITS } from './limits.ts';
import { planFilter } from './plan.ts';
import type { PlanContext } from './plan-items.ts';
import { type ResolvedNode, resolveFilter } from './resolve.ts';
import type { IndexedStore } from './store/entity-store.ts';
import { createOrderings } from './store/ordering.ts';
import { EMPTY_ROWS, type RowSet, rowCount } from './store/row-set.ts';
import type { EntityStore } from './store/store.ts';
import { Table } from './store/table.ts';
import { createResolveContext } from './targets.ts';
import { createTextScans } from './text-scan.ts';

/**
 * The rows of a table that match a filter of our own: one that may use every field and look at every entity of the
 * store. Throws BadParameterError for a filter that does not fit the type.
 */
export function policyRows(store: IndexedStore, table: Table, filter: FilterNode): RowSet {
  const node = resolvePolicy(store, table.type, filter);
  const tableOf = (type: string) => store.table(type);
  const everything: PlanContext = {
    table: tableOf,
    visible: (target) => ({ kind: 'all', size: target.size }),
    texts: createTextScans(node, table, tableOf),
    search: () => EMPTY_ROWS,
  };
  return planFilter(node, table, everything).rows();
}

/** Binds a filter of our own to a type. Throws BadParameterError where it does not fit. */
export function resolvePolicy({ types }: EntityStore, type: ResourceType, filter: FilterNode): ResolvedNode {
  return resolveFilter(type, filter, createResolveContext(types, null, POLICY_LIMITS));
}

/** Tells of one entity, which need not be stored, whether it matches a filter of our own. */
export function createEntityMatcher(
  store: IndexedStore,
): (type: ResourceType, entity: Entity, filter: FilterNode) => boolean {
  const orderings = createOrderings(store.locale);
  return (type, entity, filter) =>
    rowCount(policyRows(store, new Table(type, orderings, [entity]), filter)) === 1;
}
