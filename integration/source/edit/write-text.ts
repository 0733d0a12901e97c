import { canonicalDateTime } from '../date-time.ts';

/** How a text was or may be written. */
export type TextStyle = 'plain' | 'single' | 'double' | 'literal' | 'folded';

/** A value as YAML: what stands behind its key or dash, and lines of its own below. */
export interface WrittenNode {
  readonly inline: string;
  readonly lines: readonly string[];
}

export interface TextPlace {
  /** How the text that it replaces is written, quotes included; undefined where there is none. */
  readonly before?: { readonly style: TextStyle; readonly source: string } | undefined;
  /** Inside `[]` or `{}`, where all stands in one line. */
  readonly flow: boolean;
  /** Blanks before lines of its own. */
  readonly column: number;
  readonly quote: '"' | "'";
}

/** A text as a YAML scalar that is read as this very text, in the style it had where that can hold it. */
export function writeText(text: string, place: TextPlace): WrittenNode {
  const { before, flow } = place;
  const style = before?.style;
  if (!flow && style === 'folded' && isFoldable(text)) return writeFolded(text, place);
  if (!flow && isBlockText(text) && wantsBlock(text, before)) return writeLiteral(text, place);
  if (style === 'double') return inline(doubleQuoted(text));
  if (style === 'single') return inline(singleQuoted(text));
  const dated = style === 'plain' && isDate(before?.source ?? '');
  if (isPlain(text, flow) && (dated || !isDate(text))) return inline(text);
  return inline(place.quote === "'" ? singleQuoted(text) : doubleQuoted(text));
}

/** A key of a map. Coordinates and counts are no truth values to any parser in use, as keys least of all. */
export function writeKey(name: string): string {
  const plain = SINGLE_LETTER.test(name) || (isPlain(name, true) && !name.includes(':') && !isDate(name));
  return plain ? name : doubleQuoted(name);
}

/** A text in JSON, which is also YAML; what editors and other parsers stumble over is escaped. */
export function doubleQuoted(text: string): string {
  return JSON.stringify(text).replace(
    UNSEEN,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function singleQuoted(text: string): string {
  return isPrintable(text) ? `'${text.replaceAll("'", "''")}'` : doubleQuoted(text);
}

function inline(text: string): WrittenNode {
  return { inline: text, lines: [] };
}

/** Whether a text may stand without quotes: for every reader of YAML 1.1 and 1.2 the same text. */
function isPlain(text: string, flow: boolean): boolean {
  return (
    text !== '' &&
    text.trim() === text &&
    isPrintable(text) &&
    !INDICATOR.test(text) &&
    !(flow ? BREAKS_FLOW : BREAKS_BLOCK).test(text) &&
    !RESERVED.test(text) &&
    (!NUMBER_LIKE.test(text) || isDate(text))
  );
}

function isDate(text: string): boolean {
  return canonicalDateTime(text) !== undefined;
}

function isPrintable(text: string): boolean {
  return !UNPRINTABLE.test(text) && text.isWellFormed();
}

/** Whether lines below can hold the text, whatever it is read by. */
function isBlockText(text: string): boolean {
  const lines = text.split('\n');
  return (
    text.trim() !== '' &&
    !text.endsWith('\n\n') &&
    !/^\s/.test(text) &&
    lines.every((line) => line === '' || (line.trim() !== '' && isPrintable(line.replaceAll('\t', ''))))
  );
}

function wantsBlock(text: string, before: TextPlace['before']): boolean {
  switch (before?.style) {
    case 'literal':
    case 'folded':
      return true;
    case 'double':
      return text.includes('\n') && !before.source.includes('\\n');
    default:
      return text.includes('\n');
  }
}

function writeLiteral(text: string, { column }: TextPlace): WrittenNode {
  const closed = text.endsWith('\n');
  const lines = (closed ? text.slice(0, -1) : text).split('\n');
  const pad = ' '.repeat(column);
  return { inline: closed ? '|' : '|-', lines: lines.map((line) => (line === '' ? '' : pad + line)) };
}

/** Paragraphs of words with one blank between them. */
function isFoldable(text: string): boolean {
  return isBlockText(text) && !/(?:^|\n)[ \t]|[ \t](?:\n|$)| {2}|\t|\n\n/.test(text);
}

function writeFolded(text: string, { before, column }: TextPlace): WrittenNode {
  const pad = ' '.repeat(column);
  const widest = Math.max(...(before?.source ?? '').split('\n').map((line) => line.length));
  const width = Math.min(Math.max(widest, MIN_FOLD), MAX_FOLD) - column;
  const closed = text.endsWith('\n');
  const paragraphs = (closed ? text.slice(0, -1) : text).split('\n');
  const lines = paragraphs.flatMap((paragraph, index) => [
    ...(index === 0 ? [] : ['']),
    ...fold(paragraph, width).map((line) => pad + line),
  ]);
  return { inline: closed ? '>' : '>-', lines };
}

function fold(paragraph: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of paragraph.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}

const MIN_FOLD = 60;
const MAX_FOLD = 120;
/** Controls, other line breaks, and marks that nobody sees. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/;
const UNSEEN = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;
/** What a plain scalar does not begin with; three dots would end the document. */
const INDICATOR = /^(?:[-?:,[\]{}#&*!|>'"%@`]|\.\.\.)/;
const BREAKS_BLOCK = /:(?:\s|$)|\s#/;
const BREAKS_FLOW = /:(?:\s|$)|\s#|[,[\]{}]/;
const SINGLE_LETTER = /^[a-z]$/i;
/** Means something else than its letters, here or in YAML 1.1. */
const RESERVED = /^(?:true|false|null|yes|no|on|off|y|n|~|<<|=|\.)$/i;
const NUMBER_LIKE = /^[-+]?(?:\.?[0-9][0-9a-fox_.,:+-]*|\.(?:inf|nan))$/i;
