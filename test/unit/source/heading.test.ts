import { expect, it } from 'vitest';
import { firstHeading, MAX_HEADING_LENGTH } from '../../../integration/core/source/heading.ts';
import { cpuTime } from '../../cpu-time.ts';

it.each([
  ['# One\n## Two', 'One'],
  ['text\n\n### Third level ###\n', 'Third level'],
  ['\r\n# Windows\r\ntext', 'Windows'],
  ['```\n# code\n```\n# After', 'After'],
  ['~~~sh\n# code\n```\n~~~\n# After', 'After'],
  ['````\n```\n# code\n````\n# After', 'After'],
  ['```\n# never closed', null],
  ['Underlined\n====\n', 'Underlined'],
  ['text\n\n---\n\n# Real', 'Real'],
  ['- item\n---\n# Real', 'Real'],
  ['# ###\n# After', 'After'],
  ['# Trailing \t ## \t', 'Trailing'],
  ['# C#', 'C#'],
  ['# A [link](/x) and ![image](y.png) [not', 'A link and image [not'],
  ['# **Bold** and `code` and [link](/x)', 'Bold and code and link'],
  ['# 2 \\* 3', '2 * 3'],
  ['#hashtag\n# Heading', 'Heading'],
  ['    # indented code', null],
  ['# \n# Second', 'Second'],
  ['no heading', null],
  ['', null],
])('the first heading of %j is %j', (body, heading) => {
  expect(firstHeading(body)).toBe(heading);
});

it('reads the start of a long line, then the next line', () => {
  expect(firstHeading(`# ${'a'.repeat(MAX_HEADING_LENGTH * 2)}`)).toHaveLength(MAX_HEADING_LENGTH - 2);
  expect(firstHeading(`${'a'.repeat(MAX_HEADING_LENGTH * 2)}\n# Next`)).toBe('Next');
});

it.each(['[', '[](', '![', ' ', '`', '*a ', '__', ' #', '`a``', '<'])(
  'takes linear time for repeated %j',
  async (part) => {
    const text = `# a${part.repeat(100_000)}b\n${part.repeat(100_000)}x\n===`;
    expect(await cpuTime(() => firstHeading(text))).toBeLessThan(1000);
  },
);
