/** A body that is not rendered. The message is the reason, and what an author can do. */
export class UnrenderableError extends Error {
  override readonly name = 'UnrenderableError';
}

/** Why a text is not rendered, if a renderer of Markdown would need too much memory for it. */
export function weightProblem(text: string): UnrenderableError | undefined {
  if (!isTooHeavy(text)) return undefined;
  return new UnrenderableError(
    'one paragraph or table is too large, or lists and quotes are nested too deeply. Add empty lines to make shorter paragraphs, and split large tables.',
  );
}

/**
 * Whether rendering may take more than some 300 MB. The renderer copies all text of a paragraph at each smart quote, dash,
 * ellipsis and entity, and fills each row of a table up to the width of its header. The estimate takes time in proportion
 * to the length of the text, and is never too low: lines that may belong to one paragraph are counted as one.
 */
function isTooHeavy(text: string): boolean {
  const isCode = createCodeDetector(text);
  let bytes = 0;
  let block = { ...EMPTY_BLOCK };
  for (const line of text.split('\n')) {
    if (isCode(line)) continue;
    if (NESTED.test(line)) return true;
    if (BLOCK_END.test(line) || BLOCK_START.test(line)) {
      bytes += bytesFor(block);
      block = { ...EMPTY_BLOCK };
    }
    const marks = count(line, MARK);
    block.marks += marks;
    block.bytes += line.length + 1 + 2 * (marks + count(line, NOT_ASCII));
    block.lines += 1;
    block.columns = Math.max(block.columns, count(line, PIPE));
  }
  return bytes + bytesFor(block) > MAX_BYTES;
}

/** Lines that may be one paragraph, or one table. */
const EMPTY_BLOCK = { marks: 0, bytes: 0, lines: 0, columns: 0 };

function bytesFor({ marks, bytes, lines, columns }: typeof EMPTY_BLOCK): number {
  return marks * bytes + lines * columns * BYTES_OF_CELL;
}

function count(line: string, pattern: RegExp): number {
  return line.match(pattern)?.length ?? 0;
}

const MAX_BYTES = 256e6;
/** As measured: satteri 0.10. */
const BYTES_OF_CELL = 160;
const MARK = /["'&]|-{2,3}|\.{3}/g;
const NOT_ASCII = /[^\0-\x7f]/g;
const PIPE = /\|/g;
/** A line that is empty, or is so in a quote. More than three blanks before a `>` make it text. */
const BLOCK_END = /^ {0,3}(?:> {0,3})*[ \t]*\r?$/;
/** A heading or an item of a list, which end a paragraph before them. */
const BLOCK_START = /^ {0,3}(?:> {0,3})*(?:[-+*][ \t]+[^\s]|#{1,6}[ \t])/;
/** 500 quotes and lists that begin in one line. */
const NESTED = /^(?:[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t]))){500}/;

/**
 * Call the function with each line, in order. It returns true if the line is certainly in a fenced code block. No line is
 * certain after one that could begin HTML, math, a directive, or a fence inside a list.
 */
function createCodeDetector(text: string): (line: string) => boolean {
  let isCertain = !LONE_RETURN.test(text);
  let fence = '';
  return (line) => {
    if (fence !== '') {
      const end = FENCE_END.exec(line)?.[1];
      if (end?.startsWith(fence)) fence = '';
      return true;
    }
    if (!isCertain) return false;
    fence = FENCE.exec(line)?.[1] ?? '';
    if (fence === '') isCertain = !UNCERTAIN.test(line);
    return false;
  };
}

const LONE_RETURN = /\r(?!\n)/;
const FENCE = /^(`{3,}(?=[^`]*$)|~{3,})/;
const FENCE_END = /^ {0,3}(`{3,}|~{3,})[ \t]*\r?$/;
const UNCERTAIN = /^ {0,3}[<$:]|^[^\p{L}]*?(?:```|~~~)/u;
