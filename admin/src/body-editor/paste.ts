import { syntaxTree } from '@codemirror/language';
import type { EditorState, Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import type { PastedText } from './html-to-markdown.ts';
import { textPlace } from './nodes.ts';
import type { Pasting } from './pasted-blocks.ts';

/** HTML is pasted as Markdown, or as text with Ctrl+Shift+V. Dropped and pasted files go to `onfiles`. */
export function paste(onfiles: (files: readonly File[], at: number) => void): Extension {
  let isPlain = false;
  return EditorView.domEventHandlers({
    keydown(event) {
      isPlain = event.shiftKey;
    },
    paste(event, view) {
      const { clipboardData } = event;
      if (clipboardData === null || view.state.readOnly) return false;
      const html = clipboardData.getData('text/html');
      const plain = clipboardData.getData('text/plain');
      const files = [...clipboardData.files];
      // Programs put a picture of copied text beside the text.
      if (files.length > 0 && plain === '') {
        event.preventDefault();
        onfiles(files, view.state.selection.main.to);
        return true;
      }
      if (isPlain || (html === '' && !plain.includes('\t')) || isInCode(view)) return false;
      event.preventDefault();
      void pasteHtml(view, html, plain, onfiles);
      return true;
    },
    drop(event, view) {
      const files = [...(event.dataTransfer?.files ?? [])];
      if (files.length === 0 || view.state.readOnly) return false;
      event.preventDefault();
      onfiles(
        files,
        view.posAtCoords({ x: event.clientX, y: event.clientY }) ?? view.state.selection.main.to,
      );
      return true;
    },
  });
}

async function pasteHtml(
  view: EditorView,
  html: string,
  plain: string,
  onfiles: (files: readonly File[], at: number) => void,
): Promise<void> {
  let pasted: PastedText = { markdown: plain, images: [] };
  let insert = insertText;
  const isMdx = view.state.facet(textPlace)?.isMdx;
  try {
    const [{ cellsOf, htmlToMarkdown, hasMarkup, tableOf }, { insertPasted }] = await Promise.all([
      import('./html-to-markdown.ts'),
      import('./pasted-blocks.ts'),
    ]);
    insert = insertPasted;
    if (hasMarkup(html)) pasted = htmlToMarkdown(html, isMdx);
    else if (html === '') {
      const cells = cellsOf(html, plain, isMdx);
      if (cells !== undefined) pasted = { markdown: tableOf(cells), images: [] };
    }
  } catch {
    // Offline, the converter cannot be loaded. The text is pasted without its markup.
  }
  const { transaction, placeOf } = insert(view.state, pasted.markdown);
  view.dispatch(transaction);
  for (const { at, file } of pasted.images) onfiles([file], placeOf(at));
}

function insertText(state: EditorState, text: string): Pasting {
  const { from } = state.selection.main;
  const insert = state.replaceSelection(text);
  const transaction = state.update({ ...insert, scrollIntoView: true, userEvent: 'input.paste' });
  return { transaction, placeOf: (at) => from + at };
}

/** Text is pasted into code as it is. */
function isInCode({ state }: EditorView): boolean {
  return /Code|HTML|Comment/.test(syntaxTree(state).resolveInner(state.selection.main.head, -1).name);
}
