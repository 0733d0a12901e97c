import { button, h, iconButton, replaceChildren } from '../dom.ts';
import type { ItemContext } from './file-input.ts';
import { itemInput } from './item-input.ts';
import { isSame } from './write-document.ts';

/** A field of the form. */
export interface FieldRow extends ItemContext {
  /** As `formValue` has it. */
  readonly value: unknown;
  /** Whether the document says something of it that is not stored. */
  isChanged(): boolean;
  set(value: unknown): void;
  /** Shows what is stored again. */
  undo(): void;
}

/** A field with its name, what the schema says of it, and inputs for its value or values. */
export function fieldRow(row: FieldRow, marksChanges: boolean): HTMLElement {
  const { field, key, label } = row;
  const undo = button('Undo', row.undo, {
    class: 'quiet small',
    'aria-label': `Undo the change of ${field.name}`,
  });
  const set = (value: unknown): void => {
    row.set(value);
    mark();
  };
  const one = (): HTMLElement => itemInput({ ...row, label: names }, row.value, set);
  const names = label === field.name ? label : `${label} (${field.name})`;
  const element = h(
    'div',
    {
      class: 'field',
      ...(field.list || SEVERAL.has(field.kind) ? { role: 'group', 'aria-label': names } : {}),
      'data-row': true,
      'data-field': field.name,
    },
    h(
      'div',
      { class: 'field-head' },
      h('span', { class: 'mono field-name', 'aria-hidden': 'true' }, field.name),
      label === field.name ? null : h('span', { 'aria-hidden': 'true' }, label),
      h('span', { class: 'hint' }, hintOf(row)),
      undo,
    ),
    field.description === '' ? null : h('p', { class: 'hint' }, field.description),
    field.list ? itemRows(row, set) : one(),
  );
  if (field.list) element.querySelector('.items')?.setAttribute('data-key', key);
  mark();
  return element;

  function mark(): void {
    const changed = marksChanges && row.isChanged();
    undo.hidden = !changed;
    element.classList.toggle('changed', changed);
  }
}

/** Kinds whose values have several inputs. */
const SEVERAL: ReadonlySet<string> = new Set(['formatted_text', 'object', 'image', 'file']);

/** Rows of a list; those without a value are not in the document, so they have no place in it either. */
function itemRows(row: FieldRow, set: (value: unknown) => void): HTMLElement {
  let items: readonly unknown[] = Array.isArray(row.value) ? row.value : [];
  const place = h('div', { class: 'items', tabindex: -1 });
  draw();
  return place;

  function draw(): void {
    const rows = items.map((item, index) => {
      const label = `${row.label} ${index + 1}`;
      const input = itemInput({ ...row, key: '', label }, item, (value) => change(index, value));
      return h(
        'div',
        { class: 'beside item' },
        input,
        index === 0
          ? null
          : iconButton('↑', `Move ${label} up`, () => {
              const before = items.toSpliced(index - 1, 2, items[index], items[index - 1]);
              give(before);
              draw();
              focus(index - 1);
            }),
        iconButton('×', `Remove ${label}`, () => {
          give(items.toSpliced(index, 1));
          draw();
          add.focus();
        }),
      );
    });
    const add = button(
      `+ ${row.field.name}`,
      () => {
        items = [...items, null];
        draw();
        focus(items.length - 1);
      },
      { class: 'quiet small', 'aria-label': `Add to ${row.label}` },
    );
    replaceChildren(place, ...rows, h('div', { class: 'adders' }, add));
    nameKeys();
  }

  function change(index: number, value: unknown): void {
    give(items.toSpliced(index, 1, value));
    nameKeys();
  }

  function give(next: readonly unknown[]): void {
    items = next;
    set(items.filter(isGiven));
  }

  function focus(index: number): void {
    place.children[index]?.querySelector<HTMLElement>('input, select, textarea')?.focus();
  }

  /** Inputs are known by where their value is in the document. */
  function nameKeys(): void {
    let position = 0;
    for (const [index, item] of items.entries()) {
      const input = place.children[index]?.querySelector('[data-key]');
      input?.setAttribute('data-key', isGiven(item) ? `${row.key}/${position++}` : '');
    }
  }
}

function isGiven(item: unknown): boolean {
  return item !== null && !isSame(item, { type: '', id: '' });
}

function hintOf({ field }: FieldRow): string {
  const kind =
    field.kind === 'reference' ? `→ ${field.targets.map(shortName).join(', ')}` : KIND_NAMES[field.kind];
  return [
    kind ?? field.kind.replace('_', ' '),
    ...(field.list ? ['list'] : []),
    ...(field.required || field.name === 'title' ? ['required'] : []),
  ].join(', ');
}

const KIND_NAMES: Readonly<Record<string, string>> = {
  string: 'text',
  datetime: 'date-time',
  formatted_text: 'text with a summary',
};

function shortName(name: string): string {
  return name.replace(/^node--/, '');
}
