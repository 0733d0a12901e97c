import { expect, it } from 'vitest';
import { headingAtStart, MAX_HEADING_LENGTH } from '../../../integration/core/source/heading.ts';
import { cpuTime } from '../../support/cpu-time.ts';

it.each([
  ['# One\n## Two', 'One'],
  ['\r\n# Windows\r\ntext', 'Windows'],
  ['Underlined\n====\n', 'Underlined'],
  ['# ###\n# After', 'After'],
  ['# \n# Second', 'Second'],
  ['#\n# Second', 'Second'],
  ['# Trailing \t ## \t', 'Trailing'],
  ['# C#', 'C#'],
  ['# A [link](/x) and ![image](y.png) [not', 'A link and image [not'],
  ['# **Bold** and `code` and [link](/x)', 'Bold and code and link'],
  ['# 2 \\* 3', '2 * 3'],
  ['<!-- A comment\n# in two lines -->\n\n# Title', 'Title'],
  ["import Tabs from './Tabs.jsx';\nexport const year = 2026;\n\n# Title", 'Title'],
])('the heading at the start of %j is %j', (body, heading) => {
  expect(headingAtStart(body)).toBe(heading);
});

it.each([
  'Intro.\n\n## Show backlinks\n',
  'Intro.\n\n# Later\n',
  '## Example\n',
  'Example\n---\n',
  'Intro.\nmore\n===\n',
  '```\n# code\n```\n# After',
  '- item\n===\n',
  '> quote\n===\n',
  '#hashtag\n\n# Heading',
  '    # indented code',
  '<!-- never closed\n# Title',
  'no heading',
  '',
])('%j has no title at its start', (body) => {
  expect(headingAtStart(body)).toBeNull();
});

it('reads the start of a long line', () => {
  expect(headingAtStart(`# ${'a'.repeat(MAX_HEADING_LENGTH * 2)}`)).toHaveLength(MAX_HEADING_LENGTH - 2);
});

it.each(['[', '[](', '![', ' ', '`', '*a ', '__', ' #', '`a``', '<', '<!--\n', '<!-- -->\n'])(
  'takes linear time for repeated %j',
  async (part) => {
    const text = `${part.repeat(100_000)}# a${part.repeat(100_000)}b\n${part.repeat(100_000)}x\n===`;
    expect(await cpuTime(() => headingAtStart(text))).toBeLessThan(1000);
  },
);
