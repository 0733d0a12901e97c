import { syntaxTree } from '@codemirror/language';
import {
  type DecorationSet,
  type EditorView,
  showPanel,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view';
import { decorate, type ImageUrls } from './decorate.ts';
import { flowingText } from './soft-breaks.ts';

/** Shows Markdown as it will look, with the markup of the elements that the selection touches. */
export function preview(imageUrls: ImageUrls) {
  const elements = ViewPlugin.fromClass(
    class {
      decorations: DecorationSet;
      isPressed = false;

      constructor(view: EditorView) {
        this.decorations = decorationsOf(view);
      }

      update(update: ViewUpdate): void {
        const { view } = update;
        const isParsed = syntaxTree(update.state) !== syntaxTree(update.startState);
        if (update.docChanged || update.viewportChanged || isParsed) this.decorations = decorationsOf(view);
        // Nothing moves below the pointer while it selects.
        else if (this.isPressed) this.decorations = this.decorations.map(update.changes);
        else if (update.selectionSet || update.focusChanged) this.decorations = decorationsOf(view);
      }
    },
    {
      decorations: (plugin) => plugin.decorations,
      eventHandlers: {
        mousedown(_, view) {
          this.isPressed = true;
          const release = () => {
            this.isPressed = false;
            this.decorations = decorationsOf(view);
            view.dispatch();
          };
          window.addEventListener('mouseup', release, { once: true });
        },
      },
    },
  );

  return [flowingText(), elements];

  /** While searching, the match is the selection. The search is the only panel. */
  function decorationsOf({ state, visibleRanges, hasFocus }: EditorView): DecorationSet {
    return decorate(
      state,
      visibleRanges,
      hasFocus || state.facet(showPanel).some((panel) => panel !== null),
      imageUrls,
    );
  }
}
