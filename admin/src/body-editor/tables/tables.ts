import { type EditorState, type Extension, Prec, Text } from '@codemirror/state';
import { EditorView, type KeyBinding, keymap, ViewPlugin, WidgetType } from '@codemirror/view';
import { mount, unmount } from 'svelte';
import { toolsText } from '../../texts/tools.ts';
import type { ImageUrls } from '../decorate.ts';
import { textChanges } from '../text-changes.ts';
import { breakLine, type CellEditor, createCellEditor } from './cell-editor.ts';
import { type CellRange, createCellRange } from './cell-range.ts';
import {
  type ActiveCell,
  createGrid,
  deleteTable,
  editTable,
  isTable,
  keepsTables,
  type TableBlock,
} from './grid.ts';
import { type Cells, fillCells } from './paste-cells.ts';
import TableTools from './TableTools.svelte';
import * as texts from './table-text.ts';
import { createTableView, HintWidget, type TableView } from './table-view.ts';
import { theme } from './theme.ts';
import { createToolState } from './tools.svelte.ts';

/** What the buttons of a table do. */
export type Tool =
  | 'rowAbove'
  | 'rowBelow'
  | 'rowUp'
  | 'rowDown'
  | 'deleteRow'
  | 'columnBefore'
  | 'columnAfter'
  | 'columnBack'
  | 'columnForth'
  | 'deleteColumn'
  | 'left'
  | 'center'
  | 'right'
  | 'deleteTable';

/** Shows tables as grids whose cells are edited in place. `inCells` are the extensions of the editor that cells have too. */
export function tables(imageUrls: ImageUrls, inCells: Extension): Extension {
  class TableWidget extends WidgetType {
    readonly content: texts.Table;
    readonly isEditable: boolean;

    constructor({ content }: TableBlock, isEditable: boolean) {
      super();
      this.content = content;
      this.isEditable = isEditable;
    }
    override eq({ content, isEditable }: TableWidget): boolean {
      return content.text === this.content.text && isEditable === this.isEditable;
    }
    override toDOM(view: EditorView): HTMLElement {
      return view.plugin(controller)!.add(this.content);
    }
    override updateDOM(dom: HTMLElement, view: EditorView): boolean {
      return view.plugin(controller)!.change(dom, this.content);
    }
    override destroy(dom: HTMLElement): void {
      removed.get(dom)?.();
    }
    override get estimatedHeight(): number {
      return this.content.rows.length * ROW_HEIGHT;
    }
  }
  const removed = new WeakMap<HTMLElement, () => void>();
  const grid = createGrid({
    table: (block, isEditable) => new TableWidget(block, isEditable),
    hint: (reason) => new HintWidget(reason),
  });

  const controller = ViewPlugin.fromClass(
    class {
      readonly view: EditorView;
      readonly shown = new Map<HTMLElement, TableView>();
      readonly ranges = new Map<TableView, CellRange>();
      cell: CellEditor | undefined;
      /** The table with the buttons. */
      tools:
        | { readonly table: TableView; readonly state: ReturnType<typeof createToolState>; close(): void }
        | undefined;
      isLeaving = false;

      constructor(view: EditorView) {
        this.view = view;
      }

      destroy(): void {
        this.close();
      }

      add(content: texts.Table): HTMLElement {
        const table = createTableView(this.view, imageUrls);
        table.update(content, undefined);
        table.dom.addEventListener('mousedown', (event) => this.press(table, event));
        for (const type of ['focusin', 'focusout'] as const) {
          table.dom.addEventListener(type, () => this.view.requestMeasure());
        }
        this.shown.set(table.dom, table);
        this.ranges.set(table, this.rangeIn(table));
        removed.set(table.dom, () => {
          this.shown.delete(table.dom);
          this.ranges.delete(table);
          if (this.tools?.table === table) this.close();
        });
        return table.dom;
      }

      change(dom: HTMLElement, content: texts.Table): boolean {
        const table = this.shown.get(dom);
        table?.update(content, this.cell?.host);
        return table !== undefined;
      }

      /** Puts an editor into the cell in which the selection is, after the page shows the text. */
      sync(): void {
        const { view } = this;
        const active = view.state.field(grid, false)?.active;
        const table = active && this.tableAt(active.block.from);
        const host = table?.cell(active!.place);
        const hadFocus = this.cell?.view.hasFocus ?? false;
        if (active === undefined || table === undefined || host === undefined) {
          if (this.cell === undefined) return;
          const { cell } = this;
          this.cell = undefined;
          if (hadFocus) view.focus();
          this.cell = cell;
          this.close();
          return;
        }
        if (this.cell?.host === host) {
          this.cell.pull(active);
          this.ranges.get(table)?.show();
        } else {
          for (const range of this.ranges.values()) range.drop();
          const old = this.cell;
          this.cell = createCellEditor({
            outer: view,
            host,
            active,
            keys: keysOf(view, () => this.active()),
            oncells: (cells) => this.fill(cells),
            extensions: [inCells, leaving(() => (this.isLeaving = true))],
          });
          if (hadFocus || view.hasFocus) {
            this.cell.view.focus();
            host.scrollIntoView({ block: 'nearest', inline: 'nearest' });
          }
          if (old !== undefined) this.leave(old);
        }
        if (this.tools?.table !== table) {
          this.tools?.close();
          const state = createToolState();
          const component = mount(TableTools, {
            target: table.footer,
            props: { state, run: (tool: Tool) => this.run(tool), leave: () => this.cell?.view.focus() },
          });
          this.tools = { table, state, close: () => void unmount(component) };
        }
        this.tools.state.show(active);
      }

      active(): ActiveCell | undefined {
        return this.view.state.field(grid, false)?.active;
      }

      /** Puts cells into the active one and those to its right and below. */
      fill(cells: Cells): void {
        const active = this.active();
        if (active === undefined) return;
        const { block } = active;
        const { text } = block.content;
        const place = (this.tools && this.ranges.get(this.tools.table)?.start()) ?? active.place;
        const last = { row: place.row + cells.length - 1, column: place.column + cells[0]!.length - 1 };
        const changes = textChanges(text, fillCells(text, place, cells));
        this.view.dispatch(editTable(block, changes, last, 'end'));
      }

      run(tool: Tool): void {
        const active = this.active();
        if (active !== undefined) runTool(this.view, active, tool);
      }

      /** The text has the focus: the cell takes it, unless Shift+Tab leaves the cell. */
      takeFocus(): void {
        if (!this.isLeaving) this.cell?.view.focus();
        this.isLeaving = false;
      }

      private rangeIn(table: TableView): CellRange {
        const inTable = () => {
          const active = this.active();
          return active !== undefined && this.tableAt(active.block.from) === table ? active : undefined;
        };
        return createCellRange({
          view: table,
          active() {
            const active = inTable();
            return active && { table: active.block.content, place: active.place };
          },
          isAtEdge: (key) => this.cell !== undefined && isAtEdgeOf(this.cell.view, key),
          isRightToLeft: () => this.cell !== undefined && isRightToLeft(this.cell.view),
          fill: (from, cells) => {
            const active = inTable();
            if (active === undefined) return;
            const { text } = active.block.content;
            const changes = textChanges(text, fillCells(text, from, cells));
            this.view.dispatch(editTable(active.block, changes, active.place, 'end'));
          },
          onselect: (count) => {
            const effects = EditorView.announce.of(toolsText('body.cellsSelected', { count }));
            this.view.dispatch({ effects });
          },
        });
      }

      private tableAt(from: number): TableView | undefined {
        for (const [dom, table] of this.shown) {
          if (dom.isConnected && this.view.posAtDOM(dom) === from) return table;
        }
        return undefined;
      }

      private press(table: TableView, event: MouseEvent): void {
        const place = table.placeOf(event.target);
        const host = place && table.cell(place);
        if (place === undefined || host === undefined || host === this.cell?.host || event.button !== 0)
          return;
        if (this.view.state.readOnly) return;
        event.preventDefault();
        if (event.shiftKey && this.tools?.table === table && this.cell !== undefined) {
          this.ranges.get(table)?.extend(place);
          this.cell.view.focus();
          return;
        }
        const from = this.view.posAtDOM(table.dom);
        const block = this.view.state.field(grid).blocks.find((each) => each.from === from);
        if (block === undefined || !isTable(block)) return;
        this.view.dispatch(editTable(block, [], place, 'end'));
        const cell = this.cell?.view;
        if (cell === undefined) return;
        cell.focus();
        const { clientX, clientY, button, buttons, detail, shiftKey } = event;
        const init = { clientX, clientY, button, buttons, detail, shiftKey, bubbles: true, cancelable: true };
        cell.contentDOM.dispatchEvent(new MouseEvent('mousedown', init));
      }

      private leave(cell: CellEditor): void {
        const { host } = cell;
        cell.destroy();
        for (const table of this.shown.values())
          if (table.dom.contains(host)) table.show(host, this.cell?.host);
      }

      private close(): void {
        const { cell, tools } = this;
        this.cell = undefined;
        this.tools = undefined;
        tools?.close();
        if (cell !== undefined) this.leave(cell);
      }
    },
    {
      eventObservers: {
        focus() {
          this.takeFocus();
        },
      },
      eventHandlers: {
        keydown: (event, view) => {
          const isTyped = typeAtEdge(view, event, view.state.field(grid).blocks.filter(isTable));
          if (isTyped) event.preventDefault();
          return isTyped;
        },
      },
    },
  );

  return [
    grid,
    controller,
    theme,
    Prec.high(keymap.of(outerKeys((state) => state.field(grid).blocks.filter(isTable)))),
    EditorView.editorAttributes.of((view) =>
      view.state.field(grid, false)?.active === undefined ? null : { class: 'md-in-table' },
    ),
    EditorView.updateListener.of(({ view }) => view.plugin(controller)?.sync()),
  ];
}

const ROW_HEIGHT = 36;

/** Shift+Tab after Escape leaves the text, whose field is around the cell. */
function leaving(onleave: () => void): Extension {
  return EditorView.domEventHandlers({
    keydown(event) {
      if (event.key === 'Tab' && event.shiftKey) onleave();
      return false;
    },
  });
}

/** The arrow keys go from the text into a table. */
function outerKeys(blocksOf: (state: EditorState) => readonly TableBlock[]): readonly KeyBinding[] {
  const enter =
    (isForward: boolean, isVertical: boolean) =>
    (view: EditorView): boolean => {
      const { main } = view.state.selection;
      if (!main.empty || view.state.readOnly) return false;
      const next = isVertical ? view.moveVertically(main, isForward) : view.moveByChar(main, isForward);
      const [low, high] = [Math.min(main.head, next.head), Math.max(main.head, next.head)];
      const isBeside = ({ from, to }: TableBlock): boolean =>
        isForward
          ? main.head <= from && high >= from && high > low
          : main.head >= to && low <= to && high > low;
      const blocks = blocksOf(view.state).filter(isBeside);
      const block = isForward ? blocks[0] : blocks.at(-1);
      if (block === undefined) return false;
      const { rows, sides } = block.content;
      const row = isForward ? 0 : rows.length - 1;
      const column = isForward || isVertical ? 0 : sides.length - 1;
      const isStart = isForward;
      const spec = editTable(block, [], { row, column }, 'end');
      const cell = rows[row]!.cells[column]!;
      view.dispatch(isStart ? { ...spec, selection: { anchor: block.from + cell.start } } : spec);
      return true;
    };
  return [
    { key: 'ArrowDown', run: enter(true, true) },
    { key: 'ArrowUp', run: enter(false, true) },
    { key: 'ArrowRight', run: enter(true, false) },
    { key: 'ArrowLeft', run: enter(false, false) },
  ];
}

/** The keys of a cell. Source: what word processors do in tables. */
function keysOf(outer: EditorView, active: () => ActiveCell | undefined): readonly KeyBinding[] {
  const inTable =
    (command: (cell: ActiveCell, view: EditorView) => boolean) =>
    (view: EditorView): boolean => {
      const cell = active();
      return cell !== undefined && command(cell, view);
    };
  const go = (
    { block }: ActiveCell,
    row: number,
    column: number,
    select: 'all' | 'end' | 'start',
  ): boolean => {
    const spec = editTable(block, [], { row, column }, select === 'all' ? 'all' : 'end');
    const cell = texts.cellAt(block.content, { row, column });
    if (cell === undefined) return false;
    outer.dispatch(select === 'start' ? { ...spec, selection: { anchor: block.from + cell.start } } : spec);
    return true;
  };
  const next = inTable((cell) => {
    const { row, column } = cell.place;
    const { rows, sides } = cell.block.content;
    if (column + 1 < sides.length) return go(cell, row, column + 1, 'all');
    if (row + 1 < rows.length) return go(cell, row + 1, 0, 'all');
    return runTool(outer, cell, 'rowBelow', 0);
  });
  const previous = inTable((cell) => {
    const { row, column } = cell.place;
    if (column > 0) return go(cell, row, column - 1, 'all');
    if (row > 0) return go(cell, row - 1, cell.block.content.sides.length - 1, 'all');
    return leaveTable(outer, cell.block, false);
  });
  const vertical = (isForward: boolean) =>
    inTable((cell, view) => {
      if (!isAtEdge(view, isForward)) return false;
      const row = cell.place.row + (isForward ? 1 : -1);
      return (
        go(cell, row, cell.place.column, isForward ? 'start' : 'end') ||
        leaveTable(outer, cell.block, isForward)
      );
    });
  const horizontal = (isForward: boolean) =>
    inTable((cell, view) => {
      const { main } = view.state.selection;
      if (!main.empty || main.head !== (isForward ? view.state.doc.length : 0)) return false;
      const { row, column } = cell.place;
      const { rows, sides } = cell.block.content;
      const at = row * sides.length + column + (isForward ? 1 : -1);
      if (at < 0 || at >= rows.length * sides.length) return leaveTable(outer, cell.block, isForward);
      return go(cell, Math.floor(at / sides.length), at % sides.length, isForward ? 'start' : 'end');
    });
  const tool = (name: Tool) => inTable((cell) => runTool(outer, cell, name));
  const stay = (): boolean => true;
  return [
    { key: 'Tab', run: next, shift: previous },
    { key: 'Enter', run: breakLine, shift: breakLine },
    { key: 'ArrowDown', run: vertical(true) },
    { key: 'ArrowUp', run: vertical(false) },
    { key: 'ArrowRight', run: (view) => (isRightToLeft(view) ? horizontal(false) : horizontal(true))(view) },
    { key: 'ArrowLeft', run: (view) => (isRightToLeft(view) ? horizontal(true) : horizontal(false))(view) },
    { key: 'Alt-Shift-ArrowUp', run: tool('rowUp') },
    { key: 'Alt-Shift-ArrowDown', run: tool('rowDown') },
    { key: 'Alt-Shift-ArrowLeft', run: tool('columnBack') },
    { key: 'Alt-Shift-ArrowRight', run: tool('columnForth') },
    { key: 'Mod-a', run: (view) => selectAll(view, outer) },
    { key: 'Mod-Home', run: () => select(outer, 0) },
    { key: 'Mod-End', run: () => select(outer, outer.state.doc.length) },
    {
      key: 'Alt-F10',
      run: (view) => {
        view.dom
          .closest('.md-table')
          ?.querySelector<HTMLElement>('[role=toolbar] button[tabindex="0"]')
          ?.focus();
        return true;
      },
    },
    { key: 'Alt-Enter', run: stay },
  ];
}

/** True if the cursor is in the first or the last line of its cell. */
function isAtEdge(view: EditorView, isForward: boolean): boolean {
  const { doc, selection } = view.state;
  const [line, edge] = [selection.main.head, isForward ? doc.length : 0].map((at) => view.coordsAtPos(at));
  return line == null || edge == null || Math.abs(line.top - edge.top) < line.bottom - line.top;
}

/** True if an arrow key with Shift has no more text of the cell to select. */
function isAtEdgeOf(view: EditorView, key: string): boolean {
  if (key === 'ArrowUp' || key === 'ArrowDown') return isAtEdge(view, key === 'ArrowDown');
  const isForward = (key === 'ArrowRight') !== isRightToLeft(view);
  return view.state.selection.main.head === (isForward ? view.state.doc.length : 0);
}

function isRightToLeft(view: EditorView): boolean {
  return view.textDirectionAt(view.state.selection.main.head) === 1;
}

/** The second time, all of the text is selected. */
function selectAll(cell: EditorView, outer: EditorView): boolean {
  const { main } = cell.state.selection;
  const { length } = cell.state.doc;
  if (main.from === 0 && main.to === length) {
    outer.dispatch({ selection: { anchor: 0, head: outer.state.doc.length }, userEvent: 'select' });
  } else cell.dispatch({ selection: { anchor: 0, head: length }, userEvent: 'select' });
  return true;
}

function select(view: EditorView, anchor: number): boolean {
  view.dispatch({ selection: { anchor }, scrollIntoView: true, userEvent: 'select' });
  return true;
}

/** Moves the cursor in front of a table, or behind it. */
function leaveTable(view: EditorView, { from, to, content }: TableBlock, isForward: boolean): boolean {
  const { doc } = view.state;
  if (isForward && to < doc.length) return select(view, to + 1);
  if (!isForward && from > 0) return select(view, from - 1);
  const hasEdge = isForward ? content.rows.at(-1)?.closes : content.rows[0]?.opens;
  if (hasEdge) return select(view, isForward ? to : from);
  view.dispatch({
    changes: { from: isForward ? to : from, insert: Text.of(['', '', '']) },
    selection: { anchor: isForward ? to + 2 : from },
    annotations: keepsTables.of(true),
    scrollIntoView: true,
    userEvent: 'input',
  });
  return true;
}

/** Browsers type nothing at the edge of a table that is at the edge of the text. */
function typeAtEdge(
  view: EditorView,
  { key, altKey, ctrlKey, metaKey }: KeyboardEvent,
  blocks: readonly TableBlock[],
): boolean {
  const { main } = view.state.selection;
  const isCharacter = [...key].length === 1 && !altKey && !ctrlKey && !metaKey;
  if (!isCharacter || !main.empty || view.state.readOnly) return false;
  if (!blocks.some(({ from, to }) => main.head === from || main.head === to)) return false;
  view.dispatch(
    view.state.update(view.state.replaceSelection(key), { userEvent: 'input.type', scrollIntoView: true }),
  );
  return true;
}

function runTool(view: EditorView, { block, place }: ActiveCell, tool: Tool, nextColumn?: number): boolean {
  const { content: table } = block;
  const { row, column } = place;
  const { rows, sides } = table;
  const edit = (changes: readonly texts.Change[], next: texts.Place): boolean => {
    if (changes.length === 0) return false;
    view.dispatch(editTable(block, changes, next, 'end'));
    return true;
  };
  const side = (name: texts.Side) => () =>
    edit(texts.setSide(table, column, sides[column] === name ? 'none' : name), place);
  const tools: Readonly<Record<Tool, () => boolean>> = {
    rowAbove: () => edit(texts.insertRow(table, row), place),
    rowBelow: () => edit(texts.insertRow(table, row + 1), { row: row + 1, column: nextColumn ?? column }),
    rowUp: () => edit(texts.swapRows(table, row - 1), { row: row - 1, column }),
    rowDown: () => edit(texts.swapRows(table, row), { row: row + 1, column }),
    deleteRow: () => edit(texts.removeRow(table, row), { row: Math.min(row, rows.length - 2), column }),
    columnBefore: () => edit(texts.insertColumn(table, column), place),
    columnAfter: () => edit(texts.insertColumn(table, column + 1), { row, column: column + 1 }),
    columnBack: () => edit(texts.swapColumns(table, column - 1), { row, column: column - 1 }),
    columnForth: () => edit(texts.swapColumns(table, column), { row, column: column + 1 }),
    deleteColumn: () =>
      edit(texts.removeColumn(table, column), { row, column: Math.min(column, sides.length - 2) }),
    left: side('left'),
    center: side('center'),
    right: side('right'),
    deleteTable() {
      view.dispatch(deleteTable(view.state, block));
      view.focus();
      return true;
    },
  };
  return tools[tool]();
}
