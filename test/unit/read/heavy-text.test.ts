import { describe, expect, it } from 'vitest';
import { weightProblem } from '../../../integration/read/heavy-text.ts';

/** Each form holds some text in one paragraph, or in one table. */
const ONE_BLOCK: Readonly<Record<string, (lines: readonly string[]) => string>> = {
  'a paragraph': (lines) => lines.join(''),
  'a paragraph of many lines': (lines) => lines.join('\n'),
  'a paragraph whose lines end with blanks': (lines) => lines.join(' \n'),
  'a heading': (lines) => `# ${lines.join('')}`,
  'an item of a list': (lines) => `- ${lines.join('')}`,
  'an item of a list, of many lines': (lines) => `- ${lines.join('\n  ')}`,
  'a table cell': (lines) => `|a|b|\n|-|-|\n|${lines.join('')}|b|`,
  'a quote': (lines) => `> ${lines.join('')}`,
  'a quote of many lines': (lines) => `> ${lines.join('\n> ')}`,
  'a quote that goes on without its marks': (lines) => `> ${lines.join('\n')}`,
  'a paragraph with lines of > that are text': (lines) => lines.join('\n    >\n'),
  'a footnote': (lines) => `a[^1]\n\n[^1]: ${lines.join('')}`,
};
/** The same text in blocks of their own. */
const MANY_BLOCKS: Readonly<Record<string, (lines: readonly string[]) => string>> = {
  paragraphs: (lines) => lines.join('\n\n'),
  'paragraphs with CRLF': (lines) => lines.join('\r\n\r\n'),
  'paragraphs with blanks between them': (lines) => lines.join('\n \t\n'),
  'paragraphs of a quote': (lines) => `> ${lines.join('\n>\n> ')}`,
  'items of a list': (lines) => `- ${lines.join('\n- ')}`,
  headings: (lines) => `# ${lines.join('\n# ')}`,
};
const MARKS = ['"a" ', "'a' ", "it's ", '... ', '"', '&amp; ', 'a -- ', '"漢"'];
const linesOf = (mark: string) => Array.from({ length: 600 }, () => mark.repeat(25));

describe.each(MARKS)('15,000 times %j', (mark) => {
  it.each(Object.entries(ONE_BLOCK))('are too much in %s', (_, form) => {
    expect(weightProblem(form(linesOf(mark)))?.message).toContain('Add empty lines');
  });

  it.each(Object.entries(MANY_BLOCKS))('may be rendered in %s', (_, form) => {
    expect(weightProblem(form(linesOf(mark)))).toBeUndefined();
  });
});

describe('the weight of a text', () => {
  it('grows with the length of the paragraph, too', () => {
    const word = 'x'.repeat(1000);
    expect(weightProblem(`"${word}`.repeat(1000))).toBeDefined();
    expect(weightProblem(`${word} `.repeat(1000))).toBeUndefined();
  });

  it('bounds the cells of a table, which has as many in each row as in its header', () => {
    const table = (rows: number) => `${'|a'.repeat(1500)}|\n${'|-'.repeat(1500)}|\n${'|a|\n'.repeat(rows)}`;
    expect(weightProblem(table(1500))).toBeDefined();
    expect(weightProblem(table(100))).toBeUndefined();
  });

  it('bounds the signs of emphasis in one paragraph', () => {
    expect(weightProblem('_a'.repeat(25_000))).toBeDefined();
    expect(weightProblem(`${'_a'.repeat(2500)}\n\n`.repeat(10))).toBeUndefined();
  });

  it.each(['> ', '- ', '1. ', '> - '])('bounds how deep %j nests', (mark) => {
    expect(weightProblem(`${mark.repeat(600)}a`)).toBeDefined();
    expect(weightProblem(`${mark.repeat(100)}a`)).toBeUndefined();
  });

  it.each([
    ['dialogue', '"Well," he said, "it isn\'t far -- not far at all..."\n\n'.repeat(10_000)],
    ['a large table', `|a|b|c|\n|-|-|-|\n${'|"a"|b & c|its|\n'.repeat(1000)}`],
    ['code', `\`\`\`json\n${'{ "name": "value" },\n'.repeat(20_000)}\`\`\`\n`],
    ['code after code', `~~~\na\n~~~\n\n\`\`\`\`\n\`\`\`\n${'"a" '.repeat(20_000)}`],
    ['a long list', "- It's an item\n".repeat(20_000)],
  ])('lets %s pass', (_, text) => {
    expect(weightProblem(text)).toBeUndefined();
  });

  it.each([
    ['a code block that has ended', '```\n   ```\n'],
    ['a code block that ends with the item of a list', '- ```\n'],
    ['a code block further down in the item of a list', '- a\n\n  ```\n'],
    ['code in a line', '```a```\n'],
    ['a code block with an indent', ' ```\n```\n'],
    ['a comment', '<!--\n```\n-->\n'],
    ['math', '$$\n```\n$$\n'],
    ['lines that end with CR', '~~~\r~~~\n'],
    ['a longer fence', '````\n```\n````\n'],
    ['a fence of the other kind', '~~~\n```\n~~~\n'],
  ])('counts text after %s', (_, start) =>
    expect(weightProblem(`${start}${'"a" '.repeat(15_000)}`)).toBeDefined(),
  );

  it.each([
    ['quotes', '"'],
    ['blanks', ' '],
    ['empty lines', '\n'],
    ['lines of blanks', '\n   '],
    ['quote marks', '> '],
    ['dashes', '-'],
    ['digits', '1'],
  ])('takes time in proportion to the length: %s', (_, unit) => {
    const start = process.cpuUsage();
    weightProblem(unit.repeat(1_000_000 / unit.length));
    expect(process.cpuUsage(start).user).toBeLessThan(3e6);
  });
});
