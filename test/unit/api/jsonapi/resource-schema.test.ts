import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ADMINISTRATOR, ANONYMOUS } from '../../../../integration/core/access/actor.ts';
import { resourceSchema } from '../../../../integration/core/api/jsonapi/resource-schema.ts';
import { decimal, image, reference } from '../../../../integration/core/content/schema/schema.ts';
import { createHandler } from '../../../support/handler.ts';
import { compileSchema } from '../../../support/json-schema.ts';
import { createMemoryDriver } from '../../../support/memory-driver.ts';
import { fetchFrom, ORIGIN } from '../../../support/request.ts';
import { createServices } from '../../../support/services.ts';
import { bundle, createMagazine, ENTITIES, entity, field } from './magazine.ts';

/** The properties of `attributes` and `relationships` of a bundle with these fields. */
async function describeFields(fields: Readonly<Record<string, z.ZodType>>, actor = ANONYMOUS) {
  const services = await createServices(createMemoryDriver({}), { note: fields });
  const type = services.store.types.get('node--note');
  if (type === undefined) throw new Error('There is no such type.');
  // biome-ignore lint/suspicious/noExplicitAny: tests read parts of a schema by path.
  const { properties } = resourceSchema(type, services.access(actor)) as any;
  return { ...properties.attributes.properties, ...properties.relationships.properties };
}

describe('the schema of a field', () => {
  it.each<[string, z.ZodType, unknown]>([
    ['a text', z.string(), { type: 'string' }],
    ['an optional string', z.string().nullish(), { type: ['string', 'null'] }],
    [
      'a list',
      z.array(z.string().max(9)).default([]),
      { type: 'array', items: { type: 'string', maxLength: 9 } },
    ],
    ['an enum', z.enum(['a', 'b']), { type: 'string', enum: ['a', 'b'] }],
    [
      'an enum with null',
      z.enum(['a', 'b']).nullable(),
      { type: ['string', 'null'], enum: ['a', 'b', null] },
    ],
    ['literals', z.union([z.literal('a'), z.literal('b')]), { type: 'string', enum: ['a', 'b'] }],
    ['an integer', z.int(), { type: 'integer' }],
    ['an integer with bounds', z.int().min(1).lt(5), { type: 'integer', minimum: 1, exclusiveMaximum: 5 }],
    ['a number', z.number().nullish(), { type: ['number', 'null'] }],
    ['a boolean', z.boolean(), { type: 'boolean' }],
    ['a decimal', decimal(), { type: 'string', pattern: '^-?\\d+(?:\\.\\d+)?$' }],
    ['a day', z.iso.date(), { type: 'string', format: 'date' }],
    ['a date-time', z.iso.datetime({ offset: true }), { type: 'string', format: 'date-time' }],
    ['an e-mail address', z.email(), { type: 'string', format: 'email' }],
    ['a pattern', z.string().regex(/^a+$/), { type: 'string', pattern: '^a+$' }],
    ['a pattern with flags that JSON Schema lacks', z.string().regex(/^a+$/i), { type: 'string' }],
    ['a length that JSON Schema counts differently', z.string().min(3), { type: 'string', minLength: 2 }],
    ['a trimmed string', z.string().min(3).trim(), { type: 'string' }],
    [
      'a transformed string',
      z
        .string()
        .max(3)
        .transform((text) => text.repeat(2)),
      { type: ['string', 'null'] },
    ],
    [
      'a string with a description',
      z.string().describe('Hello').nullish(),
      { description: 'Hello', type: ['string', 'null'] },
    ],
    ['anything', z.union([z.string(), z.array(z.string())]), {}],
    [
      'an object',
      z.object({ name: z.string(), lat: z.number().max(90).nullish() }),
      {
        type: 'object',
        properties: { name: { type: 'string' }, lat: { type: ['number', 'null'], maximum: 90 } },
        required: ['name'],
      },
    ],
  ])('%s', async (_, type, expected) => {
    expect((await describeFields({ field_x: type })).field_x).toEqual(expected);
  });

  it('a file is a relationship, and in an object an object with all its properties', async () => {
    const fields = { field_x: image().nullish(), field_y: z.object({ x: image().nullish() }) };
    const { field_x, field_y } = await describeFields(fields);
    expect(JSON.stringify(field_x)).toContain('{"type":"string","enum":["file--file"]}');
    expect(field_y.properties.x).toEqual({
      type: ['object', 'null'],
      properties: {
        uri: {
          type: 'object',
          properties: { value: { type: 'string' }, url: { type: 'string' } },
          required: ['value', 'url'],
        },
        filename: { type: 'string' },
        filemime: { type: 'string' },
        filesize: { type: ['integer', 'null'] },
        width: { type: ['integer', 'null'] },
        height: { type: ['integer', 'null'] },
        alt: { type: ['string', 'null'] },
      },
      required: ['uri', 'filename', 'filemime', 'filesize', 'width', 'height', 'alt'],
    });
  });

  it('a reference names its targets', async () => {
    const fields = {
      one: reference(['note', 'tag']).nullish(),
      many: z.array(reference('note')).default([]),
    };
    const { one, many } = await describeFields(fields);
    expect(one.properties.data.anyOf).toMatchObject([
      { properties: { type: { enum: ['node--note', 'node--tag'] } } },
      { type: 'null' },
    ]);
    expect(many.properties.data).toMatchObject({
      type: 'array',
      items: { properties: { type: { enum: ['node--note'] } } },
    });
  });

  it('is present only if the actor may see it', async () => {
    expect(await describeFields({})).not.toHaveProperty('uid');
    expect(await describeFields({}, ADMINISTRATOR)).toHaveProperty('uid');
  });
});

describe('the address of a schema', () => {
  const services = createMagazine({}, [...ENTITIES, entity('node--tag', 'resource/schema', {})]);
  const handle = createHandler(services);

  it.each([
    '/jsonapi/node/tag/resource/schema',
    '/jsonapi/node/tag/resource/schema/',
    '/JSONAPI/NODE/tag//resource/schema?anyThing=1',
  ])('%s returns it', async (path) => {
    const response = await fetchFrom(handle, path);
    expect(response.headers.get('content-type')).toBe('application/schema+json');
    expect(await response.json()).toMatchObject({
      $id: `${ORIGIN}/jsonapi/node/tag/resource/schema`,
      title: 'node--tag',
    });
  });

  it('differs from a resource with the same id, whose links encode the slash', async () => {
    const list = await fetchFrom(handle, '/jsonapi/node/tag?filter[id]=resource%2Fschema');
    const { links } = (await list.json())?.data[0] ?? {};
    expect(links.self.href).toBe(`${ORIGIN}/jsonapi/node/tag/resource%2Fschema`);
    const alone = await handle(new Request(links.self.href));
    expect(await alone?.json()).toMatchObject({ data: { id: 'resource/schema', links } });
  });

  it('differs from a field with the same name, whose links encode it', async () => {
    const note = bundle('node--note', [field('schema', 'reference', { targets: ['node--note'] })]);
    const self = entity('node--note', 'resource', { schema: { type: 'node--note', id: 'resource' } });
    const noted = createHandler(createMagazine({}, [self], [note]));
    const document = await (await fetchFrom(noted, '/jsonapi/node/note/resource')).json();
    const { related } = document.data.relationships.schema.links;
    expect(await (await noted(new Request(related.href)))?.json()).toMatchObject({
      data: { id: 'resource' },
    });
  });

  it('of an unknown type returns a 404 document', async () => {
    const response = await fetchFrom(handle, '/jsonapi/node/nope/resource/schema');
    expect(response.status).toBe(404);
    expect(response.headers.get('content-type')).toBe('application/vnd.api+json');
  });

  it('is linked from collections and resources, and rejects invalid documents', async () => {
    const href = `${ORIGIN}/jsonapi/node/tag/resource/schema`;
    const document = await (await fetchFrom(handle, '/jsonapi/node/tag/tea')).json();
    expect(document.links.describedby).toEqual({ href, type: 'application/schema+json' });
    const validate = compileSchema(await (await handle(new Request(href)))?.json());
    expect(validate(document.data)).toBe(true);
    expect(validate({ ...document.data, type: 'node--article' })).toBe(false);
    expect(validate({ ...document.data, attributes: { title: null } })).toBe(false);
    expect(validate({ ...document.data, attributes: { nope: 1 } })).toBe(false);
  });
});
