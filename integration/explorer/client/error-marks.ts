import { readFacts, type ShownError } from './api-document.ts';
import { h } from './dom.ts';
import type { Answer } from './request.ts';

/** Key of the input that wrote what an error names; undefined where none did. */
export type KeyOf = (error: ShownError) => string | undefined;

/** Marks the inputs that the server's errors name, each with its sentence beneath. */
export function markErrors(answer: Answer, keyOf: KeyOf): void {
  for (const [index, error] of readFacts(answer.document).errors.entries()) {
    const element = inputAt(keyOf(error));
    if (element === undefined) continue;
    const id = `input-error-${index}`;
    element.setAttribute('aria-invalid', 'true');
    element.setAttribute('aria-describedby', id);
    element.closest('details')?.setAttribute('open', '');
    element.closest('[data-row]')?.append(h('p', { class: 'input-error', id }, error.detail));
  }
}

export function clearErrorMarks(): void {
  for (const message of document.querySelectorAll('[id^="input-error-"]')) message.remove();
  for (const element of document.querySelectorAll('main [aria-invalid]')) {
    element.removeAttribute('aria-invalid');
    element.removeAttribute('aria-describedby');
  }
}

/** Key of the input of a place in a document, or of what is nearest around it; undefined where there is none. */
export function keyOfPointer(pointer: string | undefined): string | undefined {
  const steps = pointer?.split('/') ?? [];
  for (let length = steps.length; length > 1; length--) {
    const key = steps.slice(0, length).join('/');
    if (inputAt(key) !== undefined) return key;
  }
  return undefined;
}

/** The input of a key; undefined where there is none. */
export function inputAt(key: string | undefined): HTMLElement | undefined {
  if (key === undefined) return undefined;
  return document.querySelector<HTMLElement>(`main [data-key="${CSS.escape(key)}"]`) ?? undefined;
}
