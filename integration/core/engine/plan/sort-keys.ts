import { type KeyStep, keyName } from '../resolve/resolve-key.ts';
import type { ResolvedSort } from '../resolve/resolve-sort.ts';
import type { Column } from '../store/column.ts';
import { Dictionary } from '../store/dictionary.ts';
import { EXACT_ORDERING, type Ordering, type Raw } from '../store/ordering.ts';
import { createSortOrder, NULL_CODE, type SortOrder } from '../store/postings.ts';
import type { RowSet } from '../store/row-set.ts';
import type { Join, Table } from '../store/table.ts';
import { allSteps, withoutSlices } from '../time-slices.ts';
import { type DerivedCache, derive } from './derived-cache.ts';
import { type PlanContext, targetRow } from './plan.ts';

/** The order of a table's rows by one sort key. */
export interface SortedKeys {
  readonly order: SortOrder;
  readonly direction: 'ASC' | 'DESC';
  /** One value per key. */
  values(): readonly Raw[];
  readonly ordering: Ordering;
}

/** The sort keys of all rows of a table along a path. Targets that the actor may not see have no key. */
export function sortedKeys(
  sort: ResolvedSort,
  table: Table,
  context: PlanContext,
  cache: SortCache,
): SortedKeys {
  return { ...keyedRows(sort.key, sort.direction, table, context, cache), direction: sort.direction };
}

/** Sort orders along references. */
export type SortCache = DerivedCache<KeyedRows>;

/** A sort order and the values of its keys. */
type KeyedRows = Omit<SortedKeys, 'direction'>;

function keyedRows(
  step: KeyStep,
  direction: 'ASC' | 'DESC',
  table: Table,
  context: PlanContext,
  cache: SortCache,
): KeyedRows {
  if (step.kind === 'none') {
    const order = createSortOrder(new Int32Array(table.size).fill(NULL_CODE));
    return { order, values: () => [], ordering: EXACT_ORDERING };
  }
  const column = table.column(step.slot);
  const name = `${direction} ${keyName(step)}`;
  if (step.kind === 'value') {
    const { delta, slot } = step;
    const { dictionary } = column;
    const keyed = (order: SortOrder): KeyedRows => ({
      order,
      values: () => dictionary.classValues(),
      ordering: table.ordering(slot),
    });
    if (delta === null) return keyed(column.sortOrder(direction));
    return derive(cache, column, name, [column.codes], () =>
      keyed(createSortOrder(column.bestKeys(dictionary.classes, delta, 'ASC'))),
    );
  }
  const targets = step.targets.flatMap(({ type, key }): SortTarget[] => {
    const target = context.table(type.name);
    if (target === undefined || key.kind === 'none') return [];
    const keyed = keyedRows(key, direction, target, context, cache);
    return [{ keyed, join: table.join(column, target), visible: context.visible(target) }];
  });
  const inputs = [
    column.codes,
    ...targets.flatMap(({ keyed, join, visible }) => [keyed.order, join, visible]),
  ];
  return derive(cache, column, name, inputs, () => joinKeys(column, targets, step.delta, direction));
}

interface SortTarget {
  readonly keyed: KeyedRows;
  readonly join: Join;
  readonly visible: RowSet;
}

/** The keys that a reference column takes from its targets. */
function joinKeys(
  column: Column,
  targets: readonly SortTarget[],
  delta: number | null,
  direction: 'ASC' | 'DESC',
): KeyedRows {
  const common = commonKeys(targets.map(({ keyed }) => keyed));
  const keyOfCode = new Int32Array(column.dictionary.size).fill(NULL_CODE);
  targets.forEach(({ keyed, join, visible }, i) => {
    for (let code = 0; code < join.rowOfCode.length; code++) {
      const row = targetRow(join, code, visible);
      if (row === -1) continue;
      const key = keyed.order.keys[row]!;
      if (key !== NULL_CODE) keyOfCode[code] = common.translate(i, key);
    }
  });
  const order = createSortOrder(column.bestKeys(keyOfCode, delta, direction));
  return { order, values: common.values, ordering: common.ordering };
}

/** One order for the keys of several target types: their values, sorted together. */
function commonKeys(
  keyed: readonly KeyedRows[],
): Pick<KeyedRows, 'values' | 'ordering'> & { translate(target: number, key: number): number } {
  const [first] = keyed;
  if (first === undefined) return { values: () => [], ordering: EXACT_ORDERING, translate: () => NULL_CODE };
  if (keyed.length === 1)
    return { values: first.values, ordering: first.ordering, translate: (_, key) => key };
  const distinct = [...new Set(keyed.flatMap(({ values }) => values()))];
  const { dictionary, codes } = allSteps(Dictionary.of(first.ordering, distinct));
  const classes = withoutSlices(() => dictionary.classes);
  const keyOfValue = new Map(
    distinct.map((raw, i) => [raw, classes === null ? codes[i]! : classes[codes[i]!]!]),
  );
  const translated = keyed.map(({ values }) => values().map((raw) => keyOfValue.get(raw)!));
  return {
    values: () => dictionary.classValues(),
    ordering: first.ordering,
    translate: (target, key) => translated[target]![key]!,
  };
}
