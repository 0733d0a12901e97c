import { tick } from 'svelte';

/**
 * Errors at inputs. An input has a key: the parameter that it writes, such as `condition-3-value`, or the JSON pointer of
 * its value in the document, such as `/data/attributes/title`.
 */
class Marks {
  #messages = $state.raw<ReadonlyMap<string, string>>(new Map());

  /** Attributes of the input with this key. */
  attributes(key: string): Record<string, string> {
    if (!this.#messages.has(key)) return { 'data-key': key };
    return { 'data-key': key, 'aria-invalid': 'true', 'aria-describedby': idOf(key) };
  }

  message(key: string): string | undefined {
    return this.#messages.get(key);
  }

  show(errors: readonly { readonly key: string | undefined; readonly message: string }[]): void {
    const messages = new Map<string, string>();
    for (const { key, message } of errors) {
      if (key === undefined) continue;
      messages.set(key, [messages.get(key), message].filter(Boolean).join(' '));
      inputAt(key)?.closest('details')?.setAttribute('open', '');
    }
    this.#messages = messages;
  }

  clear(): void {
    this.#messages = new Map();
  }
}

export const marks = new Marks();

export function idOf(key: string): string {
  return `error-${key.replace(/[^\w-]/g, '-')}`;
}

/** The input with a key. */
export function inputAt(key: string | undefined): HTMLElement | undefined {
  if (key === undefined) return undefined;
  return document.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`) ?? undefined;
}

/** Focuses an input once it is rendered. */
export async function focusInput(key: string): Promise<void> {
  await tick();
  inputAt(key)?.focus();
}

/** The key of the input for a JSON pointer, or of the nearest one around it. */
export function keyOfPointer(pointer: string): string | undefined {
  for (let key = pointer; key !== ''; key = key.slice(0, Math.max(key.lastIndexOf('/'), 0))) {
    if (inputAt(key) !== undefined) return key;
  }
  return undefined;
}
