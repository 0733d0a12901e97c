import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readPlainYaml } from '../../../integration/core/source/plain-yaml.ts';
import { readAnyYaml } from '../../../integration/core/source/yaml.ts';
import { runs } from '../../oracle/runs.ts';
import { cpuTime } from '../../support/cpu-time.ts';

const FRAGMENTS = [
  ...['title', 'field_tags', 'a', 'b-c', '_x', '__proto__', 'null', 'Yes', 'true', 'FALSE', 'NaN', 'y'],
  ...[
    ': ',
    ':',
    ' ',
    '  ',
    '\n',
    '\n',
    '\n- ',
    '\n  - ',
    '\n   - ',
    '- ',
    ' #',
    '#',
    ' # note',
    ',',
    ', ',
    '.',
    '-',
  ],
  ...[
    '"',
    "'",
    '"quoted: text"',
    "'it is'",
    "''",
    '""',
    '\\',
    '\\n',
    '&a',
    '*a',
    '!!str ',
    '|',
    '>-',
    '{a: b}',
    '[a, b]',
    '[a, "b c"]',
    '[',
    ']',
    '{',
    '}',
    '>\n  ',
    '>-\n  ',
    '|\n ',
    '\n  one\n  two\n',
  ],
  ...[
    '0',
    '1',
    '12',
    '007',
    '1.5',
    '1.50',
    '0.0',
    '-1',
    '+1',
    '1e3',
    '0x1f',
    '0o7',
    '123456789012',
    '9007199254740993',
    '.5',
    '5.',
    '1622484155123',
    '2.0.0',
    '46mGP',
    '1e-5',
    '8e59-1',
    '01/18/2026',
    '/a/b.png',
  ],
  ...[
    '2024-01-31',
    '2024-01-31T12:00:00+01:00',
    '2024-01-31 12:00',
    '12:30',
    'http://a.b/c',
    'a@b.c',
    '~',
    '?',
    '? ',
    '%',
    '@',
    '`',
  ],
  ...[
    'ä',
    'Ω',
    '日本',
    '“quoted”',
    '\u00a0',
    '\u0085',
    '\u2028',
    '😀',
    '\ufeff',
    '\t',
    '\r\n',
    '---',
    '...',
    '<<',
    '/',
    '(',
    ')',
    '+',
    ';',
  ],
];
const texts = fc.array(fc.constantFrom(...FRAGMENTS), { maxLength: 14 }).map((parts) => parts.join(''));
const lines = fc
  .array(
    fc.oneof(
      fc
        .tuple(fc.constantFrom('title', 'a', 'b', 'c', 'tags'), texts)
        .map(([name, value]) => `${name}: ${value}`),
      fc.constantFrom(
        '# a comment',
        'ms.date: 1.0.0',
        'two words: /a',
        'tags:',
        'list:',
        'title: A tale',
        'n: 3',
        '  - one',
        '  - two',
        '- 2024-01-31',
        '',
        ' ',
        '  more text',
        '    further in',
        'text: >-',
        'text: >',
        'verse: |',
        'verse: |-',
        'verse: |+',
        '  # no comment here: "\\\\',
        '  ends in a blank ',
        'list: [one, two three, 4]',
        "list: ['a', b-c,d]",
        'list: []',
        "author: Ana (@ana) <a@b.c>, D'Or & `x`",
        'requires: 12, 34',
        'url: https://a.b/c?d=e#f',
      ),
    ),
    { maxLength: 6 },
  )
  .map((all) => all.join('\n'));

describe('readPlainYaml', () => {
  it('returns what the yaml package returns, or undefined', () => {
    fc.assert(
      fc.property(fc.oneof(texts, lines), (text) => {
        const plain = readPlainYaml(text);
        if (plain === undefined) return;
        const { data, numerals, problems } = readAnyYaml(text);
        expect({ data: plain, numerals: new Map(), problems: [] }).toEqual({ data, numerals, problems });
        expect(Object.keys(plain)).toEqual(Object.keys(data));
      }),
      runs(5000),
    );
  });

  it.each(['a', 'a, ', 'a ', ', ', '"a", '])('rejects a long list of %j quickly', async (part) => {
    const text = `list: [${part.repeat(20_000)}(]\n`;
    expect(await cpuTime(() => expect(readPlainYaml(text)).toBeUndefined())).toBeLessThan(1000);
  });

  it.each([
    [
      'title: A tale of two; or (rather) three\nstatus: true\n',
      { title: 'A tale of two; or (rather) three', status: true },
    ],
    ['tags:\n  - one\n  - "two: three"\nrating: 4\n', { tags: ['one', 'two: three'], rating: 4 }],
    [
      "date: 2024-01-31\nat: 2024-01-31T12:00:00Z\nname: 'Ana'\n",
      { date: '2024-01-31', at: '2024-01-31T12:00:00Z', name: 'Ana' },
    ],
    ['', {}],
    [
      'teaser: >-\n  one: "two"\n  # three\nverse: |\n  a\n  b\nnext: 1\n',
      { teaser: 'one: "two" # three', verse: 'a\nb\n', next: 1 },
    ],
    ['tags: [one, "two three", 4]\nnone: []\n', { tags: ['one', 'two three', 4], none: [] }],
    [
      'author: Ana (@ana) <a@b.c>\nrequires: 12, 34\nurl: https://a.b/c?d=e#f\n',
      { author: 'Ana (@ana) <a@b.c>', requires: '12, 34', url: 'https://a.b/c?d=e#f' },
    ],
    [
      '# a: b\r\nms.date: 01/18/2026\r\nonline version: 2.0.0\r\nlinks:\r\n# two\r\n  - /a/b\r\n',
      { 'ms.date': '01/18/2026', 'online version': '2.0.0', links: ['/a/b'] },
    ],
    [
      'id: 46mGP\ncreated: 1622484155123\nslug: 2024-01-31-a\n',
      { id: '46mGP', created: 1622484155123, slug: '2024-01-31-a' },
    ],
  ])('reads %j', (text, data) => {
    expect({ ...readPlainYaml(text) }).toEqual(data);
  });

  it.each([
    ['a comment', 'title: A # note\n'],
    ['a repeated key', 'a: 1\na: 2\n'],
    ['a key without a value', 'a:\n'],
    ['a value on several lines', 'a: one\n  two\n'],
    ['folded text with paragraphs', 'a: >-\n  one\n\n  two\n'],
    ['folded text with indented lines', 'a: >-\n  one\n    two\n'],
    ['text that keeps its line endings', 'a: |+\n  one\n'],
    ['a list over two lines', 'a: [one,\n  two]\n'],
    ['nested lists', 'a: [one, [two]]\n'],
    ['a map in braces', 'a: {b: c}\n'],
    ['a value that is a map', 'a: b: c\n'],
    ['a map', 'a:\n  b: 1\n'],
    ['a list in a list', 'a:\n  - - b\n'],
    ['an unusual number notation', 'a: 1.50\n'],
    ['a former boolean', 'draft: yes\n'],
    ['an escape', 'a: "\\n"\n'],
    ['a line ending of old Macs', 'a: b\rc: d\n'],
    ['a time', 'a: 12:30\n'],
    ['hexadecimal digits', 'a: 0x1f\n'],
  ])('leaves %s to the yaml package', (_what, text) => {
    expect(readPlainYaml(text)).toBeUndefined();
  });
});
