import matter from 'gray-matter';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { WritableDriver } from '../../integration/core/storage/driver.ts';
import { defineSchema, z } from '../../integration/schema.ts';
import { sample } from '../oracle/runs.ts';
import { createHandler } from '../support/handler.ts';
import { createMemoryDriver } from '../support/memory-driver.ts';
import { createServices } from '../support/services.ts';
import { article, ask } from './attacked-site.ts';

const SCHEMA = defineSchema({
  article: {
    field_text: z.string().nullish(),
    field_words: z.array(z.string()).default([]),
    field_kit: z.object({ name: z.string().nullish(), parts: z.array(z.string()).nullish() }).nullish(),
    field_any: z.json().nullish(),
    field_last: z.string().nullish(),
  },
});

/** Texts that YAML would read as something else if they were written without quotes. */
const VALUES: readonly string[] = [
  ...[
    'a: b',
    'a:',
    ': a',
    ':',
    '# a',
    'a # b',
    '#',
    '- a',
    '-',
    '--',
    '? a',
    '?',
    '| a',
    '|',
    '>',
    '> a',
    '>-',
    '|+',
  ],
  ...[
    '---',
    '--- a',
    '---\ntitle: stolen\n---',
    '...',
    '... a',
    '%YAML 1.1',
    '%',
    '@a',
    '`a',
    '!',
    '!a',
    '!!js/function "x"',
  ],
  ...[
    "!!js/function 'function () { throw 1 }'",
    '!!binary aGk=',
    '!!python/object/apply:os.system [x]',
    '&a',
    '&a b',
    '*a',
  ],
  ...[
    '<<',
    '<<: *a',
    '{',
    '}',
    '{}',
    '{a: b}',
    '[',
    ']',
    '[]',
    '[a, b]',
    ',',
    'a, b',
    '"',
    '"a"',
    "'",
    "'a'",
    "it's",
    '\\',
    '\\n',
  ],
  ...[
    'x\nstatus: false',
    'x\n---\nstatus: false',
    'x\n...\n',
    '\nx',
    'x\n',
    '\n',
    '\n\n',
    'a\n\n\nb',
    'a\nb',
    ' a\n  b\nc',
    'a \nb\t',
  ],
  ...[
    'a\rb',
    'a\r\nb',
    '\r',
    'a\tb',
    '\ta',
    'a\t',
    '\t',
    ' a',
    'a ',
    '  ',
    ' ',
    'a\n ',
    '\u00a0a\u00a0',
    '\u3000',
  ],
  ...[
    'a\u2028b',
    '\u2029',
    'a\u0085b',
    '\u0085',
    '\ufeffa',
    'a\ufeff',
    '\u0000',
    'a\u0000b',
    '\u0007\u001b[31m',
    '\u007f',
    '\u009f',
  ],
  ...['😀', 'é', 'e\u0301', '\u202ea', '\u200b', '\uffff', '\ufffe', '\u{10ffff}', '\ud7ff', '\ue000'],
  ...['2024-01-31', '2024-01-31T18:00:00Z', '2024-01-31 18:00:00', '12:30:45', '1:20', '190:20:30'],
  ...[
    'yes',
    'no',
    'Yes',
    'NO',
    'on',
    'off',
    'y',
    'n',
    'Y',
    'true',
    'false',
    'TRUE',
    'null',
    'Null',
    '~',
    'NULL',
    'none',
  ],
  ...[
    '0',
    '1',
    '-1',
    '+1',
    '007',
    '0x1f',
    '0o17',
    '0b11',
    '017',
    '1e3',
    '1E+3',
    '1_000',
    '.5',
    '5.',
    '.inf',
    '-.INF',
    '.nan',
    '1.0',
  ],
  ...[
    '=',
    '+',
    '.',
    '-.',
    '- - a',
    '- ? a',
    'key: |',
    'key: >\n  a',
    '!<tag:yaml.org,2002:str> a',
    '{{ a }}',
    '$\u007ba}',
    '<%= a %>',
  ],
  ...[
    '__proto__',
    'constructor',
    'a'.repeat(200),
    `${'word '.repeat(60)}end`,
    `${'a: '.repeat(100)}`,
    '\\x41',
    '\\u0041',
    '\\"',
  ],
];

const MOON = `---
title: Moon # by heart
before: &kept [a, b]
field_text: old
field_words: [one]
field_last: 'the end' # stays
---
Body text.
`;
const SCHEMALESS = '---\ntitle: First\nnote: text\nother: stays\n---\nBody.\n';

type Json = Readonly<Record<string, unknown>>;

/** The data of a file according to other YAML readers. */
const READERS: readonly (readonly [string, (frontmatter: string, file: string) => Json])[] = [
  ['yaml 1.2', (frontmatter) => parse(frontmatter, { version: '1.2', schema: 'core' })],
  ['yaml 1.1', (frontmatter) => parse(frontmatter, { version: '1.1', schema: 'yaml-1.1' })],
  ['gray-matter', (_, file) => matter(file, {}).data],
];

function frontmatterOf(text: string): string {
  const end = text.indexOf('\n---\n', 3);
  expect(text.startsWith('---\n') && end !== -1).toBe(true);
  return text.slice(4, end + 1);
}

async function siteOf(files: Readonly<Record<string, string>>, schema = SCHEMA as typeof SCHEMA | undefined) {
  const driver: WritableDriver = createMemoryDriver(files);
  const handle = createHandler(await createServices(driver, schema, { writable: {} }));
  const read = async (key: string) =>
    new TextDecoder('utf-8', { ignoreBOM: true }).decode(await driver.read(key));
  /** Reads from a second site over the same bytes, like after a restart. */
  const again = async (path: string) => {
    const { files: stored } = await driver.list();
    const kept = await Promise.all(stored.map(async ({ key }) => [key, await read(key)] as const));
    return ask(
      createHandler(await createServices(createMemoryDriver(Object.fromEntries(kept)), schema)),
      'GET',
      path,
    );
  };
  return { ask: ask.bind(null, handle), read, again };
}

const named = sample(VALUES).map((value) => [JSON.stringify(value).slice(0, 50), value] as const);
describe.each(named)('%s', (_, value) => {
  it('is read back as sent, and changes no other field', async () => {
    const bare = MOON.replace('before: &kept [a, b]\n', '');
    const { ask: send, read, again } = await siteOf({ 'article/moon.md': bare });
    const sent = {
      title: value.trim() === '' ? 'Moon' : value,
      field_text: value,
      field_words: [value, 'between', value],
      field_kit: { name: value, parts: [value] },
      // Also as a key, except that zod drops `__proto__` and one-letter keys are written without quotes.
      field_any: {
        [/^(__proto__|[yn])$/i.test(value) ? 'key' : value]: value,
        list: [value, { deep: [value] }],
      },
      body: { summary: value, value: 'Body text.' },
    };
    const { status, json } = await send('PATCH', '/api/content/articles/moon', { body: sent });
    expect(status, JSON.stringify(json)).toBe(201);
    const expected = {
      title: sent.title,
      // Even an empty string stays a string.
      field_text: value,
      field_words: sent.field_words,
      field_kit: sent.field_kit,
      field_any: sent.field_any,
      field_last: 'the end',
      status: true,
    };
    const shown = (await again('/api/content/articles/moon')).json.data;
    expect(shown).toMatchObject(expected);
    expect(shown.body).toMatchObject({ value: 'Body text.', summary: value });
    const file = await read('article/moon.md');
    expect(file).toContain("field_last: 'the end' # stays\n");
    expect(file.endsWith('\n---\nBody text.\n')).toBe(true);
    for (const [reader, dataOf] of READERS) {
      const data = dataOf(frontmatterOf(file), file);
      const { status: __, ...fields } = expected;
      expect({ reader, ...data }).toMatchObject({ reader, ...fields, summary: value });
      expect(Object.keys(data).sort()).toEqual(
        ['title', 'summary', 'field_text', 'field_words', 'field_kit', 'field_any', 'field_last'].sort(),
      );
    }
  });

  it('is stored unchanged in a new file and without a schema', async () => {
    const {
      ask: send,
      again,
      read,
    } = await siteOf(
      { 'article/moon.md': MOON.replace(/before.*\n/, ''), 'note/first.md': SCHEMALESS },
      undefined,
    );
    const patched = await send('PATCH', '/api/content/notes/first', { body: { note: value } });
    expect(patched.status, patched.text).toBe(201);
    const shown = (await again('/api/content/notes/first')).json.data;
    // Without a schema, a field with nothing but date-times becomes a date-time field.
    const note = typeof shown.note === 'string' && /^\d{4}-\d\d-\d\d[T ]/.test(value) ? value : shown.note;
    expect({ note, other: shown.other, title: shown.title }).toEqual({
      note: value,
      other: 'stays',
      title: 'First',
    });
    const file = await read('note/first.md');
    for (const [reader, dataOf] of READERS) {
      expect({ reader, ...dataOf(frontmatterOf(file), file) }).toEqual({
        reader,
        title: 'First',
        note: value,
        other: 'stays',
      });
    }
    const created = await send('POST', '/jsonapi/node/article', {
      body: article(
        { title: value.trim() === '' ? 'Moon' : value, field_text: value, field_last: value },
        { id: `of ${VALUES.indexOf(value)}` },
      ),
    });
    expect(created.status, created.text).toBe(201);
    expect(created.json.data.attributes).toMatchObject({ field_text: value, field_last: value });
  });

  it('is stored unchanged as a body', async () => {
    const { ask: send, again, read } = await siteOf({ 'article/moon.md': MOON.replace(/before.*\n/, '') });
    const administrator = { name: 'root', roles: ['administrator'] };
    for (const text of [
      value,
      `${value}\n`,
      `---\n${value}\n---\n`,
      `---\ntitle: stolen\nstatus: false\n---\n${value}`,
      `\ufeff${value}`,
    ]) {
      const sent = { body: { body: { value: text } }, actor: administrator };
      const { status } = await send('PATCH', '/api/content/articles/moon', sent);
      expect(status).toBe(201);
      const { json } = await again('/api/content/articles/moon');
      expect(json.data.body.value).toBe(text);
      expect(json.data).toMatchObject({ title: 'Moon', status: true, field_text: 'old' });
      expect(frontmatterOf(await read('article/moon.md'))).toBe(
        frontmatterOf(MOON.replace(/before.*\n/, '')),
      );
    }
  });
});

it('anchors and merge keys of a file are preserved by all changes', async () => {
  const file = '---\ntitle: Moon\nbase: &base { a: 1 }\nlist: [&x one, *x]\ncopy: *base\nnote: text\n---\n';
  const { ask: send, again } = await siteOf({ 'page/moon.md': file }, undefined);
  for (const value of ['*base', '&base x', '<<: *base', '&x two', '*x']) {
    const { status } = await send('PATCH', '/api/content/pages/moon', { body: { note: value } });
    expect(status).toBe(201);
    const { data } = (await again('/api/content/pages/moon')).json;
    expect(data).toMatchObject({ note: value, base: { a: 1 }, copy: { a: 1 }, list: ['one', 'one'] });
  }
});
