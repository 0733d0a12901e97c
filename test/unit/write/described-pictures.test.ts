import { describe, expect, it } from 'vitest';
import { defineSchema, image } from '../../../integration/schema.ts';
import { ask } from '../../security/attacked-site.ts';
import { createHandler } from '../../support/handler.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { png } from '../../support/pictures.ts';
import { createServices } from '../../support/services.ts';
import { collect } from '../content/collect.ts';

/** The rule of docs/content-model.md. */
const described = image().refine(
  (value) => typeof value === 'object' && typeof value.alt === 'string',
  'Describe the image with `alt`, or mark it as decorative with `alt: ""`',
);
const FILES = { 'article/moon.md': '---\ntitle: Moon\n---\n', 'article/moon.png': png(30, 20) };

async function patch(field: typeof described, cover: unknown) {
  const driver = createMemoryDriver(FILES);
  const schema = defineSchema({ article: { cover: field.nullish() } });
  const handle = createHandler(await createServices(driver, schema, { writable: {} }));
  const data = { type: 'node--article', id: 'moon', attributes: { cover } };
  const { status, json } = await ask(handle, 'PATCH', '/jsonapi/node/article/moon', { body: { data } });
  const text = new TextDecoder().decode(await driver.read('article/moon.md'));
  return {
    status,
    errors: json.errors,
    cover: /cover:(.*)---/s.exec(text)?.[1]?.trim().replace(/\s+/g, ' '),
  };
}

describe('the alternative text of an image', () => {
  it.each([
    [{ src: 'moon.png' }, 'moon.png'],
    [{ src: 'moon.png', alt: null }, 'moon.png'],
    [{ src: 'moon.png', alt: '' }, 'src: moon.png alt: ""'],
    [{ src: 'moon.png', alt: 'Full' }, 'src: moon.png alt: Full'],
  ])('may be null for a program, which knows no description: %j', async (sent, cover) => {
    expect(await patch(image() as typeof described, sent)).toMatchObject({ status: 200, cover });
  });

  it.each([['moon.png'], [{ src: 'moon.png' }], [{ src: 'moon.png', alt: null }]])(
    'is required by a rule of the schema, also for a program: %j',
    async (sent) => {
      const { status, errors, cover } = await patch(described, sent);
      expect([status, cover]).toEqual([422, undefined]);
      expect(errors).toMatchObject([
        {
          detail: expect.stringContaining('Describe the image with `alt`'),
          source: { pointer: '/data/attributes/cover' },
        },
      ]);
    },
  );

  it.each(['', 'Full'])('fulfills the rule with %j', async (alt) => {
    expect((await patch(described, { src: 'moon.png', alt })).status).toBe(200);
  });

  it('is an error of `check` under the same rule, at its line', async () => {
    const files = {
      ...FILES,
      'article/bare.md': '---\ntitle: Bare\ncover: moon.png\n---\n',
      'article/whole.md': '---\ntitle: Whole\ncover: { src: moon.png, alt: "" }\n---\n',
    };
    const { problems } = await collect(files, {
      schema: defineSchema({ article: { cover: described.nullish() } }),
    });
    expect(problems).toEqual([
      expect.stringContaining('article/bare.md:3:8 `cover`: Describe the image with `alt`'),
    ]);
    const free = await collect(files, { schema: defineSchema({ article: { cover: image().nullish() } }) });
    expect(free.problems).toEqual([]);
  });
});
