import { expect, it } from 'vitest';
import type { Handler } from '../../../integration/core/server/handler.ts';
import { defineSchema, reference, z } from '../../../integration/schema.ts';
import { createHandler } from '../../support/handler.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { fetchFrom } from '../../support/request.ts';
import { createServices } from '../../support/services.ts';

const SCHEMA = defineSchema({
  article: { field_author: reference('tag').nullish(), field_tags: z.array(reference('tag')).default([]) },
  tag: {},
});
const KEY = 'article/moon.md';
const MOON = '---\ntitle: Moon\nfield_tags:\n  - sky\n  - lost # by whom?\n  - gone\n---\n';
const TAGS = '/jsonapi/node/article/moon/relationships/field_tags';
const JSONAPI = 'application/vnd.api+json';

it('relationships can be sent back as received, including references to missing targets', async () => {
  const { ask, read } = await site();
  const { data } = await (await ask('GET', TAGS)).json();
  expect(data.map(({ id }: { id: string }) => id)).toEqual(['sky', 'missing', 'missing']);
  expect((await ask('PATCH', TAGS, { data })).status).toBe(204);
  expect(await read()).toBe(MOON);
  expect((await ask('DELETE', TAGS, { data: data.slice(1, 2) })).status).toBe(204);
  expect(await read()).toBe(MOON.replace('  - lost # by whom?\n', ''));
});

it.each([
  [
    'plain JSON',
    '/api/content/articles/moon',
    'application/json',
    { field_tags: ['sky', 'nope', 'no'], field_author: 'none' },
    ['/field_tags/1', '/field_tags/2', '/field_author'],
  ],
  [
    'JSON:API',
    '/jsonapi/node/article/moon',
    JSONAPI,
    {
      data: {
        type: 'node--article',
        id: 'moon',
        relationships: { field_tags: { data: [{ type: 'node--tag', id: 'nope' }] } },
      },
    },
    ['/data/relationships/field_tags/data/0'],
  ],
])('each missing target returns a 404 with its pointer, in %s', async (_api, path, type, body, places) => {
  const { ask, read } = await site();
  const response = await ask('PATCH', path, body, type);
  const { error, errors = [error] } = await response.json();
  expect(response.status).toBe(404);
  expect(errors.map(({ source }: { source: { pointer: string } }) => source.pointer)).toEqual(places);
  expect(await read()).toBe(MOON);
});

it('a list with the same target twice is rejected, and changes nothing', async () => {
  const { ask, read } = await site();
  const sky = { type: 'node--tag', id: 'sky' };
  const response = await ask('PATCH', TAGS, { data: [sky, sky] });
  expect([response.status, (await response.json()).errors[0].source]).toEqual([400, { pointer: '/data/1' }]);
  expect(await read()).toBe(MOON);
});

async function site() {
  const driver = createMemoryDriver({ [KEY]: MOON, 'tag/sky.md': '---\ntitle: Sky\n---\n' });
  const handle: Handler = createHandler(await createServices(driver, SCHEMA, { writable: {} }));
  return {
    read: async () => String(Buffer.from((await driver.read(KEY)) ?? [])),
    async ask(method: string, path: string, body?: unknown, type = JSONAPI): Promise<Response> {
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      return fetchFrom(handle, path, {
        method,
        headers: { 'content-type': type },
        ...sent,
        actor: { name: 'ed', roles: ['editor'] },
      });
    },
  };
}
