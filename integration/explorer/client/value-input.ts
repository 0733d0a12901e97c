import type { FieldKind } from '../../content/model.ts';
import { h } from './dom.ts';

/**
 * An input for a value of a kind; a plain text input for a value that the kind's own input could not show.
 * `set` is given undefined when a kind that has no empty value is emptied.
 */
export function valueInput(
  kind: FieldKind | undefined,
  value: string | undefined,
  label: string,
  set: (text: string | undefined) => void,
  more: Readonly<Record<string, string | ((event: Event) => void)>> = {},
): HTMLElement {
  const text = value ?? '';
  if (kind === 'boolean' && /^(?:0|1|true|false)?$/.test(text)) {
    const word = h('span', {}, text === '1' || text === 'true' ? 'true' : 'false');
    const box = h('input', {
      ...more,
      type: 'checkbox',
      'aria-label': label,
      checked: text === '1' || text === 'true',
      onchange: () => {
        word.textContent = String(box.checked);
        set(String(box.checked));
      },
    });
    return h('label', { class: 'check' }, box, word);
  }
  const { type, fits, ...look } = (kind === undefined ? undefined : VALUE_INPUTS[kind]) ?? {
    type: 'text',
    fits: ANY,
  };
  const input = h('input', {
    ...look,
    ...more,
    type: fits.test(text) ? type : 'text',
    value: text,
    'aria-label': label,
    placeholder: look.placeholder ?? 'value',
    oninput: () => set(input.value === '' && kind !== 'string' ? undefined : input.value),
  });
  return input;
}

const ANY = /^/;
const NUMBER = /^(?:-?\d+(?:\.\d+)?)?$/;
const VALUE_INPUTS: Readonly<
  Partial<Record<FieldKind, { type: string; fits: RegExp; step?: string; placeholder?: string }>>
> = {
  integer: { type: 'number', fits: NUMBER, step: 'any' },
  number: { type: 'number', fits: NUMBER, step: 'any' },
  decimal: { type: 'number', fits: NUMBER, step: 'any' },
  date: { type: 'date', fits: /^(?:\d{4}-\d\d-\d\d)?$/ },
  datetime: { type: 'text', fits: ANY, placeholder: '2024-01-12T09:00:00Z' },
};
