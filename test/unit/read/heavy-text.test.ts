import { describe, expect, it } from 'vitest';
import { weightProblem } from '../../../integration/core/read/heavy-text.ts';

/** Puts all lines in one paragraph, list item or table cell. */
const ONE_BLOCK: Readonly<Record<string, (lines: readonly string[]) => string>> = {
  'a paragraph': (lines) => lines.join(''),
  'a paragraph of several lines': (lines) => lines.join('\n'),
  'a paragraph with trailing spaces': (lines) => lines.join(' \n'),
  'a heading': (lines) => `# ${lines.join('')}`,
  'an item of a list': (lines) => `- ${lines.join('')}`,
  'a list item of several lines': (lines) => `- ${lines.join('\n  ')}`,
  'a table cell': (lines) => `|a|b|\n|-|-|\n|${lines.join('')}|b|`,
  'a quote': (lines) => `> ${lines.join('')}`,
  'a quote of many lines': (lines) => `> ${lines.join('\n> ')}`,
  'a quote with lazy continuation': (lines) => `> ${lines.join('\n')}`,
  'a paragraph with indented > lines': (lines) => lines.join('\n    >\n'),
  'a footnote': (lines) => `a[^1]\n\n[^1]: ${lines.join('')}`,
};
/** Puts each line in its own block. */
const MANY_BLOCKS: Readonly<Record<string, (lines: readonly string[]) => string>> = {
  paragraphs: (lines) => lines.join('\n\n'),
  'paragraphs with CRLF': (lines) => lines.join('\r\n\r\n'),
  'paragraphs between lines of spaces': (lines) => lines.join('\n \t\n'),
  'paragraphs of a quote': (lines) => `> ${lines.join('\n>\n> ')}`,
  'items of a list': (lines) => `- ${lines.join('\n- ')}`,
  headings: (lines) => `# ${lines.join('\n# ')}`,
};
const MARKS = ['"a" ', "'a' ", "it's ", '... ', '"', '&amp; ', 'a -- ', '"漢"'];
const linesOf = (mark: string) => Array.from({ length: 600 }, () => mark.repeat(25));

describe.each(MARKS)('15,000 times %j', (mark) => {
  it.each(Object.entries(ONE_BLOCK))('exceeds the limit in %s', (_, form) => {
    expect(weightProblem(form(linesOf(mark)))?.message).toContain('Add empty lines');
  });

  it.each(Object.entries(MANY_BLOCKS))('can be rendered in %s', (_, form) => {
    expect(weightProblem(form(linesOf(mark)))).toBeUndefined();
  });
});

describe('the weight of a text', () => {
  it('grows with the length of a paragraph', () => {
    const word = 'x'.repeat(1000);
    expect(weightProblem(`"${word}`.repeat(1000))).toBeDefined();
    expect(weightProblem(`${word} `.repeat(1000))).toBeUndefined();
  });

  it('limits the cells of a table, whose rows are as wide as its header', () => {
    const table = (rows: number) => `${'|a'.repeat(1500)}|\n${'|-'.repeat(1500)}|\n${'|a|\n'.repeat(rows)}`;
    expect(weightProblem(table(1500))).toBeDefined();
    expect(weightProblem(table(100))).toBeUndefined();
  });

  it('limits the emphasis marks of a paragraph', () => {
    expect(weightProblem('_a'.repeat(25_000))).toBeDefined();
    expect(weightProblem(`${'_a'.repeat(2500)}\n\n`.repeat(10))).toBeUndefined();
  });

  it.each(['> ', '- ', '1. ', '> - '])('limits the nesting of %j', (mark) => {
    expect(weightProblem(`${mark.repeat(600)}a`)).toBeDefined();
    expect(weightProblem(`${mark.repeat(100)}a`)).toBeUndefined();
  });

  it.each([
    ['dialogue', '"Well," he said, "it isn\'t far -- not far at all..."\n\n'.repeat(10_000)],
    ['a large table', `|a|b|c|\n|-|-|-|\n${'|"a"|b & c|its|\n'.repeat(1000)}`],
    ['code', `\`\`\`json\n${'{ "name": "value" },\n'.repeat(20_000)}\`\`\`\n`],
    ['several code blocks', `~~~\na\n~~~\n\n\`\`\`\`\n\`\`\`\n${'"a" '.repeat(20_000)}`],
    ['a long list', "- It's an item\n".repeat(20_000)],
  ])('accepts %s', (_, text) => {
    expect(weightProblem(text)).toBeUndefined();
  });

  it.each([
    ['a closed code block', '```\n   ```\n'],
    ['a code block that ends with its list item', '- ```\n'],
    ['a code block in a list item', '- a\n\n  ```\n'],
    ['inline code', '```a```\n'],
    ['an indented code block', ' ```\n```\n'],
    ['a comment', '<!--\n```\n-->\n'],
    ['math', '$$\n```\n$$\n'],
    ['CR line endings', '~~~\r~~~\n'],
    ['a longer fence', '````\n```\n````\n'],
    ['another kind of fence', '~~~\n```\n~~~\n'],
  ])('counts text after %s', (_, start) =>
    expect(weightProblem(`${start}${'"a" '.repeat(15_000)}`)).toBeDefined(),
  );

  it.each([
    ['quotes', '"'],
    ['blanks', ' '],
    ['empty lines', '\n'],
    ['lines of spaces', '\n   '],
    ['quote marks', '> '],
    ['dashes', '-'],
    ['digits', '1'],
  ])('takes linear time: %s', (_, unit) => {
    const start = process.cpuUsage();
    weightProblem(unit.repeat(1_000_000 / unit.length));
    expect(process.cpuUsage(start).user).toBeLessThan(3e6);
  });
});
