import { type Attributes, button, h, select } from '../dom.ts';
import { type ExplorerField, isRecord } from '../schema.ts';
import { momentText, readValue, textOf } from './field-value.ts';
import { fileInputs, type ItemContext } from './file-input.ts';
import { referenceInput } from './reference-input.ts';

/** Inputs for one value of a field, as `formValue` has it; null for none. `set` is told with every keystroke. */
export function itemInput(context: ItemContext, value: unknown, set: (value: unknown) => void): HTMLElement {
  const { field, key, label } = context;
  const attributes: Attributes = { 'data-key': key, 'aria-label': label };
  if (field.choices.length > 0) return choiceInput(field, value, set, attributes);
  switch (field.kind) {
    case 'boolean':
      return choiceInput({ ...field, choices: ['true', 'false'] }, value, set, attributes);
    case 'reference':
      return referenceInput(context, field.targets, label, value, set, attributes);
    case 'image':
    case 'file':
      return fileInputs(context, value, set);
    case 'formatted_text':
      return bodyInputs(context, value, set);
    case 'object':
      return field.properties.length > 0 && field.properties.every(({ kind }) => PLAIN.has(kind))
        ? propertyInputs(context, value, set)
        : jsonInput(value, set, attributes);
    case 'json':
      return jsonInput(value, set, attributes);
    case 'datetime':
      return momentInput(textOf(value), set, attributes);
    default:
      return textInput(field.kind, value, set, attributes);
  }
}

const PLAIN: ReadonlySet<string> = new Set([
  'string',
  'integer',
  'number',
  'decimal',
  'boolean',
  'date',
  'datetime',
]);

function textInput(
  kind: ExplorerField['kind'],
  value: unknown,
  set: (value: unknown) => void,
  attributes: Attributes,
): HTMLElement {
  const text = textOf(value);
  if (kind === 'string' && (text.includes('\n') || text.length > 120))
    return textArea(text, 4, set, attributes);
  const isDay = kind === 'date' && /^(?:\d{4}-\d\d-\d\d)?$/.test(text);
  const input = h('input', {
    type: isDay ? 'date' : 'text',
    // What is no number can be typed all the same: the server says what is wrong with it.
    inputmode: kind === 'integer' || kind === 'number' || kind === 'decimal' ? 'decimal' : undefined,
    autocomplete: 'off',
    value: text,
    ...attributes,
    oninput: () => set(readValue(input.value, kind)),
  });
  return input;
}

function textArea(
  text: string,
  rows: number,
  set: (value: string | null) => void,
  attributes: Attributes,
): HTMLElement {
  const area = h(
    'textarea',
    { rows, ...attributes, oninput: () => set(area.value === '' ? null : area.value) },
    text,
  );
  return area;
}

function jsonInput(value: unknown, set: (value: unknown) => void, attributes: Attributes): HTMLElement {
  const given = (text: string | null): void => set(readValue(text ?? '', 'json'));
  return textArea(textOf(value), 3, given, {
    class: 'mono',
    spellcheck: 'false',
    placeholder: 'JSON',
    ...attributes,
  });
}

function choiceInput(
  { choices, kind }: Pick<ExplorerField, 'choices' | 'kind'>,
  value: unknown,
  set: (value: unknown) => void,
  attributes: Attributes,
): HTMLElement {
  const text = textOf(value);
  const all = text === '' || choices.includes(text) ? choices : [...choices, text];
  const options = [['', '–'] as const, ...all.map((choice) => [choice, choice] as const)];
  return select(options, text, (chosen) => set(readValue(chosen, kind)), attributes);
}

function momentInput(text: string, set: (value: unknown) => void, attributes: Attributes): HTMLElement {
  const input = h('input', {
    type: 'text',
    value: text,
    placeholder: '2024-01-31T18:00:00+01:00',
    autocomplete: 'off',
    ...attributes,
    oninput: () => set(input.value === '' ? null : input.value),
  });
  const now = button(
    'Now',
    () => {
      input.value = momentText(new Date());
      set(input.value);
    },
    { class: 'small', 'aria-label': `${attributes['aria-label']}: now` },
  );
  return h('div', { class: 'beside' }, input, now);
}

/** A body: its text, and the summary that its file may have. */
function bodyInputs({ key, label }: ItemContext, value: unknown, set: (value: unknown) => void): HTMLElement {
  let parts: Readonly<Record<string, unknown>> = isRecord(value) ? value : { value: '', summary: null };
  const change = (part: Readonly<Record<string, unknown>>): void => {
    parts = { ...parts, ...part };
    set(isRecord(value) || parts.value !== '' || parts.summary !== null ? parts : null);
  };
  const text = textArea(textOf(parts.value), 10, (next) => change({ value: next ?? '' }), {
    'data-key': key,
    'aria-label': label,
  });
  const summary = textArea(textOf(parts.summary), 2, (next) => change({ summary: next }), {
    'data-key': `${key}/summary`,
    'aria-label': `${label}: summary`,
    placeholder: 'summary',
  });
  return h('div', { class: 'stack' }, text, summary);
}

function propertyInputs(context: ItemContext, value: unknown, set: (value: unknown) => void): HTMLElement {
  let object: Readonly<Record<string, unknown>> = isRecord(value) ? value : {};
  const rows = context.field.properties.map(({ name, kind }) => {
    const change = (next: unknown): void => {
      const { [name]: _, ...others } = object;
      object = next === null ? others : { ...object, [name]: next };
      set(Object.keys(object).length === 0 ? null : object);
    };
    const part = { ...context.field, kind, choices: [], properties: [] };
    const key = `${context.key}/${name}`;
    const label = `${context.label}: ${name}`;
    const input = itemInput({ ...context, field: part, key, label }, object[name] ?? null, change);
    return h(
      'div',
      { class: 'beside' },
      h('span', { class: 'hint part-name', 'aria-hidden': 'true' }, name),
      input,
    );
  });
  return h('div', { class: 'stack', 'data-key': context.key, tabindex: -1 }, ...rows);
}
