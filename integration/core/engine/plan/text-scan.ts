import type { ResolvedNode } from '../resolve/resolve-filter.ts';
import type { Table } from '../store/table.ts';
import { collectScans, type TextScans } from './body-scans.ts';

/**
 * `table` is the table of `filter`; `tableOf` finds the tables of its references. `previous` are the scans of the same
 * filter before the content changed: the results for unchanged bodies are reused.
 */
export function createTextScans(
  filter: ResolvedNode,
  table: Table,
  tableOf: (type: string) => Table | undefined,
  previous?: TextScans,
): TextScans {
  let scans: TextScans | undefined;
  return {
    scanOf: (test) => scans?.scanOf(test),
    tester(test, testTable) {
      // Most queries have no such test, so they are collected at the first one.
      scans ??= collectScans(filter, table, tableOf, previous);
      return scans.tester(test, testTable);
    },
  };
}
