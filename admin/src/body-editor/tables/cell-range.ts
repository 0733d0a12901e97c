import type { Cells } from './paste-cells.ts';
import type { Place, Table } from './table-text.ts';
import type { TableView } from './table-view.ts';

/** Several cells of a table: a rectangle from the cell with the cursor to another cell. */
export interface CellRange {
  /** The upper cell at the beginning of the lines; undefined without a rectangle. */
  start(): Place | undefined;
  /** Selects the cells from the one with the cursor to this one. */
  extend(to: Place): void;
  /** Marks the cells again after a change of the table. */
  show(): void;
  drop(): void;
}

export interface CellRangeOptions {
  readonly view: TableView;
  /** The table and the cell with the cursor; undefined if the cursor is not in the table. */
  active(): { readonly table: Table; readonly place: Place } | undefined;
  /** True if an arrow key would leave the text of the cell. */
  isAtEdge(key: string): boolean;
  isRightToLeft(): boolean;
  /** Puts cells into the table from a place on. The cursor stays. */
  fill(from: Place, cells: Cells): void;
  onselect(count: number): void;
}

/** The keys, the mouse and the clipboard for several cells. They come before those of the cell. */
export function createCellRange(options: CellRangeOptions): CellRange {
  const { dom, cell, placeOf } = options.view;
  let head: Place | undefined;
  let marked: readonly HTMLElement[] = [];

  /** The first and the last row and column. */
  function bounds() {
    const active = options.active();
    if (head === undefined || active === undefined) return undefined;
    const [rows, columns] = [
      [active.place.row, head.row].sort(ascending),
      [active.place.column, head.column].sort(ascending),
    ] as [[number, number], [number, number]];
    return { table: active.table, rows, columns };
  }

  function places(): readonly (readonly Place[])[] {
    const found = bounds();
    return found === undefined
      ? []
      : numbers(found.rows).map((row) => numbers(found.columns).map((column) => ({ row, column })));
  }

  function show(): void {
    for (const each of marked) each.classList.remove('md-selected');
    marked = places().flatMap((line) => line.flatMap((place) => cell(place) ?? []));
    for (const each of marked) each.classList.add('md-selected');
  }

  function extend(to: Place | undefined): void {
    const from = options.active()?.place;
    head = to?.row === from?.row && to?.column === from?.column ? undefined : to;
    show();
    if (marked.length > 0) options.onselect(marked.length);
  }

  function drop(): void {
    if (head !== undefined) extend(undefined);
  }

  function clear(): void {
    const [first] = places().flat();
    if (first !== undefined) {
      options.fill(
        first,
        places().map((line) => line.map(() => '')),
      );
    }
  }

  /** True if the key was used. */
  function press({ key, shiftKey, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
    const active = options.active();
    const isPlain = !ctrlKey && !metaKey && !altKey;
    const step = STEPS[key];
    if (active === undefined) return false;
    if (shiftKey && isPlain && step !== undefined) {
      if (head === undefined && !options.isAtEdge(key)) return false;
      const { row, column } = head ?? active.place;
      const next = { row: row + step.row, column: column + step.column * (options.isRightToLeft() ? -1 : 1) };
      if (cell(next) !== undefined) extend(next);
      return true;
    }
    if (head === undefined || ['Shift', 'Control', 'Meta', 'Alt'].includes(key) || !isPlain) return false;
    if (key === 'Delete' || key === 'Backspace') clear();
    const isUsed = ['Delete', 'Backspace', 'Escape'].includes(key);
    if (key !== 'Delete' && key !== 'Backspace') drop();
    return isUsed;
  }

  function copy(event: ClipboardEvent): boolean {
    const { table } = bounds() ?? {};
    if (table === undefined || event.clipboardData === null) return false;
    const cells = places().map((line) =>
      line.map(({ row, column }) => {
        const { start, end } = table.rows[row]!.cells[column]!;
        return table.text.slice(start, end);
      }),
    );
    const shown = places().map((line) => line.map((place) => cell(place)?.innerText.trim() ?? ''));
    event.clipboardData.setData(CELLS, JSON.stringify(cells));
    event.clipboardData.setData('text/plain', shown.map((line) => line.map(inLine).join('\t')).join('\n'));
    event.clipboardData.setData('text/html', htmlOf(shown));
    return true;
  }

  function paste({ clipboardData }: ClipboardEvent): boolean {
    const active = options.active();
    const cells = clipboardData?.getData(CELLS) ?? '';
    if (active === undefined || cells === '') return false;
    options.fill(places()[0]?.[0] ?? active.place, JSON.parse(cells) as Cells);
    return true;
  }

  function listen<Type extends 'keydown' | 'copy' | 'cut' | 'paste'>(
    type: Type,
    handle: (event: HTMLElementEventMap[Type]) => boolean,
  ): void {
    const listener = (event: HTMLElementEventMap[Type]) => {
      if (!handle(event)) return;
      event.preventDefault();
      event.stopPropagation();
    };
    dom.addEventListener(type, listener, true);
  }
  listen('keydown', press);
  listen('copy', copy);
  listen('paste', paste);
  listen('cut', (event) => {
    const isCopied = copy(event);
    if (isCopied) clear();
    return isCopied;
  });
  dom.addEventListener('mousedown', ({ shiftKey }) => shiftKey || drop(), true);
  dom.addEventListener('mousemove', ({ buttons, target }) => {
    const place = buttons === 1 ? placeOf(target) : undefined;
    const isOther = place !== undefined && cell(place) !== marked.at(-1);
    if (isOther && (head !== undefined || !isSame(place, options.active()?.place))) extend(place);
  });

  return { start: () => places()[0]?.[0], extend, show, drop };
}

/** Cells as Markdown, which other programs do not read. */
const CELLS = 'application/x-astro-jsonapi-cells';
const STEPS: Readonly<Record<string, Place>> = {
  ArrowUp: { row: -1, column: 0 },
  ArrowDown: { row: 1, column: 0 },
  ArrowLeft: { row: 0, column: -1 },
  ArrowRight: { row: 0, column: 1 },
};

function ascending(a: number, b: number): number {
  return a - b;
}

function numbers([first, last]: readonly [number, number]): readonly number[] {
  return Array.from({ length: last - first + 1 }, (_, at) => first + at);
}

function isSame(one: Place, other: Place | undefined): boolean {
  return one.row === other?.row && one.column === other.column;
}

function inLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}

function htmlOf(cells: Cells): string {
  const table = document.createElement('table');
  for (const line of cells) {
    const row = table.insertRow();
    for (const text of line) row.insertCell().innerText = text;
  }
  return new XMLSerializer().serializeToString(table);
}
