import { button, h } from '../dom.ts';

/** Asks before something that cannot be taken back. What is not confirmed, by Escape too, is not done. */
export function confirmed(question: string, more: string, yes: string): Promise<boolean> {
  return new Promise((resolve) => {
    let answer = false;
    const end = (said: boolean): void => {
      answer = said;
      dialog.close();
    };
    const dialog = h(
      'dialog',
      {
        'aria-labelledby': 'question',
        'aria-describedby': 'question-more',
        onclose: () => {
          dialog.remove();
          resolve(answer);
        },
      },
      h('h2', { id: 'question' }, question),
      h('p', { id: 'question-more' }, more),
      h(
        'div',
        { class: 'beside' },
        button('Cancel', () => end(false), { autofocus: true }),
        button(yes, () => end(true), { class: 'danger' }),
      ),
    );
    document.body.append(dialog);
    dialog.showModal();
  });
}
