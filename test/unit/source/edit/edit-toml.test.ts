import { describe, expect, it } from 'vitest';
import { editData, readRaw } from '../../../../integration/core/source/edit/edit-data.ts';
import { layoutOf } from '../../../../integration/core/source/edit/layout.ts';
import { type Raw, unquoted } from '../../../../integration/core/source/edit/raw.ts';
import '../../../support/toml-format.ts';

/** The text after edits of top-level keys; undefined if it cannot be edited. */
function edited(text: string, edits: Readonly<Record<string, Raw | undefined>>, order: string[] = []) {
  const source = { text, language: 'toml', layout: layoutOf(text) } as const;
  const before = readRaw(text, 'toml');
  if (before === undefined) throw new Error('The text is not TOML.');
  const rankOf = (key: string) => (order.includes(key) ? order.indexOf(key) : undefined);
  return editData(source, before, new Map(Object.entries(edits)), rankOf);
}

const PAGE = `# Reviewed in spring
title = "Rain later" # as in the forecast
date = 2024-01-31
draft = true

# Who wrote it
[extra]
author = 'Jane'   # on leave
weight = 1_000

[taxonomies]
tags = ["weather", "sea"]
`;

describe('a change of one value in TOML', () => {
  it.each<[string, string, Raw, string]>([
    ['in double quotes', 'a = "Old" # why', 'New', 'a = "New" # why'],
    ['in single quotes', "a = 'Old'", 'New \\d', "a = 'New \\d'"],
    ['in single quotes that cannot contain it', "a = 'Old'", "It's", 'a = "It\'s"'],
    ['with quotes', 'a = "Old"', 'a "b" \\', 'a = "a \\"b\\" \\\\"'],
    ['with control characters', 'a = "Old"', 'a\u0000\u007f\tb', 'a = "a\\u0000\\u007f\\tb"'],
    ['that looks like a date', 'a = "Old"', '2024-01-01', 'a = "2024-01-01"'],
    ['without spaces around the sign', 'a="Old"', 'New', 'a="New"'],
    ['aligned', 'a    =    "Old"', 'New', 'a    =    "New"'],
    ['with lines', 'a = "Old"', 'b\nc', 'a = "b\\nc"'],
    ['over several lines', 'a = """\nOld\n"""', 'New\n"""\\\n', 'a = """\nNew\n""\\"\\\\\n"""'],
    ['over several lines in single quotes', "a = '''Old\ntext'''", 'b\n\\c', "a = '''b\n\\c'''"],
    ['in three quotes on one line', 'a = """Old "text""""', 'New "text" \\d', 'a = """New "text" \\\\d"""'],
    ['in three single quotes on one line', "a = '''It's'''", 'It\'s "new"', "a = '''It's \"new\"'''"],
    ['that is three quotes', 'a = """Old"""', '"""', 'a = """""\\""""'],
    ['of one line that had several', 'a = """\nOld\ntext"""', 'New', 'a = """\nNew"""'],
    ['that would close the frontmatter', 'a = """\nOld\n"""', 'b\n+++\nc', 'a = "b\\n+++\\nc"'],
    ['a number', 'a = 1_000', 2, 'a = 2'],
    ['a large number', 'a = 1', 1e300, 'a = 1e+300'],
    ['a decimal', 'a = 9.50', unquoted('9.60'), 'a = 9.60'],
    ['a boolean', 'a = true', false, 'a = false'],
    ['a number that becomes text', 'a = 1', 'one', 'a = "one"'],
    ['a day', 'a = 2024-01-31', unquoted('2024-02-01'), 'a = 2024-02-01'],
    ['a day in quotes', 'a = "2024-01-31"', unquoted('2024-02-01'), 'a = "2024-02-01"'],
    ['a date-time', 'a = 2024-01-31 10:00:00', unquoted('2024-02-01 11:00:00'), 'a = 2024-02-01 11:00:00'],
    [
      'a date-time that TOML does not have',
      'a = 2024-01-31',
      unquoted('2024-02-01 11:00'),
      'a = "2024-02-01 11:00"',
    ],
    ['a time', 'a = 10:00:00', '11:00:00', 'a = 11:00:00'],
    ['a date that becomes text', 'a = 2024-01-31', 'soon', 'a = "soon"'],
    ['a list', 'a = [1, 2] # why', [1, 3], 'a = [1, 3] # why'],
    ['a list item like its neighbors', "a = ['b']", ['b', 'c'], "a = ['b', 'c']"],
    ['a list with spaces', 'a = [ "b", "c" ]', ['b'], 'a = [ "b" ]'],
    ['a list that was empty', 'a = []', ['b'], 'a = ["b"]'],
    [
      'a list over several lines',
      'a = [\n  "b", # first\n  # about c\n  "c",\n]',
      ['b', 'c', 'd'],
      'a = [\n  "b", # first\n  # about c\n  "c",\n  "d",\n]',
    ],
    [
      'an item of a list of lists',
      'a = [[1, 2], [3]]',
      [
        [1, 2],
        [4, 5],
      ],
      'a = [[1, 2], [4, 5]]',
    ],
    ['an inline table', 'a = { b = 1, c = "x" }', { b: 2, c: 'x' }, 'a = { b = 2, c = "x" }'],
    ['a key of an inline table', 'a = {b = 1}', { b: 1, 'c d': [true] }, 'a = {b = 1, "c d" = [true]}'],
    ['a removed key of an inline table', 'a = { b = 1, c = 2 }', { c: 2 }, 'a = { c = 2 }'],
    ['tables in a list', 'a = [{ b = 1 }, { b = 2 }]', [{ b: 1 }, { b: 3 }], 'a = [{ b = 1 }, { b = 3 }]'],
    ['dotted keys', 'a.b = 1\na.c = 2', { b: 1, c: 3 }, 'a.b = 1\na.c = 3'],
    ['a new dotted key', 'a.b = 1\nz = 2', { b: 1, c: 3 }, 'a.b = 1\na.c = 3\nz = 2'],
    ['a key in quotes', '"a" = 1', 2, '"a" = 2'],
  ])('%s', (_, text, value, expected) => {
    expect(edited(`x = 0\n${text}\n`, { a: value })).toBe(`x = 0\n${expected}\n`);
    // Windows line endings stay. Strings with lines are written on one line there.
    if (!text.includes('"""') && !text.includes("'''")) {
      expect(edited(`x = 0\r\n${text.replaceAll('\n', '\r\n')}\r\n`, { a: value })).toBe(
        `x = 0\r\n${expected.replaceAll('\n', '\r\n')}\r\n`,
      );
    }
  });
});

describe('keys and tables of TOML', () => {
  it.each<[string, Readonly<Record<string, Raw | undefined>>, readonly [string, string]]>([
    [
      'a new key goes before the first table',
      { mood: 'calm' },
      ['draft = true\n', 'draft = true\nmood = "calm"\n'],
    ],
    ['a new key goes to its place', { slug: 'rain' }, ['date =', 'slug = "rain"\ndate =']],
    [
      'a new date is written without quotes',
      { updated: unquoted('2024-02-01') },
      ['draft = true\n', 'draft = true\nupdated = 2024-02-01\n'],
    ],
    [
      'a text with several lines',
      { note: 'a\nb\n' },
      ['draft = true\n', 'draft = true\nnote = """\na\nb\n"""\n'],
    ],
    [
      'a removed key takes its line',
      { title: undefined },
      ['title = "Rain later" # as in the forecast\n', ''],
    ],
    ['a key of a table changes', { extra: { author: 'Joe', weight: 1000 } }, ["'Jane'", "'Joe'"]],
    [
      'a new key of a table goes to its end',
      { extra: { author: 'Jane', weight: 1000, b: true } },
      ['1_000\n', '1_000\nb = true\n'],
    ],
    ['a table loses a key', { extra: { weight: 1000 } }, ["author = 'Jane'   # on leave\n", '']],
    [
      'an item is added in a table',
      { taxonomies: { tags: ['weather', 'sea', 'moon'] } },
      ['"sea"', '"sea", "moon"'],
    ],
    [
      'a table is removed without the comment above it',
      { extra: undefined },
      ["[extra]\nauthor = 'Jane'   # on leave\nweight = 1_000\n", ''],
    ],
    [
      'the last table is removed',
      { taxonomies: undefined },
      ['\n[taxonomies]\ntags = ["weather", "sea"]\n', ''],
    ],
    ['a table is emptied', { taxonomies: {} }, ['tags = ["weather", "sea"]\n', '']],
    [
      'a new table goes to the end',
      { geo: { lat: 1.5, at: { x: 1 } } },
      ['"sea"]\n', '"sea"]\n\n[geo]\nlat = 1.5\nat = { x = 1 }\n'],
    ],
    ['an empty map stays on one line', { geo: {} }, ['draft = true\n', 'draft = true\ngeo = {}\n']],
    ['a key becomes a map in its place', { draft: { since: 1 } }, ['draft = true', 'draft = { since = 1 }']],
  ])('%s', (_, edits, [from, to]) => {
    expect(edited(PAGE, edits, ['title', 'slug', 'date'])).toBe(PAGE.replace(from, to));
  });

  it.each<[string, string, Readonly<Record<string, Raw | undefined>>, string]>([
    ['an empty text', '', { title: 'A', extra: { b: 1 } }, 'title = "A"\n\n[extra]\nb = 1\n'],
    ['an empty text gets a table', '', { extra: { b: 1 } }, '[extra]\nb = 1\n'],
    ['a text with tables only', '[extra]\nb = 1\n', { title: 'A' }, 'title = "A"\n\n[extra]\nb = 1\n'],
    ['a table becomes a key', 'x = 1\n\n[a]\nb = 1\n', { a: 2 }, 'x = 1\na = 2\n'],
    [
      'a table without a header',
      '[a.b]\nc = 1\n',
      { a: { b: { c: 1 }, d: 2 } },
      '[a]\nd = 2\n\n[a.b]\nc = 1\n',
    ],
    ['indented tables', '[a]\n  b = 1\n', { a: { b: 1, c: 2 } }, '[a]\n  b = 1\n  c = 2\n'],
    ['an empty table', '[a]\n\n[b]\n', { a: { c: 1 } }, '[a]\nc = 1\n\n[b]\n'],
    [
      'an item of an array of tables',
      '[[a]]\nb = 1\n\n[[a]]\nb = 2\nc = 1\n',
      { a: [{ b: 1 }, { b: 3, c: 1 }] },
      '[[a]]\nb = 1\n\n[[a]]\nb = 3\nc = 1\n',
    ],
    [
      'a new item of an array of tables',
      'x = 1\n[[a.b]]\nc = 1\n\n[z]\n',
      { a: { b: [{ c: 1 }, { c: 2 }] } },
      'x = 1\n[[a.b]]\nc = 1\n\n[[a.b]]\nc = 2\n\n[z]\n',
    ],
    [
      'a removed item of an array of tables',
      '[[a]]\nb = 1\n\n# second\n[[a]]\nb = 2\n[a.c]\nd = 1\n\n[[a]]\nb = 3\n',
      { a: [{ b: 1 }, { b: 3 }] },
      '[[a]]\nb = 1\n\n[[a]]\nb = 3\n',
    ],
    [
      'an array of tables is emptied',
      'x = 1\n\n[[a]]\nb = 1\n\n[[a]]\nb = 2\n',
      { a: [] },
      'x = 1\na = []\n',
    ],
    ['no line break at the end', 'a = 1', { a: 2, b: 3 }, 'a = 2\nb = 3'],
    [
      'dates in quotes are usual',
      'a = "2024-01-01"\n',
      { b: unquoted('2024-01-02') },
      'a = "2024-01-01"\nb = "2024-01-02"\n',
    ],
    ['a prototype key', 'a = 1\n', { a: 2, ['__proto__']: 3 }, 'a = 2\n__proto__ = 3\n'],
  ])('%s', (_, text, edits, expected) => {
    expect(edited(text, edits)).toBe(expected);
  });

  it.each<[string, string, Raw]>([
    ['null', 'a = 1\n', { b: null }],
    ['a number of more than 64 bits', 'a = 1\n', 1e20],
    ['half of a surrogate pair', 'a = "b"\n', '\ud800'],
    [
      'an array of tables that are apart',
      '[[a]]\nb = 1\n[z]\n[a.c]\nd = 1\n',
      [{ b: 1, c: { d: 1 } }, { b: 2 }],
    ],
  ])('%s is refused', (_, text, value) => {
    expect(edited(text, { a: value })).toBeUndefined();
  });
});
