import { Parser } from 'acorn';
import jsx from 'acorn-jsx';

/**
 * The Markdown in an MDX text: without its imports and exports, comments, and tags of components, whose children stay.
 * Other expressions stay as text, and so does everything in code. Never throws, because MDX that does not compile is shown
 * this way too.
 */
export function mdxText(mdx: string): string {
  const elements: OpenElement[] = [];
  const lines: string[] = [];
  let fence: Fence | undefined;
  /** True if a paragraph cannot continue here, so that a statement may begin. */
  let isBlockStart = true;
  let shift = 0;
  let at = 0;

  /** The text of a line, which may end on a later line of the source, without tags and comments. */
  function readLine(indent: number): string {
    let text = '';
    let isFlow = true;
    while (at < mdx.length && mdx[at] !== '\n') {
      const { end, replacement, tag } = readInline(mdx, at);
      if (tag?.kind === 'open') {
        elements.push({ name: tag.name, column: isFlow ? indent : undefined, shift });
      } else if (tag?.kind === 'close') {
        const index = elements.findLastIndex(({ name }) => name === tag.name);
        if (index !== -1) shift = elements.splice(index)[0]?.shift ?? 0;
      }
      if (replacement.trim() !== '') isFlow = false;
      text += replacement;
      at = end;
    }
    return text;
  }

  while (at < mdx.length) {
    const lineEnd = endOfLine(mdx, at);
    const line = mdx.slice(at, lineEnd);
    const isBlank = line.trim() === '';
    if (fence !== undefined && !(fence.isQuoted && !QUOTED.test(line))) {
      lines.push(line.slice(Math.min(shift, spacesBefore(line))));
      if (FENCE_END.exec(line)?.[1]?.startsWith(fence.mark)) fence = undefined;
      at = lineEnd + 1;
      continue;
    }
    fence = undefined;
    const statementsEnd = isBlockStart ? endOfStatements(mdx, at) : undefined;
    if (statementsEnd !== undefined) {
      lines.push('');
      at = statementsEnd;
      continue;
    }
    const spaces = spacesBefore(line);
    const parent = elements.at(-1);
    if (!isBlank && parent?.column !== undefined) {
      // MDX has no indented code: the first child takes the position of its parent's tag.
      shift = Math.max(0, spaces - parent.column);
      parent.column = undefined;
    }
    const indent = Math.min(shift, spaces);
    const before = lines.at(-1) ?? '';
    // In Markdown, an HTML element has no Markdown before an empty line.
    if (BLOCK_TAG.test(before) && !NOT_MARKDOWN.test(line) && spaces - indent < spacesBefore(before) + 4) {
      lines.push('');
    }
    const mark = FENCE.exec(line)?.[1];
    if (mark !== undefined) fence = { mark, isQuoted: QUOTED.test(line) };
    at = mark === undefined ? at + indent : lineEnd;
    const text = mark === undefined ? readLine(spaces - indent) : line.slice(indent);
    const isTags = !isBlank && text.trim() === '';
    lines.push(isTags ? '' : text);
    isBlockStart = isBlank || isTags || mark !== undefined || HEADING.test(text);
    at += 1;
  }
  return lines.join('\n');
}

/** An element whose end tag follows. */
interface OpenElement {
  readonly name: string;
  /** The column of its tag in the result, until the first line of its children; undefined for a tag in a paragraph. */
  column: number | undefined;
  /** Spaces that are removed from the lines around it. */
  readonly shift: number;
}

interface Fence {
  readonly mark: string;
  readonly isQuoted: boolean;
}

const QUOTED = /^\s*>/;
const HEADING = /^\s*#{1,6}\s/;
const BLOCK_TAG = /^\s*<\/?(?:article|aside|blockquote|details|div|figure|section|summary)\b.*>\s*$/;
/** An empty line, or HTML. */
const NOT_MARKDOWN = /^\s*(?:<|$)/;
const FENCE = /^[\s>]*(?:(?:[-+*]|\d{1,9}[.)])\s+)*(`{3,}(?=[^`]*$)|~{3,})/;
const FENCE_END = /^[\s>]*(`{3,}|~{3,})\s*$/;

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end === -1 ? text.length : end;
}

function spacesBefore(line: string): number {
  return line.length - line.trimStart().length;
}

interface Inline {
  readonly end: number;
  readonly replacement: string;
  readonly tag?: Tag;
}

/** The code span, tag, comment, or character at an index. */
function readInline(mdx: string, at: number): Inline {
  switch (mdx[at]) {
    case '\\':
      return same(mdx, at, mdx[at + 1] === '\n' ? at + 1 : at + 2);
    case '`': {
      const marks = matchAt(/`+/y, mdx, at)?.[0] ?? '`';
      return same(mdx, at, endOfCodeSpan(mdx, at + marks.length, marks));
    }
    case '<': {
      const tag = readTag(mdx, at);
      return tag === undefined ? same(mdx, at, at + 1) : { end: tag.end, replacement: tag.html, tag };
    }
    case '{': {
      const end = endOfComment(mdx, at);
      if (end !== undefined) return { end, replacement: '' };
      const blank = matchAt(BLANK_STRING, mdx, at);
      return blank === undefined
        ? same(mdx, at, at + 1)
        : { end: at + blank[0].length, replacement: blank[1] ?? blank[2] ?? '' };
    }
    default:
      return same(mdx, at, matchAt(PLAIN, mdx, at) === undefined ? at + 1 : PLAIN.lastIndex);
  }
}

const PLAIN = /[^\\`<{\n]+/y;
const COMMENT_START = /\{\s*\/\*/y;
const COMMENT_END = /\s*\}/y;
/** UTF-16 units. A longer comment is text. */
const MAX_COMMENT_UNITS = 10_000;
/** `{' '}`, a blank that a formatter wrote. */
const BLANK_STRING = /\{(?:"( *)"|'( *)')\}/y;

function same(mdx: string, at: number, end: number): Inline {
  return { end, replacement: mdx.slice(at, end) };
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}

/** The index after the comment at an index; undefined if the text there is something else. */
function endOfComment(mdx: string, at: number): number | undefined {
  if (matchAt(COMMENT_START, mdx, at) === undefined) return undefined;
  const start = COMMENT_START.lastIndex;
  const length = mdx.slice(start, start + MAX_COMMENT_UNITS + 2).indexOf('*/');
  if (length === -1 || matchAt(COMMENT_END, mdx, start + length + 2) === undefined) return undefined;
  return COMMENT_END.lastIndex;
}

/** The end of a code span whose opening marks end at an index, or that index if nothing closes it in its paragraph. */
function endOfCodeSpan(mdx: string, start: number, marks: string): number {
  const closing = /(`+)|\n[ \t>]*\r?\n/g;
  closing.lastIndex = start;
  for (let match = closing.exec(mdx); match?.[1] !== undefined; match = closing.exec(mdx)) {
    if (match[1] === marks) return closing.lastIndex;
  }
  return start;
}

interface Tag {
  readonly kind: 'open' | 'close' | 'void';
  /** Empty for a fragment, and for an HTML element, which is not tracked. */
  readonly name: string;
  readonly end: number;
  /** What stays of it: nothing of a component, and an HTML element without attributes that are expressions. */
  readonly html: string;
}

/** The tag at an index; undefined if the text there is not one. */
function readTag(mdx: string, start: number): Tag | undefined {
  const [opening, slash = '', name = ''] = matchAt(TAG_NAME, mdx, start) ?? [];
  if (opening === undefined) return undefined;
  const limit = Math.min(mdx.length, start + MAX_TAG_UNITS);
  const isElement = /^[a-z][^.]*$/.test(name);
  let html = isElement ? opening : '';
  let at = start + opening.length;
  while (at < limit) {
    const end = matchAt(TAG_END, mdx, at);
    if (end !== undefined) {
      const kind = isElement || end[1] === '/' ? 'void' : slash === '/' ? 'close' : 'open';
      return { kind, name, end: at + end[0].length, html: isElement ? html + end[0] : '' };
    }
    const attribute = matchAt(ATTRIBUTE, mdx, at);
    const valueAt = at + (attribute?.[0].length ?? 0);
    if (attribute === undefined) return undefined;
    const isExpression = attribute[0].endsWith('{');
    at = isExpression ? endOfBraces(mdx, valueAt, limit) : valueAt;
    if (isElement && !isExpression) html += attribute[0].replace(/^(\s+)className=/, '$1class=');
  }
  return undefined;
}

const TAG_NAME = /<(\/?)((?:[A-Za-z][\w$-]*(?:\.[\w$]+)*)?)(?=[\s/>{])/y;
const TAG_END = /\s*(\/?)>/y;
/** An attribute with its value, or up to the brace that starts an expression. */
const ATTRIBUTE = /\s+(?:[\w$:@.-]+(?:=(?:"[^"]*"|'[^']*'|\{)|(?=[\s/>]))|\{)/y;
/** UTF-16 units. A longer tag is text. */
const MAX_TAG_UNITS = 10_000;

/** The index after the brace that closes an expression; the limit if none does. */
function endOfBraces(mdx: string, start: number, limit: number): number {
  let depth = 1;
  for (let at = start; at < limit && depth < MAX_DEPTH; ) {
    if (mdx.startsWith('/*', at)) {
      const length = mdx.slice(at + 2, limit).indexOf('*/');
      if (length === -1) return limit;
      at += length + 4;
      continue;
    }
    const [part = ''] = matchAt(SCRIPT_PART, mdx, at) ?? [];
    if (part === '{') depth += 1;
    if (part === '}') depth -= 1;
    at += part.length || 1;
    if (depth === 0) return at;
  }
  return limit;
}

/** Braces within braces. Deeper ones are text. */
const MAX_DEPTH = 50;
const SCRIPT_PART = /[{}]|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\[\s\S])*`|[^{}"'`/]+/y;

/** The index after the imports and exports at an index; undefined if the text there is something else. */
function endOfStatements(mdx: string, start: number): number | undefined {
  if (!STATEMENT.test(mdx.slice(start, start + 7))) return undefined;
  let end = endOfBlock(mdx, start);
  for (let blocks = 1; blocks < MAX_BLOCKS; blocks += 1) {
    const code = mdx.slice(start, end);
    const fault = findFault(code);
    if (fault === undefined) return end;
    const isIncomplete = fault.raisedAt > code.trimEnd().length && end < mdx.length;
    if (!isIncomplete) {
      // The lines before the fault may be statements.
      const before = start + code.lastIndexOf('\n', fault.pos - 1) + 1;
      if (before > start && findFault(mdx.slice(start, before)) === undefined) return before;
      break;
    }
    end = endOfBlock(mdx, end);
  }
  // Acorn knows no types, but the processors of Astro do.
  return matchAt(TYPED, mdx, start) && endOfBlock(mdx, start);
}

const STATEMENT = /^(?:import|export)[\s{*"']/;
const TYPED =
  /export\s+(?:(?:const|let|var)\s+[\w$]+\s*:|(?:async\s+)?function\s+[\w$]+\s*[<(]|(?:type|interface)\s+\w[^.={\n]*[={])/y;
/** Blocks between blank lines that statements may have. */
const MAX_BLOCKS = 50;

/** The index after the lines up to a blank line, and after the blank lines. */
function endOfBlock(mdx: string, start: number): number {
  const blank = /\n(?:[ \t]*\r?(?:\n|$))+/g;
  blank.lastIndex = start;
  return blank.test(mdx) ? blank.lastIndex : mdx.length;
}

// Earlier blocks may declare what this one exports.
const parser = Parser.extend(
  jsx(),
  (Base) =>
    class extends Base {
      raiseRecoverable(): void {}
    },
);

/** The first place in a module that is neither an import nor an export; undefined without one. */
function findFault(code: string): Fault | undefined {
  try {
    const { body } = parser.parse(code.replace(TYPE_ONLY, '$1     '), {
      ecmaVersion: 'latest',
      sourceType: 'module',
    });
    const other = body.find(({ type }) => !/^(?:Import|Export)/.test(type));
    return other && { pos: other.start, raisedAt: other.start };
  } catch (error) {
    return error as Fault;
  }
}

/** The properties of acorn's syntax errors. */
interface Fault {
  readonly pos: number;
  /** Offset up to which the parser has read. */
  readonly raisedAt: number;
}

/** `import type` and `export type` of references, whose names are JavaScript otherwise. */
const TYPE_ONLY = /^(import|export) type(?= [{*]| (?!from\b)[\w$]+ from\b)/gm;
