import { describe, expect, it } from 'vitest';
import {
  codeFrame,
  MAX_FRAMES,
  reportDiagnostics,
} from '../../../../integration/core/content/diagnostics/diagnostic-report.ts';
import { type Diagnostic, plainPaint } from '../../../../integration/core/source/diagnostic.ts';

function framed(text: string, line: number, column: number): string[] | undefined {
  return codeFrame(text, { line, column })?.map(({ gutter, text: shown }) => `${gutter}|${shown}`);
}

describe('a code frame', () => {
  it.each([
    ['in the middle', 'a\nb\nc\nd', 3, 1, ['2|b', '3|c', ' |^', '4|d']],
    ['at the start', 'a\nb\nc', 1, 2, ['1|a', ' | ^', '2|b']],
    ['at the end', 'a\nb\n', 2, 1, ['1|a', '2|b', ' |^']],
    ['after the end', 'a\n', 2, 1, ['1|a', '2|', ' |^']],
    ['over two digits', `${'x\n'.repeat(9)}y\nz`, 10, 1, [' 9|x', '10|y', '  |^', '11|z']],
    ['with Windows line ends', 'a\r\nb\r\nc', 2, 1, ['1|a', '2|b', ' |^', '3|c']],
    ['behind tabs', 'ab\tc: d', 1, 7, ['1|ab  c: d', ' |       ^']],
    ['behind wide characters', '日本: x', 1, 5, ['1|日本: x', ' |      ^']],
    ['behind an emoji of several parts', '👨‍👩‍👧 x', 1, 10, ['1|👨‍👩‍👧 x', ' |   ^']],
    ['behind terminal control characters', 'a\u001b[2Jb', 1, 6, ['1|a\\x1b[2Jb', ' |        ^']],
  ])('points at the position %s', (_where, text, line, column, expected) => {
    expect(framed(text, line, column)).toEqual(expected);
  });

  it('is undefined for a line that does not exist', () => {
    expect(framed('a\nb', 7, 1)).toBeUndefined();
  });

  it('shows the relevant part of a long line', () => {
    const text = `short\n${'日'.repeat(500)}!${'y'.repeat(500)}\nnext`;
    const [before, fault, mark, after] = framed(text, 2, 501) ?? [];
    expect([before?.slice(2), after?.slice(2)]).toEqual(['…', '…']);
    expect(fault).toMatch(/^2\|…日+!y+…$/);
    // An ellipsis and the wide characters before the mark, which take two columns each.
    const wide = fault?.match(/日/g)?.length ?? 0;
    expect(mark).toBe(` |${' '.repeat(1 + wide * 2)}^`);
    expect(wide * 2).toBeLessThanOrEqual(60);
  });
});

describe('a report', () => {
  const problem = (key: string, line: number): Diagnostic => ({
    ...{ severity: 'error', code: 'x/y', key, line, column: 1, message: `Wrong in ${line}.` },
  });
  const options = (texts: Readonly<Record<string, string>>) => {
    const reads: string[] = [];
    return {
      asked: reads,
      root: 'content',
      paint: plainPaint,
      async readText(key: string) {
        reads.push(key);
        if (key === 'a/broken.md') throw new Error('gone');
        return texts[key];
      },
    };
  };

  it('is complete even if a file cannot be read any more', async () => {
    const list = [problem('a/broken.md', 2), problem('a/gone.md', 2), problem('a/', 1)];
    expect(await reportDiagnostics(list, options({}))).toBe(`content/a/ Wrong in 1.
content/a/broken.md:2:1 Wrong in 2.
content/a/gone.md:2:1 Wrong in 2.

3 errors in 2 files.`);
  });

  it('reads a file once, and not at all for problems of the whole file', async () => {
    const given = options({ 'a/x.md': 'a\nb\nc\nd' });
    await reportDiagnostics([problem('a/x.md', 2), problem('a/x.md', 3), problem('b/y.md', 1)], given);
    expect(given.asked).toEqual(['a/x.md']);
  });

  it.each([
    [MAX_FRAMES, MAX_FRAMES],
    [MAX_FRAMES + 1, MAX_FRAMES],
  ])('of %i problems has %i frames and a line for each problem', async (problems, frames) => {
    const list = Array.from({ length: problems }, (_, index) => problem(`a/${100 + index}.md`, 2));
    const text = await reportDiagnostics(list, { ...options({}), readText: async () => 'a\nb' });
    expect(text.match(/\^/g)).toHaveLength(frames);
    expect(text.match(/Wrong in 2/g)).toHaveLength(problems);
  });
});
