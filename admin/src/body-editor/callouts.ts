import type { Completion } from '@codemirror/autocomplete';
import { syntaxTree } from '@codemirror/language';
import type { EditorState, Range } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  EditorView,
  type KeyBinding,
  keymap,
  ViewPlugin,
  WidgetType,
} from '@codemirror/view';
import type { Callouts } from '../api/markup.ts';
import { markupText } from '../texts/markup.ts';
import { insertBlock } from './commands.ts';
import { sourceView } from './nodes.ts';
import { inPlace } from './slash-menu.ts';
import { element } from './widgets.ts';

/** `:::note` up to `:::`, or a quote that starts with `[!NOTE]`. */
export interface Callout {
  readonly from: number;
  readonly to: number;
  /** In lower case. */
  readonly kind: string;
  /** The place of the name of the kind. */
  readonly kindFrom: number;
  readonly kindTo: number;
}

/** A choice of the slash menu for each kind of callout that the site shows. */
export function calloutChoices({ syntax, kinds }: Callouts): readonly Completion[] {
  return kinds.map((kind, at) => ({
    label: `${nameOf(kind)} ${kind} ${markupText('callout.kind')} callout aside admonition`,
    displayLabel: nameOf(kind),
    detail: markupText('callout.kind'),
    boost: -30 - at,
    apply: inPlace((view) => {
      const opening = syntax === 'directive' ? `:::${kind}\n` : `> [!${kind.toUpperCase()}]\n> `;
      const at = opening.length;
      insertBlock(syntax === 'directive' ? `${opening}\n:::` : opening, { from: at, to: at })(view);
    }),
  }));
}

/** The callouts in a part of a text, in order. */
export function calloutsIn(state: EditorState, from = 0, to = state.doc.length): readonly Callout[] {
  const callouts: Callout[] = [];
  const open: (Callout & { readonly colons: number })[] = [];
  syntaxTree(state).iterate({
    from,
    to,
    enter({ name, from: start, to: end, node }) {
      if (name === 'DirectiveMark') {
        const [, colons = '', kind = ''] = /^(:+)[ \t]*(\w*)/.exec(state.sliceDoc(start, end)) ?? [];
        if (kind === '') {
          const opening = open.findLastIndex((each) => each.colons === colons.length);
          for (const { colons: _, ...each } of open
            .splice(opening === -1 ? open.length : opening)
            .slice(0, 1)) {
            callouts.push({ ...each, to: end });
          }
        } else {
          const kindFrom = start + state.sliceDoc(start, end).indexOf(kind);
          const place = { from: start, to: end, kindFrom, kindTo: kindFrom + kind.length };
          open.push({ ...place, kind: kind.toLowerCase(), colons: colons.length });
        }
      }
      if (name !== 'Paragraph') return;
      const quote = node.parent;
      const kind = ALERT.exec(state.sliceDoc(start, state.doc.lineAt(start).to))?.[1];
      if (kind !== undefined && quote?.name === 'Blockquote' && quote.getChild('Paragraph')?.from === start) {
        const kindFrom = start + '[!'.length;
        callouts.push({
          from: quote.from,
          to: quote.to,
          kind: kind.toLowerCase(),
          kindFrom,
          kindTo: kindFrom + kind.length,
        });
      }
    },
  });
  return callouts.sort((a, b) => a.from - b.from);
}

const ALERT = /^\[!(NOTE|TIP|IMPORTANT|WARNING|CAUTION|INFO|DANGER)\]\s*$/i;
/** By kind: the color of its edge. */
const COLORS: Readonly<Record<string, string>> = {
  tip: 'var(--good)',
  important: 'var(--note)',
  warning: 'var(--note)',
  caution: 'var(--note)',
  danger: 'var(--bad)',
};

/** Shows callouts as blocks with a field for their kind. `known` are the kinds that the site shows. */
export function callouts(known: () => readonly string[]) {
  return [
    ViewPlugin.define(
      (view) => ({
        decorations: decorate(view, known()),
        update(update) {
          const isMoved = update.selectionSet || update.focusChanged;
          const isParsed = syntaxTree(update.state) !== syntaxTree(update.startState);
          const isReconfigured = update.transactions.some(({ reconfigured }) => reconfigured);
          if (update.docChanged || update.viewportChanged || isMoved || isParsed || isReconfigured) {
            this.decorations = decorate(update.view, known());
          }
        },
      }),
      { decorations: (plugin) => plugin.decorations },
    ),
    keymap.of([FOCUS]),
    EditorView.theme({
      '.md-callout-line': {
        borderInlineStart: '4px solid var(--accent)',
        background: 'var(--sunk)',
        paddingInlineStart: '12px',
      },
      ...Object.fromEntries(
        Object.entries(COLORS).map(([kind, color]) => [
          `.md-callout-${kind}`,
          { borderInlineStartColor: color },
        ]),
      ),
      '.md-callout-kind': { display: 'inline-block', verticalAlign: 'middle', margin: '0 8px' },
      '.md-callout-kind select': { width: 'auto', height: '28px', padding: '0 6px', fontSize: '13px' },
    }),
  ];
}

function decorate(view: EditorView, known: readonly string[]): DecorationSet {
  const { state } = view;
  if (state.facet(sourceView)) return Decoration.none;
  const ranges: Range<Decoration>[] = [];
  const { main } = state.selection;
  for (const { from, to, kind, kindFrom, kindTo } of calloutsIn(state)) {
    if (!view.visibleRanges.some((range) => range.from <= to && range.to >= from)) continue;
    for (let at = from; at <= to; ) {
      const line = state.doc.lineAt(at);
      ranges.push(Decoration.line({ class: `md-callout-line md-callout-${kind}` }).range(line.from));
      at = line.to + 1;
    }
    if (state.readOnly) continue;
    const kinds = known.includes(kind) ? known : [kind, ...known];
    const widget = new KindWidget(kind, kinds);
    const line = state.doc.lineAt(kindTo);
    const isTouched = view.hasFocus && main.from <= line.to && main.to >= line.from;
    const isAlert = state.sliceDoc(kindTo, kindTo + 1) === ']';
    // The field stands in place of the marks. The title of a directive stays.
    ranges.push(
      isTouched
        ? Decoration.widget({ widget, side: 1 }).range(line.to)
        : Decoration.replace({ widget }).range(isAlert ? kindFrom - 2 : from, isAlert ? kindTo + 1 : kindTo),
    );
  }
  return Decoration.set(ranges, true);
}

class KindWidget extends WidgetType {
  readonly kind: string;
  readonly kinds: readonly string[];

  constructor(kind: string, kinds: readonly string[]) {
    super();
    this.kind = kind;
    this.kinds = kinds;
  }
  override eq({ kind, kinds }: KindWidget): boolean {
    return kind === this.kind && kinds.join() === this.kinds.join();
  }
  override toDOM(view: EditorView): HTMLElement {
    const frame = element('span', { class: 'md-callout-kind' });
    const select = element('select', { 'aria-label': markupText('callout.choose') });
    select.append(...this.kinds.map((kind) => element('option', { value: kind }, nameOf(kind))));
    select.value = this.kind;
    select.addEventListener('change', () => {
      const callout = calloutAt(view.state, view.posAtDOM(frame));
      if (callout === undefined) return;
      const { kindFrom: from, kindTo: to } = callout;
      const isUpper = view.state.sliceDoc(from, to) === callout.kind.toUpperCase();
      view.dispatch({
        changes: { from, to, insert: isUpper ? select.value.toUpperCase() : select.value },
        userEvent: 'input.format',
      });
      view.focus();
    });
    select.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape') return;
      event.preventDefault();
      event.stopPropagation();
      view.focus();
    });
    frame.append(select);
    return frame;
  }
}

/** The innermost callout around a position. */
function calloutAt(state: EditorState, at: number): Callout | undefined {
  return calloutsIn(state).findLast(({ from, to }) => from <= at && to >= at);
}

/** The same key as in tables. */
const FOCUS: KeyBinding = {
  key: 'Alt-F10',
  run(view) {
    const callout = calloutAt(view.state, view.state.selection.main.head);
    if (callout === undefined) return false;
    for (const select of view.contentDOM.querySelectorAll<HTMLSelectElement>('.md-callout-kind select')) {
      if (calloutAt(view.state, view.posAtDOM(select))?.from !== callout.from) continue;
      select.focus();
      return true;
    }
    return false;
  },
};

function nameOf(kind: string): string {
  const key = NAMES.find((each) => each === kind);
  return key === undefined ? kind : markupText(`callout.${key}`);
}

const NAMES = ['note', 'tip', 'info', 'important', 'warning', 'caution', 'danger'] as const;
