import { describe, expect, test } from 'vitest';
import { ANONYMOUS } from '../../../../integration/core/access/actor.ts';
import type { Roles } from '../../../../integration/core/access/role.ts';
import type { SchemaDefinition } from '../../../../integration/core/content/schema/schema.ts';
import { explorerSchema } from '../../../../integration/features/admin/explorer.ts';
import { image, reference, z } from '../../../../integration/schema.ts';
import { createMemoryDriver } from '../../../support/memory-driver.ts';
import { createServices } from '../../../support/services.ts';

const FILE = { 'page/a.md': '---\ntitle: A\n---\n' };

async function fieldsOf(page: SchemaDefinition[string], options = {}) {
  const services = await createServices(
    createMemoryDriver(FILE),
    { page, person: {} },
    { writable: { options } },
  );
  const { types } = await explorerSchema(services, services.access(ANONYMOUS), 'server');
  return new Map(types.find(({ bundle }) => bundle === 'page')!.fields.map((field) => [field.name, field]));
}

const link = z.object({ type: z.literal('link'), to: z.string(), who: reference('person').nullish() });
const list = z.object({ type: z.literal('list'), items: z.array(z.discriminatedUnion('type', [link])) });

describe('the description of a form', () => {
  test('has the variants of unions at any depth, with their references as they are written', async () => {
    const blocks = z.array(
      z.discriminatedUnion('type', [link.meta({ label: { en: 'Link' }, icon: 'link' }), list]),
    );
    const field = (await fieldsOf({ blocks: blocks.default([]) })).get('blocks');
    expect(field).toMatchObject({
      kind: 'json',
      list: true,
      discriminator: 'type',
      variants: [
        {
          value: 'link',
          label: { en: 'Link' },
          icon: 'link',
          properties: [
            { name: 'to', kind: 'string', required: true },
            { name: 'who', kind: 'reference', targets: ['node--person'], written: true },
          ],
        },
        { value: 'list', properties: [{ name: 'items', list: true, variants: [{ value: 'link' }] }] },
      ],
    });
  });

  test('finds the discriminator of a plain union', async () => {
    const blocks = z.array(z.union([link, list])).default([]);
    expect((await fieldsOf({ blocks })).get('blocks')).toMatchObject({ discriminator: 'type' });
  });

  test('refers to the part around for an object that contains itself', async () => {
    const branch = z.object({
      name: z.string(),
      get below() {
        return z.array(branch).optional();
      },
    });
    const field = (await fieldsOf({ tree: z.array(branch).default([]) })).get('tree');
    expect(field?.properties).toEqual([
      { name: 'name', kind: 'string', required: true },
      { name: 'below', kind: 'object', list: true, ancestor: 1 },
    ]);
  });

  test('has records, nested objects, and values of .meta() before or after a wrapper', async () => {
    const fields = await fieldsOf({
      facts: z.record(z.string(), z.number()).nullish(),
      place: z
        .object({ spot: z.object({ lat: z.number().meta({ width: 'half' }) }), photo: image().nullish() })
        .nullish(),
      words: z
        .string()
        .meta({ label: 'Words', placeholder: 'inner' })
        .nullish()
        .meta({ placeholder: { de: 'außen' } }),
    });
    expect(fields.get('facts')).toMatchObject({ entries: { kind: 'number' }, at: 0 });
    expect(fields.get('place')?.properties).toMatchObject([
      { name: 'spot', properties: [{ name: 'lat', width: 'half' }] },
      { name: 'photo', kind: 'image' },
    ]);
    expect(fields.get('words')).toMatchObject({ label: 'Words', placeholder: { de: 'außen' }, at: 2 });
  });

  test('resolves conditions beside the input first, and then in the entry', async () => {
    const item = z.object({
      kind: z.string().nullish(),
      a: z
        .string()
        .nullish()
        .meta({ when: { field: 'kind', is: 'x' } }),
      b: z
        .string()
        .nullish()
        .meta({ when: { field: 'type', set: true } }),
    });
    const fields = await fieldsOf({ type: z.string().nullish(), item: item.nullish() });
    expect(fields.get('item')?.properties?.slice(1)).toMatchObject([
      { when: { field: 'kind', is: 'x' } },
      { when: { field: 'field_type', set: true, ofEntry: true } },
    ]);
    expect(fields.get('item')?.properties?.[1]?.when).not.toHaveProperty('ofEntry');
  });

  test('is not sent by a read-only server', async () => {
    const services = await createServices(createMemoryDriver(FILE), {
      page: { a: z.string().nullish().meta({ label: 'A' }) },
    });
    const { types } = await explorerSchema(services, services.access(ANONYMOUS), 'server');
    expect(types[0]?.fields.find(({ name }) => name === 'a')).not.toHaveProperty('label');
  });
});

test('a type has option search.boost, if the actor may see the field', async () => {
  const site = { search: { boost: { page: { field: 'sold', weight: 0.5 } } } };
  const boostOf = async (roles: Roles) => {
    const services = await createServices(
      createMemoryDriver(FILE),
      { page: { sold: z.number().nullish() } },
      { ...site, roles },
    );
    const { types } = await explorerSchema(services, services.access(ANONYMOUS), 'server');
    return types[0]?.boost;
  };
  expect(await boostOf({})).toEqual({ field: 'sold', weight: 0.5 });
  expect(
    await boostOf({
      anonymous: {
        permissions: [{ actions: ['view'], bundles: '*', fields: { view: { except: ['sold'] } } }],
      },
    }),
  ).toBeUndefined();
});

describe('mistakes in .meta() are errors of the schema', () => {
  const messageOf = async (type: z.ZodType, options = {}) => {
    const read = fieldsOf({ a: z.string().nullish(), b: type }, options);
    const error = await read.then(
      () => undefined,
      (reason: Error) => reason,
    );
    return error && JSON.parse(error.message)[0];
  };
  const text = z.string().nullish();

  test.each([
    [
      'an unknown widget',
      text.meta({ widget: 'colour' as never }),
      "has an unknown `widget`, 'colour'. Did you mean 'color'?",
    ],
    [
      'a condition on an unknown field',
      text.meta({ when: { field: 'c', set: true } }),
      "a `when` with the unknown field 'c'",
    ],
    [
      'a condition without a test',
      text.meta({ when: { field: 'a' } as never }),
      'has an invalid `when`: it needs',
    ],
    ['a number as a label', text.meta({ label: 3 as never }), 'has an invalid `label`: it needs a string'],
    [
      'a property of a block',
      z
        .array(
          z.discriminatedUnion('type', [
            z.object({ type: z.literal('x'), c: text.meta({ widget: 'no' as never }) }),
          ]),
        )
        .default([]),
      '`b.x.c` of the bundle `page` has an unknown `widget`',
    ],
  ])('%s', async (_, type, message) => {
    const problem = await messageOf(type);
    expect(problem).toMatchObject({ severity: 'error', key: 'schema.ts', code: 'schema/invalid' });
    expect(problem.message).toContain(message);
  });

  test('a widget of option editing.widgets is known', async () => {
    const type = text.meta({ widget: 'star-rating' });
    expect(await messageOf(type)).toBeDefined();
    expect(await messageOf(type, { widgets: { 'star-rating': '/star-rating.js' } })).toBeUndefined();
  });
});
