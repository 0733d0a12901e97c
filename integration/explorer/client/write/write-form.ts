import { type Child, h, select } from '../dom.ts';
import type { ExplorerField, ExplorerSchema } from '../schema.ts';
import { type FieldRow, fieldRow } from './field-row.ts';
import { formValue, wantedValue } from './field-value.ts';
import { type ReferenceSource, referenceInput } from './reference-input.ts';
import { fieldOf, idOf, saidOf, type WriteDocument } from './write-document.ts';
import { pathTo, type WriteTarget } from './write-target.ts';

/** What the form shows and changes. */
export interface WriteForm extends ReferenceSource {
  readonly target: WriteTarget;
  /** What is to be sent, as it is by now. */
  document(): WriteDocument;
  /** As it is stored; undefined for what is new. */
  readonly resource: Readonly<Record<string, unknown>> | undefined;
  /** Names of the fields that whoever asks may give a value. */
  readonly writable: ReadonlySet<string>;
  /** Gives a field a value, as inputs have it. */
  set(field: ExplorerField, value: unknown): void;
  undo(field: ExplorerField): void;
  setId(id: string): void;
}

/** Inputs of all fields that may be written, those that are seldom changed folded away. */
export function writeFields(form: WriteForm): readonly HTMLElement[] {
  const { target, writable } = form;
  const fields = target.type.fields.filter(({ name }) => writable.has(name));
  const isFolded = ({ name }: ExplorerField): boolean => SELDOM.has(name);
  const seldom = fields.filter(isFolded).map((field) => rowOf(form, field));
  return [
    ...(target.method === 'POST' ? [idRow(form)] : []),
    ...fields.filter((field) => !isFolded(field)).map((field) => rowOf(form, field)),
    ...(seldom.length === 0
      ? []
      : [h('details', { class: 'seldom' }, h('summary', {}, 'More fields'), ...seldom)]),
  ];
}

const SELDOM: ReadonlySet<string> = new Set(['created', 'langcode', 'path', 'uid']);

function rowOf(form: WriteForm, field: ExplorerField): HTMLElement {
  const { target, resource } = form;
  const stored = resource === undefined ? undefined : formValue(field, fieldOf(resource, field));
  const empty = formValue(field, undefined);
  const row: FieldRow = {
    schema: form.schema,
    prefix: form.prefix,
    collection: pathTo(target.type),
    field,
    key: pointerOf(field),
    label: field.label === '' ? field.name : field.label,
    value: wantedValue(field, stored ?? empty, saidOf(form.document(), field)),
    isChanged: () => saidOf(form.document(), field) !== undefined,
    set: (value) => form.set(field, value),
    undo: () => form.undo(field),
  };
  return fieldRow(row, resource !== undefined);
}

/** Of a field's value in the document. */
export function pointerOf({ name, kind }: Pick<ExplorerField, 'name' | 'kind'>): string {
  return kind === 'reference' ? `/data/relationships/${name}/data` : `/data/attributes/${name}`;
}

function idRow(form: WriteForm): HTMLElement {
  const input = h('input', {
    type: 'text',
    value: idOf(form.document()),
    placeholder: 'made of the title',
    autocomplete: 'off',
    'data-key': '/data/id',
    'aria-label': 'id',
    oninput: () => form.setId(input.value),
  });
  return h(
    'div',
    { class: 'field', 'data-row': true },
    h(
      'div',
      { class: 'field-head' },
      h('span', { class: 'mono field-name', 'aria-hidden': 'true' }, 'id'),
      h('span', { class: 'hint' }, 'optional; names the file'),
    ),
    input,
  );
}

/** What is written to: a bundle, or one of its entities. */
export function targetSection(
  source: ReferenceSource & { readonly schema: ExplorerSchema },
  target: WriteTarget,
  goTo: (path: string) => void,
): HTMLElement {
  const { type, id, method } = target;
  const options = source.schema.types.map(
    ({ name, entityType, bundle }) => [name, entityType === 'node' ? bundle : name] as const,
  );
  const bundles = select(
    options,
    type.name,
    (name) => {
      const chosen = source.schema.types.find((known) => known.name === name);
      if (chosen !== undefined) goTo(pathTo(chosen));
    },
    { id: 'bundle', 'data-key': 'bundle' },
  );
  const rows: Child[] = [h('div', { class: 'bundle' }, h('label', { for: 'bundle' }, 'Bundle'), bundles)];
  if (method !== 'POST') {
    let chosen = '';
    const open = (): void => {
      if (chosen !== '' && chosen !== id) goTo(pathTo(type, chosen));
    };
    const set = (reference: unknown): void => {
      chosen =
        typeof reference === 'object' && reference !== null && 'id' in reference ? String(reference.id) : '';
    };
    const input = referenceInput(source, [type.name], 'Entity', { type: type.name, id }, set, {
      'data-key': '/data/id',
      onchange: open,
    });
    // A choice from the list is no change that the input itself reports.
    input.addEventListener('click', open);
    input.addEventListener('keyup', (event) => {
      if (event.key === 'Enter' || event.key === 'Tab') open();
    });
    input.addEventListener('focusout', open);
    rows.push(
      h(
        'div',
        { class: 'bundle', 'data-row': true },
        h('span', { class: 'label', 'aria-hidden': 'true' }, 'Entity'),
        input,
      ),
    );
  }
  return h('section', { class: 'part stack', 'aria-label': 'What to write to' }, ...rows);
}
