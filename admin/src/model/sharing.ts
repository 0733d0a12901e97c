import { objectOf } from '../api/document.ts';
import type { Field } from '../api/schema.ts';
import { isFilled, textOf } from './document.ts';
import type { Values } from './entity-form.ts';

/** What search results and shared links show of an entry. */
export interface SharedPage {
  readonly title: string;
  readonly description: string;
  /** True if the description is the beginning of the text. */
  readonly isFromText: boolean;
  readonly image?: { readonly uri: string; readonly alt: string };
  /** The path of the page, such as `/moon`; empty if the form does not have it. */
  readonly path: string;
  readonly notes: readonly SharingNote[];
}

/** Something to improve. */
export interface SharingNote {
  readonly key:
    | 'titleMissing'
    | 'titleShort'
    | 'titleLong'
    | 'descriptionMissing'
    | 'descriptionShort'
    | 'descriptionLong'
    | 'imageMissing'
    | 'altMissing'
    | 'pathMissing';
  /** The id of the input without the prefix of the form. */
  readonly input: string;
  /** Characters of the text. */
  readonly count?: number;
  /** Characters that search results have room for. */
  readonly room?: number;
}

/** In Latin characters; those of Chinese, Japanese and Korean take twice the room. */
const TITLE = { least: 15, most: 60 };
const DESCRIPTION = { least: 50, most: 160 };

/** Without `field_`, underscores and capitals. The first that has a value counts. */
const DESCRIPTIONS = [
  'metadescription',
  'seodescription',
  'description',
  'summary',
  'excerpt',
  'teaser',
  'abstract',
];
const IMAGES = [
  'ogimage',
  'socialimage',
  'cover',
  'coverimage',
  'image',
  'heroimage',
  'hero',
  'featuredimage',
  'thumbnail',
  'banner',
];

export function sharedPage(fields: readonly Field[], values: Values): SharedPage {
  const body = objectOf(values.body);
  const title = textOf(values.title).trim();
  const descriptions = [
    ...usualFields(fields, ['string', 'formatted_text'], DESCRIPTIONS).map(({ name }) => ({
      input: name,
      text: plain(values[name]),
    })),
    ...(fields.some(({ name, kind }) => name === 'body' && kind === 'formatted_text')
      ? [{ input: 'body-summary', text: plain(body.summary) }]
      : []),
  ];
  const description = descriptions.find(({ text }) => text !== '') ?? descriptions[0];
  const images = imageFields(fields);
  const image = images.find(({ name }) => isFilled(firstOf(values[name]) ?? null)) ?? images[0];
  const file = objectOf(image && firstOf(values[image.name]));
  const uri = textOf(objectOf(file.uri).value);
  const path = textOf(objectOf(values.path).alias);
  return {
    title,
    description: description?.text || firstWords(textOf(body.value)),
    isFromText: !description?.text,
    ...(uri !== '' && { image: { uri, alt: textOf(file.alt) } }),
    path,
    notes: [
      ...lengthNotes('title', 'title', title, TITLE),
      ...(description ? lengthNotes('description', description.input, description.text, DESCRIPTION) : []),
      ...(image === undefined || (uri !== '' && typeof file.alt === 'string')
        ? []
        : [{ key: uri === '' ? 'imageMissing' : 'altMissing', input: image.name } as const]),
      ...(path === '' && fields.some(({ name }) => name === 'path')
        ? [{ key: 'pathMissing', input: 'path' } as const]
        : []),
    ],
  };
}

const WORDS_PER_MINUTE = 200;

/** How long people read a number of words, in whole minutes, at least one. */
export function readingMinutes(words: number): number {
  return Math.max(1, Math.round(words / WORDS_PER_MINUTE));
}

/** The part of a text that search results show, with an ellipsis if it is cut. */
export function cutTitle(title: string): string {
  return cut(title, TITLE.most);
}

export function cutDescription(description: string): string {
  return cut(description, DESCRIPTION.most);
}

function lengthNotes(
  kind: 'title' | 'description',
  input: string,
  text: string,
  { least, most }: typeof TITLE,
): readonly SharingNote[] {
  if (text === '') return [{ key: `${kind}Missing`, input }];
  const characters = [...graphemes.segment(text)];
  const width = characters.reduce((sum, { segment }) => sum + widthOf(segment), 0);
  if (width >= least && width <= most) return [];
  const count = characters.length;
  const room = Math.round((most * count) / width);
  return [{ key: `${kind}${width < least ? 'Short' : 'Long'}`, input, count, room }];
}

function cut(text: string, room: number): string {
  let width = 0;
  for (const { segment, index } of graphemes.segment(text)) {
    width += widthOf(segment);
    if (width <= room) continue;
    const start = text.slice(0, index);
    // A long word, and a script without spaces, is cut inside.
    const space = start.lastIndexOf(' ');
    return `${start.slice(0, space > index / 2 ? space : index)} …`;
  }
  return text;
}

const graphemes = new Intl.Segmenter();
const WIDE =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303f\uff01-\uff60]/u;

function widthOf(character: string): number {
  return WIDE.test(character) ? 2 : 1;
}

function usualFields(
  fields: readonly Field[],
  kinds: readonly Field['kind'][],
  names: readonly string[],
): readonly Field[] {
  return names.flatMap((name) =>
    fields.filter((field) => !field.list && kinds.includes(field.kind) && usualName(field) === name),
  );
}

/** Fields with usual names first, then others in the order of the schema. */
function imageFields(fields: readonly Field[]): readonly Field[] {
  const images = fields.filter(({ kind }) => kind === 'image');
  const place = (field: Field) =>
    (IMAGES.indexOf(usualName(field)) + IMAGES.length + 1) % (IMAGES.length + 1);
  return images.toSorted((one, other) => place(one) - place(other) || (one.at ?? 0) - (other.at ?? 0));
}

function usualName({ name }: Pick<Field, 'name'>): string {
  return name
    .replace(/^field_/, '')
    .replace(/[_-]/g, '')
    .toLowerCase();
}

function firstOf(value: unknown): unknown {
  return Array.isArray(value) ? value[0] : value;
}

/** A text in one line; a formatted one without its signs. */
function plain(value: unknown): string {
  return typeof value === 'string'
    ? value.replace(/\s+/g, ' ').trim()
    : firstWords(textOf(objectOf(value).value));
}

/** Headings, lists, quotes, tables, images, tags, code and imports. */
const NOT_PROSE = /^\s*(?:[#>|<]|```|~~~|!\[|:::|---|[-+*] |\d+[.)] |import |export )/;

/** The first paragraph of a Markdown text in one line. */
function firstWords(markdown: string): string {
  const blocks = markdown.split(/\r?\n[ \t]*\r?\n/);
  const first = blocks.find((block) => block.trim() !== '' && !NOT_PROSE.test(block)) ?? '';
  return first
    .replace(/!?\[([^[\]]*)\](?:\([^()\s]*(?:\s+"[^"]*")?\))?/g, '$1')
    .replace(/[*_`]|<[^<>]*>/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}
