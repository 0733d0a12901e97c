import { decodeString } from 'micromark-util-decode-string';
import { unsafeRanges } from './clean-tags.ts';
import { createEffort, type Effort } from './effort.ts';
import { parseMarkdown } from './parse-markdown.ts';
import { isSafeUrl } from './safe-html.ts';
import { SCHEMES } from './safe-schema.ts';

/** How often cleaning may bring to light what is to be cleaned again. */
const PASSES = 10;

/** UTF-16 units of a text with HTML or odd addresses. */
export const MAX_CLEANED_UNITS = 200_000;
/** Milliseconds. Texts of that size that people write take less than half of it. */
const MAX_CLEANING_MS = 1500;

/**
 * Markdown without the HTML and the addresses that a browser could run; everything else stays as it is written, byte
 * for byte: code that shows such HTML, a `<` in a sentence, tags that only mark up. Undefined where it cannot be
 * cleaned: HTML that comes to light again and again, quotes or lists very deep in one another, or far too much of it.
 * Throws TooMuchEffortError for a text that takes too long.
 */
export function cleanMarkdown(source: string): string | undefined {
  if (!isSuspect(source)) return source;
  if (source.length > MAX_CLEANED_UNITS || DEEP.test(source)) return undefined;
  const effort = createEffort(MAX_CLEANING_MS);
  let text = source;
  for (let pass = 0; pass < PASSES; pass++) {
    const edits = editsOf(text, effort);
    if (edits.length === 0) return text;
    text = splice(text, edits);
  }
  return undefined;
}

/** Whether there could be any HTML, or an address of a scheme that is not known. Most texts have neither. */
function isSuspect(text: string): boolean {
  if (MARKUP.test(text)) return true;
  return [...text.matchAll(COLON)].some(({ index }) => {
    const [, scheme] = SCHEME.exec(text.slice(Math.max(0, index - MAX_SCHEME), index)) ?? [];
    return scheme !== undefined && !KNOWN_SCHEMES.has(scheme.toLowerCase());
  });
}

/** Also a colon, or what browsers pass over in an address, as an entity. */
const MARKUP = /<[a-z/!?]|&(?:#|colon|tab|newline)/i;
const COLON = /:(?=\S)/g;
const SCHEME = /(?:^|[^a-z0-9+.-])[0-9+.-]*([a-z][a-z0-9+.-]*)\\?$/i;
/** Units before a colon that are looked at; no known scheme has so many. */
const MAX_SCHEME = 32;
const KNOWN_SCHEMES: ReadonlySet<string> = new Set(SCHEMES);
// Blanks are read in one place alone: with two, a line of some dozen marks could be read in millions of ways.
const DEEP = /^(?:[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t]))){300}/m;

/** What takes the place of a part of the text, by offsets. */
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** In order, none over another. */
function editsOf(text: string, effort: Effort): readonly Edit[] {
  const edits: Edit[] = [];
  // The parser passes over a byte order mark without counting it.
  const shift = text.charCodeAt(0) === BYTE_ORDER_MARK ? 1 : 0;
  let html: Chunk[] | undefined;
  const targets: ('link' | 'image')[] = [];
  for (const [kind, token] of parseMarkdown(text, effort)) {
    effort.spend();
    const start = token.start.offset + shift;
    const end = token.end.offset + shift;
    const { type } = token;
    if (kind === 'exit') {
      if ((type === 'htmlFlow' || type === 'htmlText') && html !== undefined) {
        edits.push(...editsOfHtml(text, html, effort));
        html = undefined;
      } else if (type === 'link' || type === 'image') targets.pop();
      continue;
    }
    switch (type) {
      case 'htmlFlow':
      case 'htmlText':
        html = [];
        break;
      case 'htmlFlowData':
      case 'htmlTextData':
        html?.push({ start, end });
        break;
      case 'image':
      case 'link':
        targets.push(type);
        break;
      case 'resourceDestinationString':
      case 'definitionDestinationString': {
        // A definition may be that of an image.
        const of = type === 'definitionDestinationString' ? 'image' : (targets.at(-1) ?? 'link');
        if (!isSafeUrl(decodeString(text.slice(start, end)), of)) edits.push({ start, end, text: '#' });
        break;
      }
      case 'autolinkProtocol':
        if (!isSafeUrl(text.slice(start, end), 'link')) {
          edits.push({ start: start - 1, end: start, text: '' }, { start: end, end: end + 1, text: '' });
        }
        break;
      default:
    }
  }
  return edits;
}

/** A part of a line; what is between two is the line break, and the marks of the quotes and lists it stands in. */
interface Chunk {
  readonly start: number;
  readonly end: number;
}

function editsOfHtml(text: string, chunks: readonly Chunk[], effort: Effort): readonly Edit[] {
  const html = chunks.map(({ start, end }) => text.slice(start, end)).join('\n');
  const edits: Edit[] = [];
  let at = 0;
  let before = 0;
  for (const { start, end, text: replacement } of unsafeRanges(html, effort)) {
    let left: string = replacement;
    for (; at < chunks.length; at++) {
      const chunk = chunks[at]!;
      const length = chunk.end - chunk.start;
      const from = Math.max(start - before, 0);
      const to = Math.min(end - before, length);
      if (from < to) {
        edits.push({ start: chunk.start + from, end: chunk.start + to, text: left });
        left = '';
      }
      if (end - before <= length) break;
      before += length + 1;
    }
  }
  return edits;
}

function splice(text: string, edits: readonly Edit[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const { start, end, text: replacement } of [...edits].sort((a, b) => a.start - b.start)) {
    parts.push(text.slice(at, start), replacement);
    at = end;
  }
  return parts.join('') + text.slice(at);
}

const BYTE_ORDER_MARK = 0xfeff;
