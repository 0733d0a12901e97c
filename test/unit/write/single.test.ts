import { describe, expect, it } from 'vitest';
import { siteLanguages } from '../../../integration/core/content/languages.ts';
import { ask } from '../../security/attacked-site.ts';
import { createHandler } from '../../support/handler.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { ATOMIC } from '../../support/operations.ts';
import { adminApp, createServices } from '../../support/services.ts';

const ROOT = { name: 'root', roles: ['administrator'] };
const SITE = { 'settings/site.yaml': 'title: The shore\n', 'article/moon.md': '---\ntitle: The moon\n---\n' };

async function openSite(files: Record<string, string> = SITE) {
  const driver = createMemoryDriver(files);
  const services = await createServices(
    driver,
    { article: {}, settings: {} },
    {
      settings: {
        admin: true,
        languages: siteLanguages({ defaultLocale: 'en', locales: ['en', 'de'] }),
      },
      writable: { options: { single: ['settings'], bin: true } },
    },
  );
  const handle = createHandler(services, { adminApp, bin: true });
  const send = (method: string, path: string, body?: object, headers = {}) =>
    ask(handle, method, `/jsonapi/${path}`, { actor: ROOT, ...(body && { body }), headers });
  const data = (title: string, type = 'node--settings') => ({ data: { type, attributes: { title } } });
  const operate = (...operations: readonly object[]) =>
    send(
      'POST',
      'operations',
      { 'atomic:operations': operations },
      { 'content-type': ATOMIC, accept: ATOMIC },
    );
  return { driver, send, data, operate };
}

describe('a bundle with one entity', () => {
  it('gets no second one, from any address', async () => {
    const { driver, send, data, operate } = await openSite();
    const { status, json } = await send('POST', 'node/settings', data('Another'));
    expect([status, json.errors]).toEqual([
      409,
      [
        expect.objectContaining({
          code: 'single-exists',
          detail: "The bundle 'settings' has one entity, which exists already. Change that one.",
          source: { pointer: '/data' },
          meta: { type: 'node--settings' },
        }),
      ],
    ]);
    expect((await send('POST', '_drafts', data('Another'))).status).toBe(409);
    const refused = await operate(
      { op: 'add', ...data('Sun', 'node--article') },
      { op: 'add', ...data('Another') },
    );
    expect([refused.status, refused.json.errors[0].source.pointer]).toEqual([
      409,
      '/atomic:operations/1/data',
    ]);
    expect((await driver.list()).files.map(({ key }) => key).sort()).toEqual(Object.keys(SITE).sort());
    expect((await send('POST', 'node/article', data('Sun', 'node--article'))).status).toBe(201);
  });

  it('gets its first one, translations, and another in its place', async () => {
    const { send, data, operate } = await openSite({ 'article/moon.md': '---\ntitle: The moon\n---\n' });
    const first = await send('POST', 'node/settings', data('The shore'));
    expect(first.status).toBe(201);
    const { id } = first.json.data;
    const german = { data: { type: 'node--settings', id, attributes: { title: 'Die Küste' } } };
    expect((await send('POST', `node/settings/${id}?langCode=de`, german)).status).toBe(201);
    expect((await send('DELETE', `node/settings/${id}?langCode=de`)).status).toBe(204);
    const replaced = await operate(
      { op: 'remove', ref: { type: 'node--settings', id } },
      { op: 'add', ...data('The beach') },
    );
    expect(replaced.status).toBe(200);
    expect((await send('POST', 'node/settings', data('Another'))).status).toBe(409);
    const [removed] = (await send('GET', '_bin')).json.data;
    expect((await send('POST', `_bin/${removed.id}`)).status).toBe(409);
  });
});
