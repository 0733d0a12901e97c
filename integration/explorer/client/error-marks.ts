import { readFacts } from './api-document.ts';
import { byId, h } from './dom.ts';
import type { Answer } from './request.ts';

/** Marks the inputs that the server's errors name, each with its sentence beneath. `keyOf` knows them by parameter. */
export function markErrors(answer: Answer, keyOf: (parameter: string) => string | undefined): void {
  for (const [index, error] of readFacts(answer.document).errors.entries()) {
    const element = error.parameter === undefined ? undefined : inputAt(keyOf(error.parameter));
    if (element === undefined) continue;
    const id = `input-error-${index}`;
    element.setAttribute('aria-invalid', 'true');
    element.setAttribute('aria-describedby', id);
    element.closest('[data-row]')?.append(h('p', { class: 'input-error', id }, error.detail));
  }
}

export function clearErrorMarks(): void {
  for (const message of byId('builder').querySelectorAll('.input-error')) message.remove();
  for (const element of byId('builder').querySelectorAll('[aria-invalid]')) {
    element.removeAttribute('aria-invalid');
    element.removeAttribute('aria-describedby');
  }
}

/** The form's input of a key; undefined where it has none. */
export function inputAt(key: string | undefined): HTMLElement | undefined {
  if (key === undefined) return undefined;
  return byId('builder').querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`) ?? undefined;
}
