import type { ActiveCell } from './grid.ts';
import type { Side } from './table-text.ts';

/** What the buttons of a table show. */
export function createToolState() {
  let place = $state.raw({ row: 0, column: 0, rows: 1, columns: 1, side: 'none' as Side });
  return {
    get place() {
      return place;
    },
    show({ block: { content }, place: { row, column } }: ActiveCell): void {
      const { rows, sides } = content;
      const next = { row, column, rows: rows.length, columns: sides.length, side: sides[column] ?? 'none' };
      if (JSON.stringify(next) !== JSON.stringify(place)) place = next;
    },
  };
}
