import { h } from '../dom.ts';

/** The document that is to be sent, as text to change by hand. */
export interface DocumentBox {
  readonly elements: readonly HTMLElement[];
  show(text: string): void;
  /** Says what is wrong with the text; nothing where it is empty. */
  say(problem: string): void;
}

export function documentBox(text: string, oninput: (text: string) => void): DocumentBox {
  const box = h(
    'textarea',
    {
      id: 'document',
      class: 'mono',
      spellcheck: 'false',
      autocapitalize: 'off',
      'aria-label': 'Document to send',
      'aria-describedby': 'document-problem',
      'data-key': '/data',
      oninput: () => {
        grow();
        oninput(box.value);
      },
    },
    text,
  );
  grow();
  const problem = h('p', {
    id: 'document-problem',
    class: 'input-error',
    'aria-live': 'polite',
    hidden: true,
  });
  return {
    elements: [h('h2', {}, 'Document'), h('div', { 'data-row': true }, box, problem)],
    show(next) {
      box.value = next;
      grow();
    },
    say(sentence) {
      problem.textContent = sentence;
      problem.hidden = sentence === '';
    },
  };

  function grow(): void {
    box.rows = Math.min(Math.max(box.value.split('\n').length, MIN_ROWS), MAX_ROWS);
  }
}

const MIN_ROWS = 4;
const MAX_ROWS = 18;
