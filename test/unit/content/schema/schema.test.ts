import { describe, expect, expectTypeOf, it } from 'vitest';
import type { ReferenceField, SchemaDefinition } from '../../../../integration/core/content/schema/schema.ts';
import { declareSchema } from '../../../../integration/core/content/schema/schema-fields.ts';
import { decimal, defineSchema, file, image, reference, z } from '../../../../integration/schema.ts';
import { collect } from '../collect.ts';

const one = (type: z.ZodType): SchemaDefinition => ({ article: { f: type } });

describe('fields that a schema declares', () => {
  it.each<[string, z.ZodType, string, boolean]>([
    ['string', z.string(), 'string', true],
    ['email', z.email().nullish(), 'string', false],
    ['int', z.int(), 'integer', true],
    ['number().int()', z.number().int().min(1), 'integer', true],
    ['number', z.number().nullable(), 'number', false],
    ['boolean', z.boolean().default(false), 'boolean', false],
    ['iso.date', z.iso.date(), 'date', true],
    ['iso.datetime', z.iso.datetime({ offset: true }).optional(), 'datetime', false],
    ['coerced date', z.coerce.date(), 'datetime', true],
    ['enum', z.enum(['a', 'b']), 'string', true],
    ['literal', z.literal([1, 2]), 'integer', true],
    ['union of literals', z.union([z.literal('a'), z.literal('b')]), 'string', true],
    ['mixed union', z.union([z.string(), z.number()]), 'json', true],
    ['list or item', z.union([z.array(z.string()), z.string()]), 'string[]', true],
    ['list or another kind of item', z.union([z.array(z.string()), z.int()]), 'json', true],
    ['list, item or something else', z.union([z.array(z.string()), z.string(), z.int()]), 'json', true],
    ['array', z.array(z.string()), 'string[]', true],
    ['array with default', z.array(z.int()).default([]), 'integer[]', false],
    ['array of optionals', z.array(z.string().nullable()), 'string[]', true],
    ['array of arrays', z.array(z.array(z.string())), 'json', true],
    ['object', z.object({ a: z.string() }), 'object', true],
    ['record', z.record(z.string(), z.int()), 'json', true],
    ['described', z.int().describe('How many').nullish(), 'integer', false],
    ['refined', z.string().refine((text) => text !== 'no'), 'string', true],
    ['transformed', z.string().transform((text) => text.trim()), 'string', true],
    ['piped', z.string().pipe(z.coerce.number()), 'number', true],
    ['preprocessed', z.preprocess((value) => value, z.boolean()), 'boolean', false],
    ['readonly', z.array(z.string()).readonly(), 'string[]', true],
    ['decimal', decimal().nullish(), 'decimal', false],
    ['image', image(), 'image', true],
    ['file', file().optional(), 'file', false],
    ['reference', reference('person'), 'reference', true],
    ['described reference', reference('person').describe('Who').nullish(), 'reference', false],
    ['references', z.array(reference('person').refine(() => true)), 'reference[]', true],
    ['anything', z.any(), 'json', false],
  ])('%s is %s', async (_name, type, kind, required) => {
    const { field } = await collect({}, { schema: one(type) });
    const definition = field('node--article', 'f');
    expect(`${definition.kind}${definition.list ? '[]' : ''}`).toBe(kind);
    expect(definition.required).toBe(required);
    expect(definition.targets).toEqual(kind.startsWith('reference') ? ['node--person'] : []);
  });

  it('describe nested objects completely', async () => {
    const type = z.object({
      title: z.int(),
      path: z.array(reference(['a', 'b--c'])),
      o: z.object({ d: decimal() }),
    });
    const { properties } = (await collect({}, { schema: one(type) })).field('node--article', 'f');
    expect(properties.title).toMatchObject({ kind: 'integer', base: false });
    expect(properties.path).toMatchObject({ kind: 'reference', list: true, targets: ['node--a', 'b--c'] });
    expect(properties.o?.properties.d?.kind).toBe('decimal');
  });

  it('of objects that contain themselves are described once, then as JSON', async () => {
    const menu = z.object({
      label: z.string(),
      get items(): z.ZodType {
        return z.array(menu).nullish();
      },
    });
    const { field, problems, values } = await collect(
      { 'article/a.md': '---\nf: { label: a, items: [{ label: b, items: [{ label: c }] }] }\n---\n' },
      { schema: one(menu) },
    );
    expect(problems).toEqual([]);
    expect(field('node--article', 'f').properties).toMatchObject({
      label: { kind: 'string' },
      items: { kind: 'json', list: true },
    });
    expect(values('article/a.md').f).toEqual({
      label: 'a',
      items: [{ label: 'b', items: [{ label: 'c' }] }],
    });
  });

  it('of objects whose getter returns a new type each time are described to a depth of 12', async () => {
    const menu = (): z.ZodType =>
      z.object({
        get items() {
          return menu().nullish();
        },
      });
    const { field } = await collect({}, { schema: one(menu()) });
    let depth = 0;
    for (let each = field('node--article', 'f'); each.kind === 'object'; depth += 1)
      each = each.properties.items!;
    expect(depth).toBe(12);
  });

  it('exist without a file, and bundles without a schema are inferred beside them', async () => {
    const { collector } = await collect({ 'page/a.md': '---\nn: 1\n---' }, { schema: one(z.int()) });
    const { types } = await collector.load();
    expect(types.map(({ name, origin }) => [name, origin])).toEqual([
      ['node--article', 'schema'],
      ['node--page', 'inferred'],
    ]);
  });

  it('match a reserved key by its own or its public name', async () => {
    for (const key of ['type', 'field_type']) {
      const { values, problems } = await collect(
        { 'article/a.md': '---\ntype: Core\n---', 'article/b.md': '---\nfield_type: Meta\n---' },
        { schema: { article: { [key]: z.string() } } },
      );
      expect(problems).toEqual([]);
      expect(values('article/a.md').field_type).toBe('Core');
      expect(values('article/b.md').field_type).toBe('Meta');
    }
  });

  it('must have unique names, valid bundles and valid targets', async () => {
    const { diagnostics } = await collect(
      {},
      {
        schema: {
          'my posts': {},
          article: { type: z.string(), field_type: z.string(), x: reference('no bundle') },
        },
      },
    );
    expect(
      diagnostics.filter(({ severity }) => severity === 'error').map(({ code, key }) => [code, key]),
    ).toEqual([
      ['schema/invalid', 'schema.ts'],
      ['schema/invalid', 'schema.ts'],
      ['schema/invalid', 'schema.ts'],
    ]);
  });
});

describe('values under a schema', () => {
  it.each<[string, z.ZodType, string, unknown]>([
    ['decimal in quotes', decimal(), '"9.50"', '9.50'],
    ['decimal as a number, as written', decimal(), '9.50', '9.50'],
    ['negative decimal', decimal(), '-3', '-3'],
    ['decimals', z.array(decimal()), '[1.10, "2.0"]', ['1.10', '2.0']],
    ['date', z.iso.date(), '2024-01-12', '2024-01-12'],
    [
      'date-time with its offset',
      z.iso.datetime({ offset: true }),
      '2024-01-12T10:00:00+02:00',
      '2024-01-12T10:00:00+02:00',
    ],
    ['date-time in UTC', z.iso.datetime(), '2024-01-12T10:00:00Z', '2024-01-12T10:00:00+00:00'],
    ['coerced date', z.coerce.date(), '2024-01-12', '2024-01-12T00:00:00+00:00'],
    ['default', z.int().default(7), '', 7],
    ['null for an empty value', z.string().optional(), '', null],
    ['transformed', z.string().transform((text) => text.toUpperCase()), 'abc', 'ABC'],
    ['json', z.record(z.string(), z.int()), '{ a: 1 }', { a: 1 }],
  ])('%s', async (_name, type, written, value) => {
    const { values, problems } = await collect(
      { 'article/deep/a.md': `---\nf: ${written}\n---\n` },
      { schema: one(type) },
    );
    expect(problems).toEqual([]);
    expect(JSON.parse(JSON.stringify(values('article/deep/a.md').f))).toEqual(value);
  });

  it.each<[string, z.ZodType, string, string, string]>([
    ['wrong kind', z.int(), 'x', 'field/invalid', '2:4'],
    ['bad date', z.iso.date(), '2024-02-30', 'field/invalid', '2:4'],
    [
      'date-time without offset',
      z.iso.datetime({ offset: true }),
      '2024-01-12T10:00:00',
      'field/invalid',
      '2:4',
    ],
    ['bad decimal', decimal(), '9,26', 'field/invalid', '2:4'],
    ['exponent', decimal(), '1e3', 'field/invalid', '2:4'],
    ['empty image', image(), '""', 'field/invalid', '2:4'],
    ['image outside', image(), '../../../x.png', 'file/outside', '2:4'],
    ['an item', z.array(z.int()), '[1, x]', 'field/invalid', '2:8'],
    ['a property', z.object({ a: z.object({ b: z.int() }) }), '{ a: { b: x } }', 'field/invalid', '2:14'],
    ['an unknown property', z.object({ a: z.int() }), '{ a: 1, bb: 2 }', 'field/unknown', '2:12'],
    ['missing', z.string(), '', 'field/required', '2:1'],
    ['coerced from an empty value', z.coerce.string(), '', 'field/required', '2:1'],
    ['several problems at once', z.array(z.string().max(1)).length(1), '[aa, b]', 'field/invalid', '2:4'],
  ])('%s is reported at its position', async (_name, type, written, code, position) => {
    const { problems, diagnostics } = await collect(
      { 'article/a.md': `---\nf: ${written}\n---\n` },
      { schema: one(type) },
    );
    expect(diagnostics.every(({ severity }) => severity === 'error')).toBe(true);
    expect(diagnostics.map((each) => each.code)).toContain(code);
    expect(problems.some((line) => line.startsWith(`content/article/a.md:${position} `))).toBe(true);
  });

  it('are all checked, so that every problem of a file is reported at once', async () => {
    const { problems } = await collect(
      { 'article/a.md': '---\ncreated: soon\na: 5\nb: x\n---\n' },
      { schema: { article: { a: z.string(), b: z.int(), c: z.int() } } },
    );
    expect(problems.map((line) => line.split(' ', 1)[0])).toEqual([
      'content/article/a.md:1:1',
      'content/article/a.md:2:10',
      'content/article/a.md:3:4',
      'content/article/a.md:4:4',
    ]);
    expect(problems[2]).toContain('(Put it in quotes: "5".)');
  });

  it('must have a name from the schema', async () => {
    const schema = defineSchema({
      article: { field_author: z.string().nullish(), type: z.string().nullish() },
    });
    const { problems } = await collect(
      {
        'article/a.md': '---\nfield_autor: x\n---',
        'article/b.md': '---\nstatsu: true\n---',
        'article/c.md': '---\nentirely_different: x\n---',
        'article/d.md': '---\ntype: a\nfield_type: b\n---',
        'article/e.json': '{"summary": "no body to keep it in"}',
        'article/f.md': '---\nsummary: fine\nuuid: fine\ndraft: false\n---',
      },
      { schema },
    );
    expect(problems).toEqual([
      'content/article/a.md:2:1 There is no field `field_autor` in the schema. (Did you mean `field_author`?)',
      'content/article/b.md:2:1 There is no field `statsu` in the schema. (Did you mean `status`?)',
      'content/article/c.md:2:1 There is no field `entirely_different` in the schema. (Declare it in schema.ts, or remove it.)',
      'content/article/d.md:3:1 `type` and `field_type` both set the field `field_type`. (Keep one of them.)',
      'content/article/e.json:1:2 There is no field `summary` in the schema. (Declare it in schema.ts, or remove it.)',
    ]);
  });

  it('report a custom check that throws', async () => {
    const { problems, ids } = await collect(
      { 'article/a.md': '---\nf: x\n---', 'article/b.md': '---\nf: y\n---' },
      {
        schema: one(
          z.string().refine((text) => {
            if (text === 'x') {
              throw new Error('no x, please');
            }
            return true;
          }),
        ),
      },
    );
    expect(ids).toEqual(['node--article/b']);
    expect(problems).toEqual([
      'content/article/a.md:2:4 The schema of `f` fails on this value: no x, please.',
    ]);
  });

  it('are an error if a transformation changes their kind', async () => {
    const { diagnostics, values } = await collect(
      { 'article/a.md': '---\nf: 5\n---' },
      { schema: one(z.int().transform((number) => ({ number }))) },
    );
    expect(diagnostics).toMatchObject([{ code: 'field/kind', line: 2, column: 4 }]);
    expect(values('article/a.md').f).toBeNull();
  });

  it('report such a transformation once, with a hint to declare its result', async () => {
    const files = { 'article/a.md': '---\nf: abc\n---', 'article/b.md': '---\nf: ab\n---' };
    const { problems } = await collect(files, { schema: one(z.string().transform((text) => text.length)) });
    expect(problems).toEqual([
      'content/article/a.md:2:4 The schema turns `f` into a number, but the field is a string. (Declare what the transform returns: `.transform(…).pipe(z.number())`.)',
    ]);
  });

  it('have the declared type of the output of a transformation', async () => {
    const type = z
      .string()
      .transform((text) => text.length)
      .pipe(z.number());
    const { field, values } = await collect({ 'article/a.md': '---\nf: abc\n---' }, { schema: one(type) });
    expect(field('node--article', 'f').kind).toBe('number');
    expect(values('article/a.md').f).toBe(3);
  });
});

describe('values that zod need not check', () => {
  const text = z.string();
  it.each<[string, z.ZodType, number]>([
    ['strings', text, 3],
    ['strings that may be missing', text.nullish().default('x'), 3],
    ['booleans', z.boolean().optional(), 2],
    ['lists of strings', z.array(text).readonly(), 1],
    ['references', reference('person').describe('Who'), 3],
    ['lists of images', z.array(image()).default([]), 1],
    ['strings with a check', text.min(2), 0],
    ['strings that are changed', text.trim().nullish(), 0],
    ['optional strings with a check', text.optional().refine((value) => value !== 'a'), 0],
    ['coerced strings', z.coerce.string(), 0],
    ['formats', z.email(), 0],
    ['transformed strings', text.transform((value) => value.length), 0],
    ['transformed references', reference('person').transform(() => 1), 0],
    ['references with a check', reference('person').refine((value) => value !== 'a'), 0],
    ['lists with a check', z.array(text).max(1), 0],
    ['lists of checked items', z.array(text.max(1)), 0],
    ['decimals', decimal(), 0],
  ])('%s: zod accepts them unchanged', (_name, type, count) => {
    const values = ['a', 'abc', ' a ', '', true, false, 1, null, ['a', 'b'], [], [''], [1], { a: 'b' }];
    const { declared } = declareSchema({ article: { f: type } });
    const { isPlain } = declared.get('node--article')!.fields.get('f')!;
    const plain = values.filter(isPlain).filter((value) => !Array.isArray(value) || value.length > 0);
    for (const value of plain) expect(type.safeParse(value)).toEqual({ success: true, data: value });
    expect(plain).toHaveLength(count);
  });
});

describe('types', () => {
  it('of a schema stay as precise as written', () => {
    const schema = defineSchema({
      article: { author: reference(['person', 'org']).nullish(), price: decimal(), day: z.iso.date() },
    });
    type Fields = (typeof schema)['article'];
    expectTypeOf<Fields['author']>().toEqualTypeOf<
      z.ZodOptional<z.ZodNullable<ReferenceField<'person' | 'org'>>>
    >();
    expectTypeOf<Fields['day']>().toEqualTypeOf<z.ZodISODate>();
    expectTypeOf(reference('person')).not.toEqualTypeOf(reference('org'));
    expectTypeOf(decimal()).not.toEqualTypeOf(image());
    expectTypeOf(image()).not.toEqualTypeOf(file());
  });
});
