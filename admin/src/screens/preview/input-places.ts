import { tick } from 'svelte';
import { focusAt } from '../../components/fields/control.ts';
import type { Place } from './places.ts';

/** Moves the cursor to a place of the form. An input that is not shown is that of the part around it. */
export async function showPlace({ id, from }: Place): Promise<void> {
  let nearest = id;
  while (!document.getElementById(nearest) && nearest.includes('/')) {
    nearest = nearest.slice(0, nearest.lastIndexOf('/'));
  }
  const input = document.getElementById(nearest);
  const view = await editorIn(input);
  if (view === undefined) {
    focusAt(nearest);
    if (isText(input) && from > 0) input.setSelectionRange(from, from);
    return;
  }
  const { EditorView } = await import('@codemirror/view');
  const anchor = Math.min(from, view.state.doc.length);
  view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) });
  view.focus();
  await tick();
}

/** The place of the cursor in the text of an input; 0 without a text. */
export async function cursorIn(id: string): Promise<number> {
  const input = document.getElementById(id);
  const view = await editorIn(input);
  return view?.state.selection.main.head ?? (isText(input) ? (input.selectionStart ?? 0) : 0);
}

async function editorIn(input: HTMLElement | null) {
  if (input === null || !input.classList.contains('cm-content')) return undefined;
  const { EditorView } = await import('@codemirror/view');
  return EditorView.findFromDOM(input) ?? undefined;
}

function isText(input: Element | null): input is HTMLInputElement | HTMLTextAreaElement {
  return input instanceof HTMLTextAreaElement || (input instanceof HTMLInputElement && input.type === 'text');
}
