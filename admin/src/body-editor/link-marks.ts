import { ensureSyntaxTree, syntaxTree } from '@codemirror/language';
import { type EditorState, type Extension, StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view';
import { checkLink, type LinkState } from '../api/link-check.ts';
import { headingsIn } from './headings.ts';
import { addressOf, destinationOf } from './nodes.ts';

/** A link of the text that needs attention. */
export interface LinkNote {
  /** The place of its address. */
  readonly from: number;
  readonly to: number;
  /** The place of the whole link. */
  readonly linkFrom: number;
  readonly linkTo: number;
  readonly address: string;
  readonly state: Extract<LinkState, { kind: 'missing' | 'no-anchor' | 'moved' }>;
}

/** Milliseconds without a change before links are checked. */
const QUIET_MS = 700;

/** Marks links that lead to nothing, or that are redirected. `onnotes` is called with all of them when they change. */
export function linkMarks(onnotes: (notes: readonly LinkNote[]) => void): Extension {
  return [
    marked,
    EditorView.baseTheme({
      '.cm-broken-link': { textDecoration: 'underline wavy var(--bad)', textUnderlineOffset: '3px' },
      '.cm-moved-link': { textDecoration: 'underline dotted var(--muted)', textUnderlineOffset: '3px' },
    }),
    ViewPlugin.define((view) => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      let isGone = false;
      const schedule = (delay: number) => {
        clearTimeout(timer);
        timer = setTimeout(() => void check(), delay);
      };
      async function check(): Promise<void> {
        const { state } = view;
        const notes = await notesIn(state);
        // The next check has the places of a text that has changed since.
        if (isGone || view.state.doc !== state.doc) return;
        view.dispatch({ effects: show.of(notes) });
        onnotes(notes);
      }
      schedule(0);
      return {
        update(update: ViewUpdate) {
          if (update.docChanged) schedule(QUIET_MS);
        },
        destroy() {
          isGone = true;
          clearTimeout(timer);
        },
      };
    }),
  ];
}

/** Writes another address for a link. */
export function useAddress(view: EditorView, { from, to, address }: LinkNote, next: string): void {
  // The text may have changed since the link was checked.
  if (view.state.sliceDoc(from, to).replace(/^<(.*)>$/, '$1') !== address) return;
  view.dispatch({ changes: { from, to, insert: destinationOf(next) }, userEvent: 'input.format' });
}

const show = StateEffect.define<readonly LinkNote[]>();
const marked = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(decorations, { changes, effects }) {
    let next = decorations.map(changes);
    for (const effect of effects) {
      if (!effect.is(show)) continue;
      const sorted = [...effect.value].sort((a, b) => a.from - b.from);
      next = Decoration.set(
        sorted.map(({ state, linkFrom, linkTo }) =>
          Decoration.mark({ class: state.kind === 'moved' ? 'cm-moved-link' : 'cm-broken-link' }).range(
            linkFrom,
            linkTo,
          ),
        ),
        true,
      );
    }
    return next;
  },
  provide: (field) => EditorView.decorations.from(field),
});

async function notesIn(state: EditorState): Promise<readonly LinkNote[]> {
  const links = linksIn(state);
  const anchors = new Set(headingsIn(state).map(({ id }) => id));
  const states = await Promise.all(
    links.map(({ address }): Promise<LinkState> => {
      if (!address.startsWith('#')) return checkLink(address);
      const anchor = address.slice(1);
      const isThere = anchor === '' || anchor === 'top' || anchors.has(anchor) || hasId(state, anchor);
      return Promise.resolve({ kind: isThere ? 'found' : 'no-anchor' });
    }),
  );
  return links.flatMap((link, at): LinkNote[] => {
    const found = states[at];
    return found === undefined || found.kind === 'found' || found.kind === 'unknown'
      ? []
      : [{ ...link, state: found as LinkNote['state'] }];
  });
}

/** The links to paths of the site and to anchors of the text. */
function linksIn(state: EditorState) {
  const links: Omit<LinkNote, 'state'>[] = [];
  const tree = ensureSyntaxTree(state, state.doc.length) ?? syntaxTree(state);
  tree.iterate({
    enter({ name, node }) {
      if (name !== 'Link') return;
      const url = node.getChild('URL');
      const address = addressOf(state, node) ?? '';
      if (url === null || !/^(?:\/(?!\/)|#)/.test(address)) return;
      links.push({ from: url.from, to: url.to, linkFrom: node.from, linkTo: node.to, address });
    },
  });
  return links;
}

/** True for an anchor in the HTML of the text. */
function hasId({ doc }: EditorState, anchor: string): boolean {
  const text = doc.toString();
  return ['id', 'name'].some((name) => text.includes(`${name}="${anchor}"`));
}
