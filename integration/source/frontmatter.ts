import matter from 'gray-matter';
import { type Position, type Problem, FILE_START } from './diagnostic.ts';
import { positionIn } from './parsed-data.ts';
import type { DataLanguage } from './source-data.ts';

/** A markdown file in its two parts. */
export interface MarkdownParts {
  readonly language: DataLanguage;
  /** The frontmatter between its fences; empty where there is none. It starts on the file's first line. */
  readonly frontmatter: string;
  /** Offsets in the file's text: of the end of the opening line, and of the closing line; null without frontmatter. */
  readonly fences: { readonly open: number; readonly close: number } | null;
  /** Offset in the file's text behind the closing line. */
  readonly bodyStart: number;
  readonly problems: readonly Problem[];
}

/** Splits only: the data is read by `source-data.ts`, and nothing in it is ever evaluated. */
export function splitMarkdown(text: string): MarkdownParts {
  return splitPlain(text) ?? splitAny(text);
}

/** As nearly every file is written: lines of `---` alone around the frontmatter, and no carriage returns in it. */
function splitPlain(text: string): MarkdownParts | undefined {
  const closing = text.startsWith(PLAIN_OPENING) ? text.indexOf('\n---', FENCE.length) + 1 : 0;
  const after = closing + FENCE.length;
  const frontmatter = text.slice(FENCE.length, closing);
  if (closing === 0 || frontmatter.includes('\r') || (after < text.length && text[after] !== '\n'))
    return undefined;
  const fences = { open: FENCE.length, close: closing };
  return { language: 'yaml', frontmatter, fences, bodyStart: Math.min(after + 1, text.length), problems: [] };
}

const FENCE = '---';
const PLAIN_OPENING = `${FENCE}\n`;

/** As `splitMarkdown`, whatever the text is. */
export function splitAny(text: string): MarkdownParts {
  const opening = OPENING.exec(text);
  if (opening === null) {
    const problem = unreadOpening(text);
    if (problem !== undefined) return problem;
    return {
      language: 'yaml',
      frontmatter: '',
      fences: null,
      bodyStart: text.startsWith(BYTE_ORDER_MARK) ? 1 : 0,
      problems: [],
    };
  }
  const rest = opening[1] ?? '';
  if (LONE_RETURN.test(rest)) {
    const message = 'The lines end in carriage returns alone, so the frontmatter has no closing line.';
    return refused(text, 'frontmatter/line-ends', message, 'Save the file with line ends LF or CRLF.');
  }
  const written = shortened(rest.trim().toLowerCase());
  const language = LANGUAGES[written];
  if (language === undefined) {
    const message = `Frontmatter in \`${written}\` is not read: it would have to be run as code or is unknown here.`;
    return refused(text, 'frontmatter/language', message, 'Write it in YAML, between two lines of `---`.');
  }
  if (!text.includes('\n---', opening[0].length)) {
    return refused(
      text,
      'frontmatter/unclosed',
      'The frontmatter has no closing line.',
      'Add a line of `---` after it; write a rule at the start of a text as `***`.',
    );
  }
  const closing = text.indexOf('\n---', opening[0].length) + 1;
  const closingEnd = lineEnd(text, closing);
  const closingLine = text.slice(closing, closingEnd).trimEnd();
  if (closingLine !== '---') {
    const message = `The frontmatter ends in the line \`${shortened(closingLine)}\`, which is not \`---\`.`;
    const hint = 'Close it with a line of `---` alone.';
    return refused(text, 'frontmatter/closing', message, hint, positionIn(text, closing));
  }
  const file = matter(text, { engines: NOTHING_IS_PARSED, language: 'yaml' });
  // gray-matter cuts before the line break of the closing line, which leaves half a break of a Windows file.
  const frontmatter = `${file.matter}\n`;
  const fences = { open: opening[0].length, close: closing };
  return { language, frontmatter, fences, bodyStart: Math.min(closingEnd + 1, text.length), problems: [] };
}

/**
 * What was meant as frontmatter, but is not in the one form that is read. As text, a draft would be published with
 * everything that is written about it.
 */
function unreadOpening(text: string): MarkdownParts | undefined {
  const start = startOf(text);
  const place = positionIn(text, start);
  const rest = text.slice(start);
  const foreign = FOREIGN_OPENINGS.find(([pattern]) => pattern.test(rest));
  if (foreign !== undefined) {
    const [, language] = foreign;
    const message = `The file starts with front matter in ${language}, which is not supported.`;
    const hint = 'Convert it to YAML between two lines of `---`.';
    return refused(text, 'frontmatter/language', message, hint, place);
  }
  const fence = ANY_FENCE.exec(rest)?.[0];
  if (fence === undefined || !hasMapping(rest.slice(fence.length))) return undefined;
  if (fence !== FENCE) {
    const message = `Frontmatter stands between two lines of \`---\`; here it starts with \`${shortened(fence)}\`.`;
    return refused(text, 'frontmatter/fence', message, 'Write `---`, or `***` for a rule.', place);
  }
  const message = 'Frontmatter starts on the first line of a file; here something stands before it.';
  const hint = 'Remove everything before the first `---`, also characters that cannot be seen.';
  return refused(text, 'frontmatter/not-first', message, hint, place);
}

/** Offset of the first thing that is neither invisible nor an HTML comment nor a YAML directive. */
function startOf(text: string): number {
  let at = 0;
  for (;;) {
    at = endOf(INVISIBLE, text, at);
    if (text.startsWith('<!--', at)) {
      const end = text.indexOf('-->', at + 4);
      if (end === -1) return at;
      at = end + 3;
    } else if (text[at] === '%') {
      at = endOf(LINE, text, at);
    } else {
      return at;
    }
  }
}

/** Offset behind what a sticky pattern finds at an offset. */
function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

/** Whether a line up to the closing fence starts with a key; without such a fence, a line of the first paragraph. */
function hasMapping(text: string): boolean {
  const closing = text.search(CLOSING);
  const inside = closing === -1 ? text.trimStart().split(EMPTY_LINE, 1)[0] : text.slice(0, closing);
  return KEY.test(inside ?? '');
}

function refused(
  text: string,
  code: string,
  message: string,
  hint: string,
  place: Position = FILE_START,
): MarkdownParts {
  const problem: Problem = { severity: 'error', code, ...place, message, hint };
  return { language: 'yaml', frontmatter: '', fences: null, bodyStart: text.length, problems: [problem] };
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end === -1 ? text.length : end;
}

/** Enough of what stands on a line to find it by. */
function shortened(line: string): string {
  return line.length > SHOWN ? `${line.slice(0, SHOWN)}…` : line;
}

const SHOWN = 40;
const BYTE_ORDER_MARK = '\ufeff';
const OPENING = /^\ufeff?---(?!-)([^\n]*)/;
const INVISIBLE = /[\s\p{Cc}\p{DI}]*/uy;
const LINE = /.*/y;
const ANY_FENCE = /^(?:---(?!-)|-{4,}(?=[ \t]*(?:[\r\n]|$)))/;
const CLOSING = /^[ \t]*(?:-{3,}|\.{3})[ \t]*$/m;
const EMPTY_LINE = /(?:\r\n|\r|\n)[ \t]*[\r\n]/;
/** `key:`, `key :`, `"key":`, `{key: …` */
const KEY = /^[ \t]*(?:\{[ \t]*)?(?:[\w.-]+[ \t]*:(?:\s|$)|"[^"\r\n]*"[ \t]*:|'[^'\r\n]*'[ \t]*:)/m;
/** Front matter of other tools, by how it starts. */
const FOREIGN_OPENINGS: readonly (readonly [RegExp, string])[] = [
  [/^\+\+\+[ \t]*(?:toml[ \t]*)?(?:[\r\n]|$)/i, 'TOML'],
  [/^;;;[ \t]*(?:json[ \t]*)?(?:[\r\n]|$)/i, 'JSON'],
  [/^\{\s*"(?:[^"\\\n]|\\.)*"\s*:/, 'JSON'],
];
const LONE_RETURN = /\r(?!$)/;
/** Null prototype: `---constructor` is a language like any other unknown one. */
const LANGUAGES: Readonly<Record<string, DataLanguage>> = Object.assign(Object.create(null), {
  '': 'yaml',
  yaml: 'yaml',
  yml: 'yaml',
  json: 'json',
});

const nothing = () => ({});
/** gray-matter's own engines are all replaced: its JavaScript one evaluates what it is given. */
const NOTHING_IS_PARSED = {
  yaml: nothing,
  yml: nothing,
  json: nothing,
  javascript: nothing,
  coffee: nothing,
};
