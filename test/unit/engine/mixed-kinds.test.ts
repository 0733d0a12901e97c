import { describe, expect, it } from 'vitest';
import { contentDeclaration } from '../../../integration/astro/generated-types.ts';
import { defineSchema, z } from '../../../integration/schema.ts';
import { ask } from '../../security/attacked-site.ts';
import { createHandler } from '../../support/handler.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { createServices } from '../../support/services.ts';

const FILES = {
  'doc/a.md': '---\ntoc: false\nlayout: wide\n---\n',
  'doc/b.md': '---\ntoc: { maxHeadingLevel: 2 }\nlayout: { name: wide, columns: 2 }\n---\n',
  'doc/c.md': '---\ntoc: { maxHeadingLevel: 4, minHeadingLevel: 3 }\nlayout: 2\n---\n',
  'doc/d.md': '',
};
const SCHEMA = defineSchema({
  doc: {
    toc: z
      .union([
        z.boolean(),
        z.object({ maxHeadingLevel: z.int().optional(), minHeadingLevel: z.int().optional() }),
      ])
      .optional(),
    layout: z
      .union([z.string(), z.number(), z.object({ name: z.string(), columns: z.int().optional() })])
      .optional(),
  },
});

describe.each([
  ['without a schema', undefined],
  ['with a schema', SCHEMA],
])('a field of scalars and objects, %s', async (_, schema) => {
  const services = await createServices(createMemoryDriver(FILES), schema);
  const handle = createHandler(services);
  const get = (query: string) => ask(handle, 'GET', `/api/content/docs?${query}`);
  const ids = async (query: string) =>
    (await get(query)).json.data.map(({ id }: { readonly id: string }) => id).join('');

  it.each([
    ['filter[toc]=false', 'a'],
    ['filter[toc][operator]=<>&filter[toc][value]=true', 'a'],
    ['filter[toc.maxHeadingLevel]=2', 'b'],
    ['filter[toc.maxHeadingLevel][operator]=>&filter[toc.maxHeadingLevel][value]=2', 'c'],
    ['filter[n][condition][path]=toc.maxHeadingLevel&filter[n][condition][operator]=IS NULL', 'ad'],
    ['filter[n][condition][path]=toc&filter[n][condition][operator]=IS NULL', 'd'],
    ['filter[n][condition][path]=toc&filter[n][condition][operator]=IS NOT NULL', 'abc'],
    ['filter[toc]=false&filter[n][condition][path]=toc&filter[n][condition][operator]=IS NOT NULL', 'a'],
    ['filter[toc]=false&filter[n][condition][path]=toc&filter[n][condition][operator]=IS NULL', ''],
    ['filter[layout]=wide', 'a'],
    ['filter[layout]=2', 'c'],
    ['filter[layout.name]=wide', 'b'],
    ['sort=-toc.maxHeadingLevel,id', 'cbad'],
    ['sort=layout,id', 'bdca'],
  ])('%s finds %s', async (query, expected) => {
    expect(await ids(query)).toBe(expected);
  });

  it('is answered as written', async () => {
    const { json } = await get('filter[id]=a&fields=toc,layout');
    expect(json.data[0]).toMatchObject({ toc: false, layout: 'wide' });
  });
});

it('has the type of both', async () => {
  const { store } = await createServices(createMemoryDriver(FILES));
  const types = contentDeclaration({
    schema: undefined,
    folders: [],
    types: store.types.values(),
    editing: false,
  });
  expect(types).toContain(
    'readonly "toc": boolean | { readonly "maxHeadingLevel": number | null | undefined; readonly "minHeadingLevel": number | null | undefined } | null',
  );
});
