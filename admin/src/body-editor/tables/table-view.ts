import { type EditorView, WidgetType } from '@codemirror/view';
import { toolsText } from '../../texts/tools.ts';
import type { ImageUrls } from '../decorate.ts';
import { element } from '../widgets.ts';
import { renderCell } from './cells.ts';
import type { Unshown } from './grid.ts';
import type { Place, Table } from './table-text.ts';

/** The elements of a table in the text. */
export interface TableView {
  readonly dom: HTMLElement;
  /** The place below the table for its buttons. */
  readonly footer: HTMLElement;
  cell(place: Place): HTMLElement | undefined;
  placeOf(target: EventTarget | null): Place | undefined;
  /** Shows another table. The edited cell stays as it is. */
  update(table: Table, edited: HTMLElement | undefined): void;
  /** Shows the text of a cell again after it was edited. */
  show(cell: HTMLElement, edited: HTMLElement | undefined): void;
}

export function createTableView(view: EditorView, imageUrls: ImageUrls): TableView {
  const grid = element('table', {});
  const scroll = element('div', { class: 'md-table-scroll' });
  const footer = element('div', {});
  const dom = element('div', { class: 'md-table' });
  scroll.append(grid);
  dom.append(scroll, footer);
  // The keyboard scrolls a table that is wider than the text.
  const watcher = new ResizeObserver(() => {
    if (scroll.scrollWidth > scroll.clientWidth) scroll.tabIndex = 0;
    else scroll.removeAttribute('tabindex');
  });
  watcher.observe(scroll);
  watcher.observe(grid);
  /** The text that each cell shows. */
  const shown = new Map<HTMLElement, string>();
  let present: Table | undefined;

  return {
    dom,
    footer,
    cell: ({ row, column }) => grid.rows[row]?.cells[column],
    placeOf(target) {
      const cell = target instanceof Element ? target.closest('td, th') : null;
      return cell instanceof HTMLTableCellElement && grid.contains(cell)
        ? { row: (cell.parentNode as HTMLTableRowElement).rowIndex, column: cell.cellIndex }
        : undefined;
    },
    update(table, edited) {
      present = table;
      const { rows, sides } = table;
      grid.setAttribute(
        'aria-label',
        toolsText('body.tableLabel', { columns: sides.length, rows: rows.length }),
      );
      setRows(grid, rows.length, (at) => {
        const parent = at === 0 ? grid.createTHead() : (grid.tBodies[0] ?? grid.createTBody());
        parent.append(element('tr', {}));
      });
      for (const [row, { cells }] of rows.entries()) {
        const line = grid.rows[row]!;
        while (line.cells.length > cells.length) {
          shown.delete(line.cells[cells.length]!);
          line.deleteCell(cells.length);
        }
        while (line.cells.length < cells.length) {
          line.append(row === 0 ? element('th', { scope: 'col' }) : element('td', {}));
        }
        for (const [column, { start, end }] of cells.entries()) {
          const cell = line.cells[column]!;
          cell.className = `md-side-${sides[column]}`;
          const markdown = table.text.slice(start, end);
          if (row === 0 && markdown === '') {
            cell.setAttribute('aria-label', toolsText('body.column', { number: column + 1 }));
          } else cell.removeAttribute('aria-label');
          if (cell === edited || shown.get(cell) === markdown) continue;
          shown.set(cell, markdown);
          cell.replaceChildren(renderCell(markdown, view, imageUrls));
        }
      }
    },
    show(cell, edited) {
      shown.delete(cell);
      cell.replaceChildren();
      if (present !== undefined) this.update(present, edited);
    },
  };
}

/** Says why a table is shown as text. */
export class HintWidget extends WidgetType {
  readonly reason: Unshown;

  constructor(reason: Unshown) {
    super();
    this.reason = reason;
  }

  override eq({ reason }: HintWidget): boolean {
    return this.message() === new HintWidget(reason).message();
  }

  override toDOM(): HTMLElement {
    return element('div', { class: 'md-table-hint' }, this.message());
  }

  private message(): string {
    return this.reason === 'nested'
      ? toolsText('body.tableNested')
      : toolsText('body.tableBroken', { line: this.reason.brokenLine });
  }
}

function setRows(grid: HTMLTableElement, count: number, add: (at: number) => void): void {
  while (grid.rows.length > count) grid.deleteRow(grid.rows.length - 1);
  while (grid.rows.length < count) add(grid.rows.length);
}
