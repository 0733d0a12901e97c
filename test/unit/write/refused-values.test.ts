import { beforeEach, expect, it } from 'vitest';
import type { Handler } from '../../../integration/core/server/handler.ts';
import { ask } from '../../security/attacked-site.ts';
import { createHandler } from '../../support/handler.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { createServices } from '../../support/services.ts';

let handle: Handler;
beforeEach(async () => {
  const driver = createMemoryDriver({
    'article/moon.md': '---\ntitle: Moon\nstatus: draft\n---\n',
    'article/sun.md': '---\ntitle: Sun\nstatus: live\n---\n',
  });
  handle = createHandler(await createServices(driver, undefined, { writable: {} }));
  await driver.write('article/broken.md', new TextEncoder().encode('---\ntitle: [\n---\n'), {
    ifRevision: null,
  });
});

const send = (method: string, path: string, body: object) =>
  ask(handle, method, `/api/content/articles${path}`, { body });

it.each([false, true, 0, 1])('a string status rejects %s', async (status) => {
  const { status: code, json } = await send('PATCH', '/moon', { status });
  expect(code).toBe(422);
  expect(json.error).toMatchObject({ source: { pointer: '/status' } });
  expect((await send('PATCH', '/moon', { status: 'live' })).status).toBe(201);
});

it('an id with a backslash is a 422, because pages cannot be built at its address', async () => {
  expect((await send('POST', '', { id: 'a\\b', title: 'x' })).status).toBe(422);
});

it('the title of a removed entity or of a file with errors gives the next free name', async () => {
  expect((await send('DELETE', '/moon', {})).status).toBe(204);
  const idOf = async (title: string) => (await send('POST', '', { title, status: 'live' })).json.data.id;
  expect([await idOf('Moon'), await idOf('Broken')]).toEqual(['moon-2', 'broken-2']);
});

it('the id of a file with errors is a 409', async () => {
  expect((await send('POST', '', { id: 'broken', title: 'x' })).status).toBe(409);
  expect((await send('POST', '', { id: 'other', title: 'x' })).status).toBe(201);
});
