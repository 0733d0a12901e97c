import { expect, it } from 'vitest';
import { firstHeading } from '../../../integration/entities/heading.ts';

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
