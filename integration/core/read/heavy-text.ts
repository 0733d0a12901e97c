/** A body that is not rendered. The message is the reason and the remedy. */
export class UnrenderableError extends Error {
  override readonly name = 'UnrenderableError';
}

/** The error for a text that would take too much memory or time to render. */
export function weightProblem(text: string): UnrenderableError | undefined {
  if (!isTooHeavy(text)) return undefined;
  return new UnrenderableError(
    'one paragraph or table is too large, or lists and quotes are nested too deeply. Add empty lines to make shorter paragraphs, and split large tables.',
  );
}

/**
 * True if rendering may take more than about 300 MB or several seconds. The renderer copies all text of a paragraph at each
 * smart quote, dash, ellipsis and entity, fills each row of a table up to the width of its header, and compares the emphasis
 * marks of a paragraph with each other. The estimate takes linear time. It is never too low, because all lines that may
 * belong to one paragraph count as one.
 */
function isTooHeavy(text: string): boolean {
  const isCode = createCodeDetector(text);
  let bytes = 0;
  let pairs = 0;
  let block = { ...EMPTY_BLOCK };
  for (const line of text.split('\n')) {
    if (isCode(line)) continue;
    if (NESTED.test(line)) return true;
    if (BLOCK_END.test(line) || BLOCK_START.test(line)) {
      bytes += bytesFor(block);
      pairs += block.delimiters ** 2;
      block = { ...EMPTY_BLOCK };
    }
    const marks = count(line, MARK);
    block.marks += marks;
    block.delimiters += count(line, DELIMITER);
    block.bytes += line.length + 1 + 2 * (marks + count(line, NOT_ASCII));
    block.lines += 1;
    block.columns = Math.max(block.columns, count(line, PIPE));
  }
  return bytes + bytesFor(block) > MAX_BYTES || pairs + block.delimiters ** 2 > MAX_PAIRS;
}

/** Lines that may be one paragraph or one table. */
const EMPTY_BLOCK = { marks: 0, delimiters: 0, bytes: 0, lines: 0, columns: 0 };

function bytesFor({ marks, bytes, lines, columns }: typeof EMPTY_BLOCK): number {
  return marks * bytes + lines * columns * BYTES_OF_CELL;
}

function count(line: string, pattern: RegExp): number {
  return line.match(pattern)?.length ?? 0;
}

const MAX_BYTES = 256e6;
/** One paragraph with 22,000 delimiters. */
const MAX_PAIRS = 5e8;
/** Measured with satteri 0.10. */
const BYTES_OF_CELL = 160;
const MARK = /["'&]|-{2,3}|\.{3}/g;
const DELIMITER = /[*_~&[\]!`<\\]/g;
const NOT_ASCII = /[^\0-\x7f]/g;
const PIPE = /\|/g;
/** A line that is empty, also in a quote. More than three spaces before a `>` make it text. */
const BLOCK_END = /^ {0,3}(?:> {0,3})*[ \t]*\r?$/;
/** A heading or a list item, which ends the paragraph before it. */
const BLOCK_START = /^ {0,3}(?:> {0,3})*(?:[-+*][ \t]+[^\s]|#{1,6}[ \t])/;
/** 500 quotes and lists that start in one line. */
const NESTED = /^(?:[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t]))){500}/;

/**
 * Call the function with each line, in order. It returns true if the line is certainly in a fenced code block. Nothing is
 * certain after a line that could start HTML, math, a directive, or a fence inside a list.
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
