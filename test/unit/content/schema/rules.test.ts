import { cpSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import * as astroZod from 'astro/zod';
import { describe, expect, it } from 'vitest';
import * as zod from 'zod';
import * as mini from 'zod/mini';
import { decimal, defineSchema, image, reference, z } from '../../../../integration/schema.ts';
import { createHandler } from '../../../support/handler.ts';
import { createMemoryDriver } from '../../../support/memory-driver.ts';
import { fetchFrom } from '../../../support/request.ts';
import { createServices } from '../../../support/services.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { collect } from '../collect.ts';

const schema = defineSchema({
  event: z
    .object({
      starts: z.iso.date(),
      ends: z.iso.date().nullish(),
      price: decimal().nullish(),
      'reading time': z.int().nullish(),
      host: reference('person').nullish(),
      tags: z.array(z.string()).default([]),
    })
    .refine(({ starts, ends }) => !ends || starts <= ends, {
      path: ['ends'],
      message: 'It ends before it starts',
    })
    .superRefine(({ tags, price }, context) => {
      if (tags.includes('free') && price)
        context.addIssue({ code: 'custom', message: 'A free event has no price' });
      if (tags[1] === 'x') context.addIssue({ code: 'custom', path: ['tags', 1], message: 'Not here' });
    })
    .refine((event) => event['reading time'] !== 13, { path: ['reading time'], message: 'Unlucky' }),
  person: {},
});

describe('rules across the fields of a bundle', () => {
  it('are checked in files, at the line of the field', async () => {
    const { problems, ids } = await collect(
      {
        'event/good.md': '---\nstarts: 2024-01-01\nends: 2024-01-02\n---',
        'event/short.md': '---\nstarts: 2024-01-01\n---',
        'event/late.md': '---\nstarts: 2024-01-03\nends: 2024-01-02\n---',
        'event/paid.md': '---\nstarts: 2024-01-03\ntags: [free]\nprice: 9.50\n---',
        'event/item.md': '---\nstarts: 2024-01-03\ntags: [a, x]\n---',
        'event/renamed.md': '---\nstarts: 2024-01-03\nfield_reading_time: 13\n---',
      },
      { schema },
    );
    expect(ids).toEqual(['node--event/good', 'node--event/short']);
    expect(problems).toEqual([
      expect.stringContaining('event/item.md:3:11 `tags.1`: Not here. Found: "x".'),
      expect.stringContaining('event/late.md:3:7 `ends`: It ends before it starts. Found: "2024-01-02".'),
      expect.stringContaining('event/paid.md:1:1 A free event has no price.'),
      expect.stringContaining('event/renamed.md:3:21 `field_reading_time`: Unlucky. Found: 13.'),
    ]);
  });

  it('wait until every field is valid', async () => {
    const { problems } = await collect(
      { 'event/bad.md': '---\nstarts: soon\nends: 2024-01-02\ntags: [free]\nprice: 1\n---' },
      { schema },
    );
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain('`starts`');
  });

  it('that throw are a problem of the file', async () => {
    const broken = defineSchema({
      event: z.object({ a: z.string().nullish() }).refine(({ a }) => (a as string).length > 0),
    });
    const { problems } = await collect({ 'event/bad.md': '---\ntitle: x\n---' }, { schema: broken });
    expect(problems[0]).toContain('The rules of the bundle fail on these values');
  });

  it('are checked in writes: a 422 that points to the field', async () => {
    const services = await createServices(
      createMemoryDriver({ 'event/one.md': '---\nstarts: 2024-01-03\n---\n' }),
      schema,
      { writable: {} },
    );
    const send = async (method: string, path: string, attributes: object) => {
      const data = { type: 'node--event', ...(method === 'PATCH' && { id: 'one' }), attributes };
      const response = await fetchFrom(createHandler(services), `/jsonapi/node/event${path}`, {
        method,
        body: { data },
        actor: { name: 'ed', roles: ['editor'] },
      });
      return { status: response.status, errors: (await response.json())?.errors };
    };
    expect(await send('PATCH', '/one', { ends: '2024-01-01' })).toMatchObject({
      status: 422,
      errors: [
        { source: { pointer: '/data/attributes/ends' }, detail: expect.stringContaining('It ends before') },
      ],
    });
    expect(
      await send('POST', '', { title: 'x', starts: '2024-01-01', tags: ['free'], price: '1.00' }),
    ).toMatchObject({
      status: 422,
      errors: [
        { source: { pointer: expect.stringMatching(/^\/data/) }, detail: 'A free event has no price.' },
      ],
    });
    expect((await send('PATCH', '/one', { ends: '2024-01-05' })).status).toBe(200);
  });
});

describe('a zod object as a bundle', () => {
  it('declares the same fields as a record', async () => {
    const shape = {
      title: z.string(),
      field_cover: image().nullish(),
      field_tags: z.array(z.string()).default([]),
    };
    const definitions = async (article: zod.z.ZodObject | typeof shape) => {
      const { collector } = await collect({}, { schema: { article } });
      return [...((await collector.load()).types[0]?.fields ?? [])];
    };
    const record = await definitions(shape);
    expect(await definitions(z.object(shape))).toEqual(record);
    expect(await definitions(z.strictObject(shape))).toEqual(record);
    expect(
      await definitions(
        z
          .object({ title: z.string() })
          .extend(shape)
          .refine(() => true),
      ),
    ).toEqual(record);
  });
});

describe("types of the site's own zod", async () => {
  const copy = temporaryFolder();
  cpSync(path.resolve('node_modules/zod'), copy, { recursive: true });
  const other: typeof zod = await import(pathToFileURL(path.join(copy, 'index.js')).href);

  it('may be of another copy', () => {
    expect(other.z.ZodType).not.toBe(zod.z.ZodType);
  });

  it.each([
    ['astro/zod', astroZod.z],
    ['zod', zod.z],
    ['another copy of zod', other.z],
  ])('%s work, with our fields inside', async (_, own) => {
    const declared = {
      article: own
        .object({
          rating: own.int().max(5),
          tags: own.array(reference('tag')),
          cover: own.optional(image()),
          notes: own.string().nullish().meta({ search: false }),
        })
        .refine(({ rating, tags }) => tags.length < rating, 'More rating than tags'),
      tag: {},
    };
    const { problems, field, values } = await collect(
      {
        'tag/a.md': '',
        'article/a.md': '---\nrating: 3\ntags: [a]\n---',
        'article/b.md': '---\nrating: 1\ntags: [a]\n---',
        'article/c.md': '---\nrating: 9\ntags: [a]\n---',
      },
      { schema: declared },
    );
    expect(field('node--article', 'tags')).toMatchObject({
      kind: 'reference',
      list: true,
      targets: ['node--tag'],
    });
    expect(field('node--article', 'cover').kind).toBe('image');
    expect(field('node--article', 'notes').search).toBe(0);
    expect(values('article/a.md').tags).toEqual([{ type: 'node--tag', id: 'a' }]);
    expect(problems).toEqual([
      expect.stringContaining('article/b.md:1:1 More rating than tags'),
      expect.stringContaining('article/c.md:2:9 `rating`: Too big'),
    ]);
  });

  it('zod/mini is supported', async () => {
    const { field, problems } = await collect(
      { 'article/a.md': '---\nrating: 9\n---' },
      { schema: { article: { rating: mini.int().check(mini.maximum(5)) as unknown as z.ZodType } } },
    );
    expect(field('node--article', 'rating').kind).toBe('number');
    expect(problems).toHaveLength(1);
  });
});
