import type { Effort } from './effort.ts';
import { isSafeAttribute, isSafeElement } from './safe-html.ts';

/** A part of some HTML, by offsets, and what is to stand in its place. */
export interface UnsafeRange {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * What of a piece of HTML, which need not be whole, must not stay: tags and attributes that the library would strip,
 * and everything that is not plainly a tag, a comment or text, about which parsers could be of different minds. Throws
 * TooMuchEffortError.
 */
export function unsafeRanges(html: string, effort: Effort): readonly UnsafeRange[] {
  const ranges: UnsafeRange[] = [];
  const unclosed = new Set<string>();
  for (let at = html.indexOf('<'); at !== -1; at = html.indexOf('<', at)) {
    effort.spend();
    const { end, unsafe } = judge(html, at, unclosed, effort);
    ranges.push(...unsafe);
    at = end;
  }
  return ranges;
}

interface Judged {
  readonly end: number;
  readonly unsafe: readonly UnsafeRange[];
}

/** `unclosed` takes the names of elements that nothing closes from here on, so that it is looked for once. */
function judge(html: string, at: number, unclosed: Set<string>, effort: Effort): Judged {
  const kept = { end: at + 1, unsafe: [] };
  if (!MARKUP.test(html.slice(at, at + 2))) return kept;
  const comment = endOfComment(html, at);
  if (comment !== undefined) return { end: comment, unsafe: [] };
  const closing = match(CLOSING_TAG, html, at);
  if (closing !== undefined) {
    const end = at + closing[0].length;
    return { end, unsafe: isSafeElement(closing[1] ?? '') ? [] : [{ start: at, end, text: '' }] };
  }
  const opening = match(OPENING_TAG, html, at);
  if (opening === undefined) return { ...kept, unsafe: [{ start: at, end: at + 1, text: '&lt;' }] };
  const [tag, name = '', attributes = ''] = opening;
  const end = at + tag.length;
  if (isSafeElement(name))
    return { end, unsafe: unsafeAttributes(name, attributes, at + 1 + name.length, effort) };
  const whole = DROPPED.has(name.toLowerCase()) ? endOf(name.toLowerCase(), html, end, unclosed) : end;
  return { end: whole, unsafe: [{ start: at, end: whole, text: '' }] };
}

function unsafeAttributes(
  element: string,
  attributes: string,
  offset: number,
  effort: Effort,
): readonly UnsafeRange[] {
  return [...attributes.matchAll(ATTRIBUTE)].flatMap((found) => {
    effort.spend();
    const start = offset + found.index;
    const [written] = found;
    return isSafeAttribute(element, written) ? [] : [{ start, end: start + written.length, text: '' }];
  });
}

/** Where the element ends whose content starts at `from`; there, if nothing closes it. */
function endOf(name: string, html: string, from: number, unclosed: Set<string>): number {
  if (unclosed.has(name)) return from;
  const closing = new RegExp(`</${name}[\\s/>]`, 'gi');
  closing.lastIndex = from;
  const found = closing.exec(html);
  const end = found === null ? -1 : html.indexOf('>', found.index);
  if (end === -1) unclosed.add(name);
  return end === -1 ? from : end + 1;
}

/** Of a comment that ends for every parser where it seems to: with the first `--` in it. */
function endOfComment(html: string, at: number): number | undefined {
  if (!html.startsWith('<!--', at) || html.startsWith('>', at + 4) || html.startsWith('->', at + 4))
    return undefined;
  const dashes = html.indexOf('--', at + 4);
  return dashes !== -1 && html.startsWith('-->', dashes) ? dashes + 3 : undefined;
}

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}

/** Where a parser of HTML leaves text. Source: HTML, "Tag open state". */
const MARKUP = /^<[a-z/!?]/i;
const CLOSING_TAG = /<\/([a-z][a-z0-9-]*)\s*>/iy;
/** Source: CommonMark, "Open tag". */
const OPENING_TAG =
  /<([a-z][a-z0-9-]*)((?:\s+[a-z_:][\w.:-]*(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'=<>`]+))?)*)\s*\/?>/iy;
const ATTRIBUTE = /[a-z_:][\w.:-]*(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'=<>`]+))?/gi;
/** Elements whose content is no text for readers. */
const DROPPED: ReadonlySet<string> = new Set([
  ...[
    'script',
    'style',
    'title',
    'template',
    'noscript',
    'iframe',
    'object',
    'svg',
    'math',
    'select',
    'textarea',
  ],
]);
