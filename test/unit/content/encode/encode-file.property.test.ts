import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { bodyText, type Entity, type FieldValue } from '../../../../integration/core/content/model.ts';
import { runs } from '../../../oracle/runs.ts';
import { allValues, createFileEditor, type Editor } from './file-editor.ts';
import { oddFiles, oddNeighbours, oddSchema } from './odd-files.ts';

/** Characters that YAML would interpret differently if they were written without quotes. */
const HOSTILE = [
  '',
  ' ',
  ' x ',
  'x\n',
  '\nx',
  '\n',
  '\n\n',
  'a\nb',
  'a\n\nb\n',
  'a\n\nb\n\n',
  'a\n  b\n c',
  '  a\nb',
  'a\tb',
  '\ta\n\tb',
  'a\r\nb',
  'a\rb',
  '---',
  '--- a',
  '...',
  'a\n---\nb: c',
  '---\ntitle: other\n---\n',
  'a: b',
  'a:',
  ': a',
  'a #b',
  '#a',
  '- a',
  '-',
  '? a',
  '@a',
  '`a`',
  '*a',
  '&a b',
  '!a',
  '!!str a',
  '%a',
  '|',
  '>-',
  "it's",
  '"quoted"',
  "'",
  '"',
  '\\',
  '[a, b]',
  '{a: b}',
  'a, b',
  ']',
  '}',
  'yes',
  'No',
  'on',
  'y',
  'true',
  'null',
  '~',
  '<<',
  '=',
  '1',
  '1e3',
  '0x1F',
  '0o7',
  '1_000',
  '.5',
  '.inf',
  '.NaN',
  '-1',
  '+1',
  '12:30:45',
  '2024-01-01',
  '2024-01-01T10:00:00Z',
  '2024-01-01 10:00',
  'person/jane',
  '__proto__',
  'constructor',
  '\u0000',
  '\u0007\u001b[31m',
  '\u007f\u0085\u00a0',
  'a\u0085b',
  'a\u2028b\u2029c',
  '\ufeff',
  '\ufeffa',
  '\ufffe\uffff',
  '\ud800',
  'a\udc00b',
  '\u{1f30a} ~ \u{1f469}\u200d\u{1f52c}',
  'e\u0301 \u202eabc',
  `${'word '.repeat(400)}end`,
  'x'.repeat(3000),
];

const text = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...HOSTILE) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 30 }) },
  {
    weight: 2,
    arbitrary: fc
      .array(fc.constantFrom('a', 'B ', '\n', ' ', '#', ':', '-', "'", '"', '\t', ',', 'word', '---', '\r'), {
        maxLength: 12,
      })
      .map((parts) => parts.join('')),
  },
);
const int = fc.maxSafeInteger();
const number = fc
  .double({ noNaN: true, noDefaultInfinity: true })
  .map((value) => value + 0)
  .filter((value) => !Number.isInteger(value) || Number.isSafeInteger(value));
const price = fc.stringMatching(/^-?[0-9]{1,25}(\.[0-9]{1,10})?$/);
const day = fc
  .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));
const time = fc
  .tuple(day, fc.constantFrom('00:00:00', '12:00:01', '23:59:59.5', '08:30:00.123456'))
  .map(([date, clock]) => `${date}T${clock}`);
const moment = fc
  .tuple(time, fc.constantFrom('+00:00', '+01:00', '-11:30'))
  .map(([at, offset]) => at + offset);
const person = fc
  .constantFrom('jane', 'bob', 'org/x', '42', 'yes')
  .map((id) => ({ type: 'node--person', id }));
const owner = fc.oneof(
  person,
  fc.constantFrom('jane', 'acme').map((id) => ({ type: 'node--org', id })),
);
const json = fc
  .jsonValue({ maxDepth: 3, stringUnit: 'binary' })
  .map((value) => JSON.parse(JSON.stringify(value, safeNumber)) as FieldValue)
  .filter((value) => value !== null);
const words = fc.array(text, { maxLength: 4 });
const place = fc.record(
  {
    name: text,
    lat: number,
    fee: price,
    since: day,
    words,
    host: person,
    spot: fc.record({ x: int, y: int }),
  },
  { requiredKeys: ['words'] },
);
const rows = fc.array(fc.record({ item: text, why: text, n: int }, { requiredKeys: ['item'] }), {
  maxLength: 4,
});
const file = fc.record({
  uri: fc
    .constantFrom(
      'content://article/cover.svg',
      'content://article/deep/cover.svg',
      'https://example.com/a%20b.png?c#d',
    )
    .map((value) => ({ value })),
  alt: fc.option(text),
});
const body = fc.record(
  {
    value: fc
      .array(
        fc.oneof(text, fc.constantFrom('---', '---\n', '\n', '\r\n', '# Heading\n', 'title: x\n', '\ufeff')),
        {
          maxLength: 4,
        },
      )
      .map((parts) => parts.join(''))
      .filter((value) => value.isWellFormed()),
    summary: text,
  },
  { requiredKeys: [] },
);

const fields = fc.record<Record<string, FieldValue>>(
  {
    title: text.filter((value) => value.trim() !== ''),
    status: fc.boolean(),
    created: moment,
    changed: moment,
    langcode: fc.constantFrom('de', 'no', 'pt-BR'),
    path: fc.constantFrom('/a', '/on', '/a: b').map((alias) => ({ alias })),
    uid: text,
    field_text: text,
    field_count: int,
    field_share: number,
    field_price: price,
    field_lead: fc.boolean(),
    field_day: day,
    field_when: moment,
    field_utc: time.map((at) => `${at}+00:00`),
    field_author: owner,
    field_people: fc.array(person, { maxLength: 4 }),
    field_tags: words,
    field_prices: fc.array(price, { maxLength: 3 }),
    field_place: place,
    field_rows: rows,
    field_any: json,
    field_cover: file,
    field_type: text,
  },
  { requiredKeys: [] },
);
const emptied = fc
  .uniqueArray(
    fc.constantFrom('field_text', 'field_tags', 'field_place', 'field_rows', 'field_any', 'field_author'),
  )
  .map((names) => Object.fromEntries(names.map((name) => [name, LISTS.has(name) ? [] : null])));
const LISTS: ReadonlySet<string> = new Set(['field_tags', 'field_rows']);

let editor: Editor;
beforeAll(async () => {
  editor = await createFileEditor({ ...oddFiles, ...oddNeighbours }, { schema: oddSchema });
  expect(editor.collected.problems).toEqual([]);
});

describe('written values are read back', () => {
  it.each(['new.md', 'new.mdx', 'new.yaml', 'new.json'])(
    'in new files, any values of any fields: %s',
    async (name) => {
      const key = `article/${name}`;
      const hasBody = name.includes('.md');
      await fc.assert(
        fc.asyncProperty(fields, body, async (changes, text) => {
          const sent = hasBody ? { ...changes, body: text } : changes;
          const written = editor.create(key, sent);
          expect(written === '' || written.endsWith('\n')).toBe(true);
          const { entity, problems } = await editor.read(key, written);
          expect([problems.filter(({ severity }) => severity === 'error'), written]).toEqual([[], written]);
          expectValues(entity, sent);
        }),
        runs(RUNS),
      );
    },
  );

  it.each(Object.keys(oddFiles))('in %s, and all other values stay', async (key) => {
    const before = editor.collected.entity(key);
    await fc.assert(
      fc.asyncProperty(fields, emptied, body, async (changes, empty, text) => {
        const sent = { ...changes, ...empty, ...(before.body === null ? {} : { body: text }) };
        const written = editor.edit(key, sent);
        const { entity, problems } = await editor.read(key, written);
        expect([problems.filter(({ severity }) => severity === 'error'), written]).toEqual([[], written]);
        expectValues(entity, sent);
        const others = Object.entries(allValues(before)).filter(
          ([name]) => !Object.hasOwn(sent, name) && !derived(name, key),
        );
        expectValues(entity, Object.fromEntries(others));
        expect(entity?.id).toBe(before.id);
      }),
      runs(RUNS),
    );
  });
});

const RUNS = 12;

/** A title without frontmatter follows its text; times come from the clock. */
function derived(name: string, key: string): boolean {
  return (
    name === 'created' || name === 'changed' || (name === 'title' && !/title/.test(String(oddFiles[key])))
  );
}

function expectValues(entity: Entity | null, sent: Readonly<Record<string, FieldValue>>): void {
  const actual = entity === null ? {} : { ...entity.values, ...bodyOf(entity, sent.body) };
  for (const [name, value] of Object.entries(sent)) {
    expect([name, canonical(name, actual[name] ?? null)]).toEqual([name, canonical(name, value)]);
  }
}

function bodyOf({ body: stored }: Entity, sent: FieldValue | undefined): Record<string, FieldValue> {
  const named = typeof sent === 'object' && sent !== null ? Object.keys(sent) : [];
  const all = { value: stored === null ? '' : bodyText(stored), summary: stored?.summary ?? null };
  return { body: Object.fromEntries(Object.entries(all).filter(([name]) => named.includes(name))) };
}

/** Date-times are compared as instants, files by their written members. */
function canonical(name: string, value: FieldValue): string {
  if (typeof value === 'string' && MOMENTS.has(name)) {
    const [, fraction = ''] = /\.(\d+?)0*[+-]/.exec(value) ?? [];
    return `${Date.parse(value.replace(/\.\d+/, ''))} ${fraction}`;
  }
  if (name === 'field_cover' && value !== null) {
    const { uri, alt } = value as { uri: { value: string }; alt: string | null };
    return JSON.stringify([uri.value, alt]);
  }
  return JSON.stringify(sorted(value));
}

const MOMENTS: ReadonlySet<string> = new Set(['created', 'changed', 'field_when', 'field_utc']);

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return Object.is(value, -0) ? 0 : value;
  const entries = Object.entries(value).map(([name, item]) => [name, sorted(item)] as const);
  return entries.sort(([a], [b]) => (a < b ? -1 : 1));
}

function safeNumber(_key: string, value: unknown): unknown {
  return typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value) ? 1 : value;
}
