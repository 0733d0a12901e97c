import matter from 'gray-matter';
import { shortened } from '../util/text.ts';
import type { DataLanguage } from './data.ts';
import { type Position, type Problem, positionIn, problem } from './diagnostic.ts';
import { dataFormats, findDataFormat } from './formats.ts';

/** The two parts of a Markdown file. Offsets count UTF-16 units of the file's text. */
export interface MarkdownParts {
  readonly language: DataLanguage;
  /** The data between the opening and the closing line, or the JSON object; null without frontmatter. */
  readonly data: { readonly start: number; readonly end: number } | null;
  /** After the line that closes the frontmatter. */
  readonly bodyStart: number;
  readonly problems: readonly Problem[];
}

/** Splits a Markdown file. Parses no data and never evaluates anything. */
export function splitMarkdown(text: string): MarkdownParts {
  return splitPlain(text) ?? splitAny(text);
}

/** The usual form: two lines of `---`. gray-matter takes ten times as long for it. */
function splitPlain(text: string): MarkdownParts | undefined {
  const close = text.startsWith('---\n') ? text.indexOf('\n---', 3) + 1 : 0;
  const end = close + 3;
  if (close === 0 || (end < text.length && text[end] !== '\n')) return undefined;
  return {
    language: 'yaml',
    data: { start: 4, end: close },
    bodyStart: Math.min(end + 1, text.length),
    problems: [],
  };
}

function splitAny(text: string): MarkdownParts {
  const opening = OPENING.exec(text);
  // Below blank lines, a lone `---` is a thematic break.
  if (opening === null || (/^\ufeff?\s/.test(text) && !startsFrontmatter(text, opening))) {
    const bodyStart = text.startsWith('\ufeff') ? 1 : 0;
    const parts = splitFenced(text) ?? splitJson(text) ?? misplacedFrontmatter(text);
    return parts ?? { language: 'yaml', data: null, bodyStart, problems: [] };
  }
  const [{ length: open }, rest = ''] = opening;
  if (LONE_RETURN.test(rest)) {
    const message = 'The lines end in bare carriage returns, so the frontmatter has no closing line.';
    return reject(text, 'frontmatter/line-ends', message, 'Save the file with LF or CRLF line endings.');
  }
  const name = shortened(rest.trim().toLowerCase(), MAX_QUOTED);
  const language = LANGUAGES.get(name) ?? findDataFormat(name)?.language;
  if (language === undefined) {
    const message = `Frontmatter in \`${name}\` is not supported: it is unknown or would run as code.`;
    return reject(text, 'frontmatter/language', message, 'Write it in YAML, between two lines of `---`.');
  }
  // gray-matter searches for comments in quadratic time if there are runs of blank lines, so these are masked.
  const lines = text.slice(open + 1).replace(BREAK_BEFORE_SPACE, '.');
  const close = open + matter(`---\n${lines}`, SPLIT_ONLY).matter.length + 1;
  if (close > text.length) {
    const message = 'The frontmatter has no closing line.';
    const hint = 'Add a `---` line after it. Write a thematic break at the start of a body as `***`.';
    return reject(text, 'frontmatter/unclosed', message, hint);
  }
  const closingLine = text.slice(close, lineEnd(text, close)).trimEnd();
  if (closingLine !== '---') {
    const message = `The frontmatter ends in the line \`${shortened(closingLine, MAX_QUOTED)}\` instead of \`---\`.`;
    const hint = 'Close it with a line that is only `---`.';
    return reject(text, 'frontmatter/closing', message, hint, positionIn(text, close));
  }
  const bodyStart = Math.min(lineEnd(text, close) + 1, text.length);
  return { language, data: { start: open + 1, end: close }, bodyStart, problems: [] };
}

/** Between two lines of the fence of a format: `+++` for TOML, as in Hugo and Zola. */
function splitFenced(text: string): MarkdownParts | undefined {
  const opening = FENCE.exec(text);
  const format = opening && dataFormats().find(({ fence }) => fence === opening[1]);
  if (!format) return undefined;
  const { language, fence } = format;
  const start = opening[0].length;
  const end = new RegExp(`\\n${fence.replace(/\W/g, '\\$&')}[ \\t]*(?:\\r?\\n|\\r?$)`, 'g');
  end.lastIndex = start - 1;
  const closing = end.exec(text);
  if (closing === null) {
    const hint = `Add a \`${fence}\` line after it.`;
    return reject(text, 'frontmatter/unclosed', 'The frontmatter has no closing line.', hint);
  }
  const bodyStart = closing.index + closing[0].length;
  return { language, data: { start, end: closing.index + 1 }, bodyStart, problems: [] };
}

/** A JSON object that starts on the first line, as in Hugo. */
function splitJson(text: string): MarkdownParts | undefined {
  const start = text.startsWith('\ufeff') ? 1 : 0;
  if (!JSON_OPENING.test(text.slice(start))) return undefined;
  const end = objectEnd(text, start);
  if (end === undefined) {
    const hint = 'Close the object at the start of the file with `}`.';
    return reject(text, 'frontmatter/unclosed', 'The frontmatter in JSON has no end.', hint);
  }
  const bodyStart = Math.min(lineEnd(text, end) + 1, text.length);
  if (text.slice(end, bodyStart).trim() !== '') {
    const message = 'The frontmatter in JSON ends in the middle of a line.';
    return reject(text, 'frontmatter/closing', message, 'Put a line break after `}`.', positionIn(text, end));
  }
  return { language: 'json', data: { start, end }, bodyStart, problems: [] };
}

/** The end of a JSON object; undefined if it is not closed. */
function objectEnd(text: string, start: number): number | undefined {
  let depth = 0;
  STRING_OR_BRACE.lastIndex = start;
  for (let match = STRING_OR_BRACE.exec(text); match !== null; match = STRING_OR_BRACE.exec(text)) {
    if (match[0] === '{') depth += 1;
    if (match[0] === '}') depth -= 1;
    if (depth === 0) return STRING_OR_BRACE.lastIndex;
  }
  return undefined;
}

/**
 * Frontmatter that does not start on the first line or has fences of another form. Read as body text, it would publish
 * drafts and expose their fields.
 */
function misplacedFrontmatter(text: string): MarkdownParts | undefined {
  const start = startOf(text);
  const position = positionIn(text, start);
  const rest = text.slice(start);
  const foreign = FOREIGN_OPENINGS.find(([pattern]) => pattern.test(rest));
  if (foreign !== undefined) {
    const [, code, message, hint] = foreign;
    return reject(text, code, message, hint, position);
  }
  const fence = ANY_FENCE.exec(rest)?.[0];
  if (fence === undefined || !hasMapping(rest.slice(fence.length))) return undefined;
  if (fence !== '---') {
    const message = `Frontmatter must be between two lines of \`---\`, not \`${shortened(fence, MAX_QUOTED)}\`.`;
    const hint = 'Write `---`, or `***` for a thematic break.';
    return reject(text, 'frontmatter/fence', message, hint, position);
  }
  const message = 'Frontmatter must start on the first line of the file.';
  const hint = 'Remove everything before the first `---`, including invisible characters.';
  return reject(text, 'frontmatter/not-first', message, hint, position);
}

/** Offset of the first thing that is not invisible, an HTML comment or a YAML directive. */
function startOf(text: string): number {
  let at = 0;
  for (;;) {
    at = matchEnd(INVISIBLE, text, at);
    if (text.startsWith('<!--', at)) {
      const end = text.indexOf('-->', at + 4);
      if (end === -1) return at;
      at = end + 3;
    } else if (text[at] === '%') {
      at = matchEnd(LINE, text, at);
    } else {
      return at;
    }
  }
}

/** The end of a sticky pattern's match at an offset. */
function matchEnd(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

function startsFrontmatter(text: string, [opening, rest = '']: readonly string[]): boolean {
  const below = text.slice(opening?.length);
  return LANGUAGES.has(rest.trim().toLowerCase()) && CLOSING_FENCE.test(below) && hasMapping(below);
}

/** True if a line before the closing fence starts with a key. Without such a fence, only the first paragraph counts. */
function hasMapping(text: string): boolean {
  const closing = text.search(CLOSING);
  const inside = closing === -1 ? text.trimStart().split(EMPTY_LINE, 1)[0] : text.slice(0, closing);
  return KEY.test(inside ?? '');
}

function reject(
  text: string,
  code: string,
  message: string,
  hint: string,
  position?: Position,
): MarkdownParts {
  const problems = [problem('error', code, message, hint, position)];
  return { language: 'yaml', data: null, bodyStart: text.length, problems };
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end === -1 ? text.length : end;
}

const MAX_QUOTED = 40;
const OPENING = /^\ufeff?(?:\s*\n)?---(?!-)([^\n]*)/;
const LONE_RETURN = /\r(?!$)/;
const BREAK_BEFORE_SPACE = /[\r\n\u2028\u2029](?=\s)/g;
const INVISIBLE = /[\s\p{Cc}\p{DI}]*/uy;
const LINE = /.*/y;
const ANY_FENCE = /^(?:---(?!-)|-{4,}(?=[ \t]*(?:[\r\n]|$)))/;
const CLOSING_FENCE = /^---[ \t]*$/m;
const CLOSING = /^[ \t]*(?:-{3,}|\.{3})[ \t]*$/m;
const EMPTY_LINE = /(?:\r\n|\r|\n)[ \t]*[\r\n]/;
/** `key:`, `key :`, `"key":`, `{key: …` */
const KEY = /^[ \t]*(?:\{[ \t]*)?(?:[\w.-]+[ \t]*:(?:\s|$)|"[^"\r\n]*"[ \t]*:|'[^'\r\n]*'[ \t]*:)/m;
/** A line with one word. Zola accepts blank lines above. */
const FENCE = /^\ufeff?\s*(\S+)[ \t]*(?:\r?\n|$)/;
/** `{ "key":`, or an empty object on a line of its own. */
const JSON_OPENING = /^\{\s*(?:"(?:[^"\\\n]|\\.)*"\s*:|\}[ \t]*(?:\r?\n|$))/;
/** A string that is not closed takes the rest of the text. */
const STRING_OR_BRACE = /"(?:[^"\\]|\\[\s\S])*(?:"|\\?$)|[{}]/g;
/** Frontmatter in another place or form. */
const FOREIGN_OPENINGS: readonly (readonly [RegExp, string, string, string])[] = [
  [
    /^\+\+\+[ \t]*(?:toml[ \t]*)?(?:[\r\n]|$)/i,
    'frontmatter/fence',
    'Frontmatter in TOML must start at the top of the file, with a line that is only `+++`.',
    'Remove everything before and after the first `+++`, and use LF or CRLF line endings.',
  ],
  [
    /^;;;[ \t]*(?:json[ \t]*)?(?:[\r\n]|$)/i,
    'frontmatter/language',
    'Frontmatter in JSON must be an object in braces, not between lines of `;;;`.',
    'Replace the first `;;;` with `{` and the second one with `}`.',
  ],
  [
    JSON_OPENING,
    'frontmatter/fence',
    'Frontmatter in JSON must start on the first line of the file.',
    'Remove everything before the first `{`, including invisible characters.',
  ],
];
const LANGUAGES: ReadonlyMap<string, DataLanguage> = new Map([
  ['', 'yaml'],
  ['yaml', 'yaml'],
  ['yml', 'yaml'],
  ['json', 'json'],
]);

const skip = () => ({});
/** Replaces every engine of gray-matter: its JavaScript engine evaluates the frontmatter. */
const SPLIT_ONLY = {
  engines: { yaml: skip, yml: skip, json: skip, javascript: skip, coffee: skip },
  language: 'yaml',
};
