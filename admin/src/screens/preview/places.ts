import { isRecord } from '../../../../integration/core/util/json.ts';
import type { Field } from '../../api/schema.ts';
import type { Values } from '../../model/entity-form.ts';

/** A text of the form that a page can show. */
export interface Place {
  /** The id of its input. */
  readonly id: string;
  /** The start of its paragraph in the text of the input. */
  readonly from: number;
}

/** Places by the letters and digits of their text. A text that two inputs have is left out. */
export type Places = ReadonlyMap<string, Place>;

/** The places of the values of text fields. `idOf` returns the id of the first input of a field. */
export function placesIn(fields: readonly Field[], values: Values, idOf: (field: Field) => string): Places {
  const all = fields.flatMap((field) => {
    const value = values[field.name];
    const id = idOf(field);
    if (field.kind !== 'formatted_text' || !isRecord(value)) {
      return TEXTS.includes(field.kind) ? textsIn(value, id) : [];
    }
    return [...textsIn(value.value, id), ...textsIn(value.summary, `${id}-summary`)];
  });
  const byText = Map.groupBy(
    all.flatMap(({ text, id }) => paragraphsOf(text).map((part) => ({ ...part, id }))),
    ({ text }) => lettersOf(withoutMarkup(text)),
  );
  const unique = [...byText].flatMap(([letters, places]): [string, Place][] => {
    const [first] = places;
    return letters === '' || first === undefined || places.length > 1
      ? []
      : [[letters, { id: first.id, from: first.from }]];
  });
  return new Map(unique);
}

const TEXTS: readonly Field['kind'][] = [
  'string',
  'formatted_text',
  'integer',
  'number',
  'decimal',
  'object',
  'json',
];

interface InputText {
  readonly text: string;
  readonly id: string;
}

/** Inputs of parts of a value have the id of the field and the steps to the part. */
function textsIn(value: unknown, id: string): readonly InputText[] {
  if (typeof value === 'string' || typeof value === 'number') return [{ text: String(value), id }];
  const isReference = isRecord(value) && 'type' in value && 'id' in value;
  if (typeof value !== 'object' || value === null || isReference) return [];
  return Object.entries(value).flatMap(([name, part]) => textsIn(part, `${id}/${name}`));
}

/** The elements of a page that show a place, and nothing else. Short texts count if only one element has them. */
export function elementsOf(root: Element, places: Places): ReadonlyMap<Element, Place> {
  const longest = Math.max(0, ...[...places.keys()].map(({ length }) => length));
  const found: { readonly element: Element; readonly letters: string }[] = [];
  const visit = (element: Element): string => {
    if (HIDDEN.has(element.localName)) return '';
    const parts = [...element.childNodes].map((node) =>
      isElement(node) ? visit(node) : node.nodeType === TEXT_NODE ? lettersOf(node.nodeValue ?? '') : '',
    );
    const letters = parts.join('');
    const isInside = [...element.childNodes].some((node, at) => isElement(node) && parts[at] === letters);
    if (!isInside && letters.length <= longest && places.has(letters)) found.push({ element, letters });
    return letters;
  };
  visit(root);
  const counts = Map.groupBy(found, ({ letters }) => letters);
  return new Map(
    found.flatMap(({ element, letters }): [Element, Place][] => {
      const place = places.get(letters);
      const isUnique = letters.length >= LEAST_LETTERS || counts.get(letters)?.length === 1;
      return place && isUnique ? [[element, place]] : [];
    }),
  );
}

/** The elements that a template marks with `edit()` as those of a field of the entity. */
export function markedElements(
  root: Element,
  entity: { readonly type: string; readonly id: string | undefined },
  fields: readonly Field[],
  idOf: (field: Field) => string,
): ReadonlyMap<Element, Place> {
  return new Map(
    [...root.querySelectorAll('[data-jsonapi-edit]')].flatMap((element): [Element, Place][] => {
      const [type, id, name] = element.getAttribute('data-jsonapi-edit')?.split(' ') ?? [];
      const field = fields.find((each) => each.name === name);
      const isOwn = id === entity.id && (type === entity.type || `node--${type}` === entity.type);
      return field && isOwn ? [[element, { id: idOf(field), from: 0 }]] : [];
    }),
  );
}

/** Fewer letters or digits stand on a page by chance. */
const LEAST_LETTERS = 4;
const TEXT_NODE = 3;
const HIDDEN: ReadonlySet<string> = new Set(['script', 'style', 'noscript', 'template', 'svg', 'head']);

function isElement(node: Node): node is Element {
  return node.nodeType === 1;
}

/** Quotes, dashes and spaces can differ between a text and a page. */
function lettersOf(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');
}

/** The paragraphs, headings, items, cells and code blocks of a Markdown text. */
export function paragraphsOf(text: string): readonly { readonly text: string; readonly from: number }[] {
  const parts: { text: string; from: number }[] = [];
  let fence: string | undefined;
  let isOpen = false;
  let from = 0;
  for (const line of text.split('\n')) {
    const [mark] = /^\s*(?:```|~~~)/.exec(line) ?? [];
    const last = parts.at(-1);
    if (mark !== undefined) {
      fence = fence === undefined ? mark : undefined;
      isOpen = false;
      if (fence !== undefined) parts.push({ text: '', from: from + line.length + 1 });
    } else if (fence !== undefined && last) last.text += `${line}\n`;
    else if (/^\s*\|/.test(line)) {
      let at = from;
      for (const cell of line.split('|')) {
        if (cell.trim() !== '') parts.push({ text: cell, from: at });
        at += cell.length + 1;
      }
      isOpen = false;
    } else if (line.trim() === '') isOpen = false;
    else if (isOpen && last && !BLOCK_START.test(line)) last.text += `\n${line}`;
    else {
      parts.push({ text: line, from });
      isOpen = !/^\s*#/.test(line);
    }
    from += line.length + 1;
  }
  return parts;
}

const BLOCK_START = /^\s*(?:#{1,6}\s|[-*+]\s|\d{1,9}[.)]\s|>)/;

/** The text as a page shows it, apart from characters that are not letters or digits. */
function withoutMarkup(text: string): string {
  return text
    .replace(/^\s*\d{1,9}[.)]\s/, '')
    .replace(/!\[[^\][]*\]\([^()]*\)/g, '')
    .replace(/\]\([^()\]]*\)/g, '')
    .replace(/<[^<>]*>/g, '')
    .replace(/&[a-z]{2,8};/gi, '');
}
