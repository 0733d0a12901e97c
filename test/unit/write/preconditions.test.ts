import { describe, expect, it } from 'vitest';
import type { Handler } from '../../../integration/core/server/handler.ts';
import { defineSchema, reference, z } from '../../../integration/schema.ts';
import { createHandler } from '../../support/handler.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { fetchFrom } from '../../support/request.ts';
import { createServices } from '../../support/services.ts';

const SCHEMA = defineSchema({
  article: {
    field_author: reference('person').nullish(),
    field_tags: z.array(reference('tag')).default([]),
  },
  person: {},
  tag: {},
});
const FILES = {
  'article/moon.md': '---\ntitle: Moon\nfield_author: jane\nfield_tags: [sky]\n---\n',
  'person/jane.md': '---\ntitle: Jane\n---\n',
  'tag/sky.md': '---\ntitle: Sky\n---\n',
};
const MOON = '/jsonapi/node/article/moon';
const TAGS = `${MOON}/relationships/field_tags`;
const RENAMED = { data: { type: 'node--article', id: 'moon', attributes: { title: 'New moon' } } };

describe('the ETag of a JSON:API document prevents overwriting unread changes', () => {
  it.each([
    ['PATCH', MOON, MOON, RENAMED],
    ['PATCH', `${MOON}?include=field_author`, `${MOON}?include=field_author`, RENAMED],
    ['PATCH', `${MOON}?fields[node--article]=title`, `${MOON}?fields[node--article]=title`, RENAMED],
    ['PATCH', MOON, `${MOON}?include=field_author`, RENAMED],
    ['DELETE', `${MOON}?include=field_author`, `${MOON}?include=field_author`, undefined],
    ['PATCH', TAGS, TAGS, { data: [] }],
    ['DELETE', TAGS, TAGS, { data: [{ type: 'node--tag', id: 'sky' }] }],
  ])('%s, read at %s', async (method, read, changed, body) => {
    const tag = (await ask(await site(), 'GET', read)).headers.get('etag') ?? '';
    for (const [others, succeeds] of [
      [undefined, true],
      [{ data: { ...RENAMED.data, attributes: { title: 'Old' }, relationships: NO_TAGS } }, false],
    ] as const) {
      const handle = await site();
      if (others !== undefined) expect((await ask(handle, 'PATCH', MOON, others)).status).toBe(200);
      const { ok, status } = await ask(handle, method, changed, body, { 'if-match': tag });
      expect(succeeds ? ok : status).toBe(succeeds ? true : 412);
    }
  });
});

const NO_TAGS = { field_tags: { data: [] } };

async function site(): Promise<Handler> {
  return createHandler(await createServices(createMemoryDriver(FILES), SCHEMA, { writable: {} }));
}

async function ask(
  handle: Handler,
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const init = {
    method,
    headers: { 'content-type': 'application/vnd.api+json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  };
  return fetchFrom(handle, path, { ...init, actor: { name: 'ed', roles: ['editor'] } });
}
