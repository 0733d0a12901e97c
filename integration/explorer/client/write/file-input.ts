import { readFacts } from '../api-document.ts';
import { h } from '../dom.ts';
import { ask } from '../request.ts';
import { type ExplorerField, isRecord } from '../schema.ts';
import { textOf } from './field-value.ts';
import type { ReferenceSource } from './reference-input.ts';

/** A file by its path with what is said in its place, and a way to upload one. */
export function fileInputs(context: ItemContext, value: unknown, set: (value: unknown) => void): HTMLElement {
  const { key, label, field, prefix, collection } = context;
  const file = isRecord(value) ? value : {};
  let place = textOf(isRecord(file.uri) ? file.uri.value : null);
  let alt = textOf(file.alt);
  const change = (): void =>
    set(place === '' ? null : { uri: { value: place }, alt: alt === '' ? null : alt });

  const path = h('input', {
    type: 'text',
    value: place,
    placeholder: 'path beside the file, or upload one',
    'data-key': key,
    'aria-label': label,
    oninput: () => {
      place = path.value;
      change();
    },
  });
  const text = h('input', {
    type: 'text',
    value: alt,
    placeholder: 'alternative text',
    'data-key': `${key}/alt`,
    'aria-label': `${label}: alternative text`,
    oninput: () => {
      alt = text.value;
      change();
    },
  });
  const said = h('p', { class: 'hint', role: 'status' });
  const chosen = h('input', {
    type: 'file',
    accept: field.kind === 'image' ? 'image/*' : undefined,
    'aria-label': `${label}: upload`,
    onchange: () => void upload(),
  });
  return h('div', { class: 'stack' }, path, text, chosen, said);

  async function upload(): Promise<void> {
    const [picked] = chosen.files ?? [];
    if (picked === undefined) return;
    said.textContent = 'Uploading …';
    const answer = await ask(`${prefix}${collection}/${field.name}`, new AbortController().signal, {
      method: 'POST',
      headers: {
        'content-type': 'application/octet-stream',
        'content-disposition': `file; filename*=UTF-8''${encodeURIComponent(picked.name)}`,
      },
      body: picked,
    });
    const id =
      isRecord(answer.document) && isRecord(answer.document.data) ? answer.document.data.id : undefined;
    if ((answer.status === 201 || answer.status === 202) && typeof id === 'string') {
      place = id;
      path.value = id;
      change();
      said.textContent = 'Uploaded. It is named once you send.';
      return;
    }
    const [error] = readFacts(answer.document).errors;
    said.textContent = `Not uploaded: ${error?.detail ?? answer.failure ?? answer.statusText}`;
  }
}

/** What every input of a field is made with. */
export interface ItemContext extends ReferenceSource {
  readonly field: ExplorerField;
  /** Of the bundle the field is in: `/node/article`. */
  readonly collection: string;
  /** The pointer of its value in the document; an error there marks it. */
  readonly key: string;
  readonly label: string;
}
