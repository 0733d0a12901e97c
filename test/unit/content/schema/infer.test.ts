import { describe, expect, it } from 'vitest';
import { MAX_INFERRED_PROPERTIES } from '../../../../integration/core/content/schema/infer.ts';
import { collect, printDiagnostics } from '../collect.ts';

/** One file for each value of the field `f`; undefined omits it. */
function filesOf(written: readonly (string | undefined)[]): Record<string, string> {
  return Object.fromEntries(
    written.map((value, index) => [
      `article/f${index}.md`,
      value === undefined ? '' : `---\nf: ${value}\n---\n`,
    ]),
  );
}

describe('kinds inferred over a bundle', () => {
  it.each<[string, (string | undefined)[], string, unknown[]]>([
    ['boolean', ['true', 'false', undefined], 'boolean', [true, false, null]],
    ['integer', ['1', '-5', '007'], 'integer', [1, -5, 7]],
    ['number', ['1.5', '2.25'], 'number', [1.5, 2.25]],
    ['number, integers among them', ['1', '2.5'], 'number', [1, 2.5]],
    ['date', ['2024-01-01', '2024-02-29'], 'date', ['2024-01-01', '2024-02-29']],
    [
      'date-time, in canonical form',
      ['2024-01-01T10:00:00Z', '2024-01-01 10:00'],
      'datetime',
      ['2024-01-01T10:00:00+00:00', '2024-01-01T10:00:00+00:00'],
    ],
    ['string', ['a', '"1"'], 'string', ['a', '1']],
    ['string that lists numbers', ['"1, 2, 3"', '155'], 'string', ['1, 2, 3', '155']],
    [
      'mixed scalars: string as written',
      ['1.50', 'true', 'a', '0x1F'],
      'string',
      ['1.50', 'true', 'a', '0x1F'],
    ],
    [
      'date-time, days among them',
      ['2024-01-01', '2024-01-01T10:00Z'],
      'datetime',
      ['2024-01-01T00:00:00+00:00', '2024-01-01T10:00:00+00:00'],
    ],
    [
      'date, in forms that people write',
      ['Jul 08 2022', '2022/07/08', '2020-1-5', '8 July 2022', '""', undefined],
      'date',
      ['2022-07-08', '2022-07-08', '2020-01-05', '2022-07-08', null, null],
    ],
    ['date, the day first', ['08-07-2022', '25-07-2022'], 'date', ['2022-07-08', '2022-07-25']],
    ['date, the month first', ['08/07/2022', '07/25/2022'], 'date', ['2022-08-07', '2022-07-25']],
    [
      'string: either order of day and month',
      ['08-07-2022', '09-07-2022'],
      'string',
      ['08-07-2022', '09-07-2022'],
    ],
    [
      'string: both orders of day and month',
      ['25-07-2022', '07-25-2022'],
      'string',
      ['25-07-2022', '07-25-2022'],
    ],
    [
      'date-time, with the names of zones',
      ['2022-07-08 14:00', '2023-01-29 18:30:22 -0800', '2022-07-08 14:00 PST'],
      'datetime',
      ['2022-07-08T14:00:00+00:00', '2023-01-29T18:30:22-08:00', '2022-07-08T14:00:00-08:00'],
    ],
    ['string: dates and prose', ['2024-01-01', 'soon'], 'string', ['2024-01-01', 'soon']],
    ['string: empty values', ['""', '" "'], 'string', ['', ' ']],
    ['integers and empty values: string', ['1', '""'], 'string', ['1', '']],
    ['list', ['[a, b]', '[]'], 'string[]', [['a', 'b'], []]],
    ['list, single values among them', ['[1, 2]', '3', undefined], 'integer[]', [[1, 2], [3], []]],
    ['list without its empty items', ['[1, null, 2]'], 'integer[]', [[1, 2]]],
    ['list of mixed scalars', ['[1, a, 2.50]'], 'string[]', [['1', 'a', '2.50']]],
    ['list of lists', ['[[1], [2]]', 'a'], 'json', [[[1], [2]], 'a']],
    ['object', ['{a: 1, b: x}', '{a: 2}'], 'object', [{ a: 1, b: 'x' }, { a: 2 }]],
    ['list of objects', ['[{a: 1}, {a: 2.5}]'], 'object[]', [[{ a: 1 }, { a: 2.5 }]]],
    ['objects and scalars', ['{a: 1}', 'x'], 'json', [{ a: 1 }, 'x']],
    ['no values', ['', '~'], 'string', [null, null]],
    ['empty lists', ['[]'], 'string[]', [[]]],
  ])('%s', async (_name, written, kind, values) => {
    const all = await collect(filesOf(written));
    const field = all.field('node--article', 'f');
    expect(`${field.kind}${field.list ? '[]' : ''}`).toBe(kind);
    expect(field).toMatchObject({ name: 'f', key: 'f', required: false, base: false, targets: [] });
    expect(
      JSON.parse(JSON.stringify(written.map((_, index) => all.values(`article/f${index}.md`).f))),
    ).toEqual(values);
    expect(all.problems).toEqual([]);
  });

  it('include the properties of objects and the lists in them', async () => {
    const { field, values } = await collect(
      filesOf([
        '{when: 2024-01-01, tags: [a], deep: {n: 1}}',
        '{when: 2024-01-02, tags: b, deep: {n: 1.5}, extra: 007}',
      ]),
    );
    const { properties } = field('node--article', 'f');
    expect(Object.entries(properties).map(([name, { kind, list }]) => [name, kind, list])).toEqual([
      ['deep', 'object', false],
      ['extra', 'integer', false],
      ['tags', 'string', true],
      ['when', 'date', false],
    ]);
    expect(properties.deep?.properties.n).toMatchObject({ kind: 'number' });
    expect(values('article/f1.md').f).toEqual(
      Object.assign(Object.create(null), { when: '2024-01-02', tags: ['b'], deep: { n: 1.5 }, extra: 7 }),
    );
  });

  it('treat an object with too many keys as a dictionary', async () => {
    const keys = (count: number): string =>
      `{${Array.from({ length: count }, (_, index) => `k${index}: 1`).join(', ')}}`;
    const atLimit = await collect(filesOf([keys(MAX_INFERRED_PROPERTIES)]));
    expect(atLimit.field('node--article', 'f').kind).toBe('object');
    const beyond = await collect(filesOf([keys(MAX_INFERRED_PROPERTIES + 1)]));
    expect(beyond.field('node--article', 'f').kind).toBe('json');
  });

  it('are separate for each bundle', async () => {
    const { field } = await collect({ 'a/x.md': '---\nf: 1\n---', 'b/x.md': '---\nf: x\n---' });
    expect(field('node--a', 'f').kind).toBe('integer');
    expect(field('node--b', 'f').kind).toBe('string');
  });
});

describe('references inferred', () => {
  const PEOPLE = {
    'person/jane.md': '',
    'person/joe.md': '',
    'org/acme.md': '',
    'taxonomy_term--tags/red.md': '',
  };

  it.each<[string, string[], string[]]>([
    ['one bundle', ['person/jane', 'person/joe'], ['node--person']],
    ['several bundles', ['person/jane', 'org/acme'], ['node--org', 'node--person']],
    ['a full type name', ['taxonomy_term--tags/red'], ['taxonomy_term--tags']],
    ['lists', ['[person/jane, person/joe]', 'person/jane'], ['node--person']],
  ])('if every value is an entity: %s', async (_name, written, targets) => {
    const { field } = await collect({ ...PEOPLE, ...filesOf(written) });
    expect(field('node--article', 'f')).toMatchObject({ kind: 'reference', targets });
  });

  it.each(['aliases', 'redirect_to', 'redirect_from', 'redirectTo', 'permalink', 'slug', 'canonical_url'])(
    'are not in `%s`, which holds addresses',
    async (key) => {
      const { field } = await collect({ ...PEOPLE, 'article/a.md': `---\n${key}: [person/jane]\n---\n` });
      expect(field('node--article', key)).toMatchObject({ kind: 'string', list: true });
    },
  );

  it('are not strings with a slash at the end', async () => {
    const { field } = await collect({ ...PEOPLE, ...filesOf(['person/jane/']) });
    expect(field('node--article', 'f').kind).toBe('string');
  });

  it('hold type and id', async () => {
    const { values } = await collect({
      ...PEOPLE,
      ...filesOf(['person/jane', '[org/acme]', undefined as never]),
    });
    expect(values('article/f0.md').f).toEqual([{ type: 'node--person', id: 'jane' }]);
    expect(values('article/f2.md').f).toEqual([]);
  });

  it.each<[string, string[], string[]]>([
    ['to a missing entity', ['person/jane', 'person/jnae'], ['There is no `person/jnae`']],
    ['all to missing entities', ['person/jnae', 'person/nobody'], ['`person/jnae`', '`person/nobody`']],
    ['with its bundle mistyped', ['person/jane', 'persn/joe'], ['There is no `person/persn/joe`']],
    ['a bare one among several', ['person/jane', 'person/joe', 'jaen'], ['There is no `person/jaen`']],
    ['in a list', ['[person/jane, person/jo]'], ['There is no `person/jo`']],
    ['in an object', ['{by: person/jane}', '{by: person/jo}'], ['There is no `person/jo`']],
  ])('stay references if one value is a mistake, which is an error: %s', async (_name, written, messages) => {
    const { field, problems } = await collect({ ...PEOPLE, ...filesOf(written) });
    const inferred = field('node--article', 'f');
    expect((inferred.properties.by ?? inferred).kind).toBe('reference');
    expect(problems).toEqual(messages.map((message) => expect.stringContaining(message)));
  });

  it.each([
    ['half are bare', ['person/jane', 'jane']],
    ['half are numbers', ['person/jane', '5']],
    ['most have the form by chance', ['person/jane', 'and/or', 'input/output']],
    ['no bundle has the name', ['news/politics', 'news/sports']],
    ['they are files', ['person/jane.jpg', 'person/joe.png']],
    ['they are prose', ['person/company of the year', 'person/other']],
    ['most do not have the form', ['org/acme', 'and others', 'many']],
  ])('are strings if %s', async (_name, written) => {
    const { field, problems } = await collect({ ...PEOPLE, ...filesOf(written) });
    expect(field('node--article', 'f').kind).toBe('string');
    expect(problems).toEqual([]);
  });

  it('stay references while their target is renamed, deleted or broken', async () => {
    const { driver, collector } = await collect({
      'person/jane.md': '',
      'person/joe.md': '',
      ...filesOf(['person/jane', 'person/jane']),
    });
    await driver.remove('person/jane.md');
    const { types } = await collector.apply(['person/jane.md']);
    expect(types).toEqual([]);
    expect(printDiagnostics(collector.diagnostics().filter(({ severity }) => severity === 'error'))).toEqual([
      'content/article/f0.md:2:4 There is no `person/jane`. (Did you mean `person/joe`?)',
      'content/article/f1.md:2:4 There is no `person/jane`. (Did you mean `person/joe`?)',
    ]);
  });

  it('that dangle have a hint for values that are strings', async () => {
    const { problems } = await collect({ ...PEOPLE, ...filesOf(['org/not-like-any-other']) });
    expect(problems).toEqual([
      'content/article/f0.md:2:4 There is no `org/not-like-any-other`. (Correct the reference, or add the file. If it is not a reference, declare the field as a string in a schema.)',
    ]);
  });
});

describe('keys that cannot be names', () => {
  it('are renamed, reported once per bundle, and keep their written key', async () => {
    const { field, values, diagnostics } = await collect({
      'eip/a.md': '---\ntype: Core\nreading time: 5\n---',
      'eip/b.md': '---\ntype: Meta\n---',
    });
    expect(field('node--eip', 'field_type')).toMatchObject({ key: 'type', kind: 'string' });
    expect(values('eip/a.md')).toMatchObject({ field_type: 'Core', field_reading_time: 5 });
    expect(diagnostics.filter(({ code }) => code === 'field/renamed').map(({ message }) => message)).toEqual([
      'The key `reading time` becomes the field `field_reading_time`, because JSON:API reserves or forbids the key.',
      'The key `type` becomes the field `field_type`, because JSON:API reserves or forbids the key.',
    ]);
  });

  it('are an error at the ignored key if they clash, in one file or across the bundle', async () => {
    const { values, problems } = await collect({
      'eip/a.md': '---\nfield_type: Kept\n---',
      'eip/b.md': '---\ntitle: B\ntype: Lost\n---',
      'page/a.md': '---\na b: 1\na.b: 2\n---',
    });
    expect(values('eip/a.md').field_type).toBe('Kept');
    expect(values('eip/b.md').field_type).toBeNull();
    expect(values('page/a.md').field_a_b).toBe(1);
    expect(problems).toEqual([
      'content/eip/b.md:3:1 The keys `field_type` and `type` both become the field `field_type`; `type` is ignored. (Rename one of them in all files of the bundle.)',
      'content/page/a.md:3:1 The keys `a b` and `a.b` both become the field `field_a_b`; `a.b` is ignored. (Rename one of them in all files of the bundle.)',
    ]);
  });
});

it('reports the inferred fields of each bundle in one line', async () => {
  const { diagnostics } = await collect({
    'article/a.md': '---\nauthor: person/jane\ntags: [x]\nn: 1\n---',
    'person/jane.md': '',
  });
  expect(diagnostics.filter(({ code }) => code === 'inference/report')).toMatchObject([
    {
      key: 'article/',
      message:
        'node--article, 1 file, no schema: author reference to person, n integer, tags list of string.',
    },
    { key: 'person/', message: 'node--person, 1 file, no schema: no fields of its own.' },
  ]);
});

describe('dates that do not exist', () => {
  it('are strings, with a warning', async () => {
    const { problems, values } = await collect({
      'article/a.md':
        '---\nday: 2024-02-30\ndays: [2024-01-01, 2024-13-01]\ntime: 2024-01-01T25:00:00Z\n---\n',
      'article/b.md': '---\nday: 2024-1-1\ncode: 2024-AB-12\nzip: 1234-5678\n---\n',
    });
    expect(values('article/a.md').day).toBe('2024-02-30');
    expect(problems.map((line) => line.replace(/ looks like.*/, ''))).toEqual([
      'content/article/a.md:2:6 warning: `2024-02-30`',
      'content/article/a.md:3:20 warning: `2024-13-01`',
      'content/article/a.md:4:7 warning: `2024-01-01T25:00:00Z`',
    ]);
  });
});

describe('the report on a bundle', () => {
  it('lists the first fields and counts the others', async () => {
    const lines = Array.from({ length: 103 }, (_, index) => `f${index + 100}: 1`).join('\n');
    const { diagnostics } = await collect({ 'article/a.md': `---\n${lines}\n---\n` });
    const report = diagnostics.find(({ code }) => code === 'inference/report')?.message;
    expect(report).toMatch(/, f199 integer, and 3 more\.$/);
  });
});

describe('dates by majority', () => {
  const good = ['2023-01-02', 'Feb 3 2023', '2023-03-04 10:00 +0100'];

  it('stay dates with one mistake, which is reported at its place', async () => {
    const all = await collect(filesOf([...good, '2023-01-29 18:30:22 2023 -0800']));
    expect(all.field('node--article', 'f').kind).toBe('datetime');
    expect(all.values('article/f1.md').f).toBe('2023-02-03T00:00:00+00:00');
    expect(all.values('article/f3.md').f).toBeNull();
    expect(all.problems).toEqual([
      'content/article/f3.md:2:4 warning: `2023-01-29 18:30:22 2023 -0800` is not a date, but `f` is a field of dates. It is ignored. (Write it like 2024-01-31 or 2024-01-31T12:00:00+01:00, or declare the field as a string in a schema.)',
    ]);
  });

  it('are strings if more than a quarter of the values are not dates', async () => {
    const all = await collect(filesOf([...good, 'soon', 'later']));
    expect(all.field('node--article', 'f').kind).toBe('string');
    expect(all.problems).toEqual([]);
  });

  it('are in the time zone of the site', async () => {
    const all = await collect(filesOf(['2023-01-02', '2023-07-03 10:00']), { timeZone: 'Europe/Berlin' });
    expect(all.values('article/f0.md').f).toBe('2023-01-02T00:00:00+01:00');
    expect(all.values('article/f1.md').f).toBe('2023-07-03T10:00:00+02:00');
  });

  it('publish at midnight in the time zone of the site', async () => {
    const files = { 'article/a.md': '---\npublishDate: Jan 2 2023\nexpiryDate: 2023-07-03\n---\n' };
    const { entity } = await collect(files, { timeZone: 'America/New_York' });
    expect(entity('article/a.md').schedule).toEqual({
      from: '2023-01-02T00:00:00-05:00',
      until: '2023-07-03T00:00:00-04:00',
    });
  });
});
