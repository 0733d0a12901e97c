import { describe, expect, it } from 'vitest';
import { type Actor, ANONYMOUS } from '../../../integration/core/access/actor.ts';
import type { Roles } from '../../../integration/core/access/role.ts';
import { ask } from '../../security/attacked-site.ts';
import { createHandler } from '../../support/handler.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { adminApp, createServices } from '../../support/services.ts';

const ROOT: Actor = { name: 'root', roles: ['administrator'] };
const WRITER: Actor = { name: 'wren', roles: ['writer'] };
const READER: Actor = { name: 'rex', roles: [] };
const ROLES: Roles = {
  writer: {
    permissions: [
      { actions: ['create'], bundles: ['article'], where: 'unpublished' },
      { actions: ['view'], bundles: ['article'], fields: { view: { except: ['secret'] } } },
    ],
  },
};
const FILES = { 'article/a.md': '---\ntitle: A\nsecret: x\n---\n', 'tag/sea.md': '---\ntitle: Sea\n---\n' };

async function openSite(files: Readonly<Record<string, string>> = FILES) {
  const driver = createMemoryDriver(files);
  const services = await createServices(driver, undefined, {
    settings: { admin: true },
    roles: ROLES,
    writable: { options: {} },
  });
  const handle = createHandler(services, { adminApp });
  const send = (method: string, path: string, actor = ANONYMOUS, body?: object) =>
    ask(handle, method, `/jsonapi/${path}`, { actor, ...(body && { body }) });
  const add = (attributes: object, actor: Actor = ROOT) =>
    send('POST', '_templates', actor, { data: { type: 'template', attributes } });
  const names = async (actor: Actor): Promise<readonly string[]> =>
    (await send('GET', '_templates', actor)).json.data.map(
      ({ attributes }: { attributes: { name: string } }) => attributes.name,
    );
  return { driver, send, add, names };
}

const REPORT = {
  name: 'Report',
  resource_type: 'node--article',
  attributes: { title: 'Report of …', secret: 'only for editors' },
  relationships: {},
};

describe('templates', () => {
  it('are stored beside the content, and never are content', async () => {
    const { driver, add, send, names } = await openSite();
    expect((await add(REPORT)).status).toBe(204);
    expect(await names(ROOT)).toEqual(['Report']);
    const keys = (await driver.list()).files.map(({ key }) => key);
    expect(keys).toContain('.templates/node--article.json');
    expect((await send('GET', 'node/article', ROOT)).json.meta.count).toBe(1);
    expect((await send('GET', '_files/.templates/node--article.json', ROOT)).status).toBe(404);
  });

  it('in a file that cannot be read are not replaced', async () => {
    const key = '.templates/node--article.json';
    const broken = '<<<<<<< HEAD\n[]\n';
    const { driver, add, names } = await openSite({ ...FILES, [key]: broken });
    const { status, json } = await add(REPORT);
    expect([status, json.errors[0].detail]).toEqual([
      409,
      `The file ${key} is not a list of templates. Correct it by hand first.`,
    ]);
    expect(new TextDecoder().decode(await driver.read(key))).toBe(broken);
    expect(await names(ROOT)).toEqual([]);
  });

  it('can be written by hand', async () => {
    const file = JSON.stringify([{ name: 'By hand', attributes: { title: 'Hello' } }, { name: 'Another' }]);
    const { names, send } = await openSite({ ...FILES, '.templates/node--article.json': file });
    expect(await names(ROOT)).toEqual(['Another', 'By hand']);
    const [, { id, attributes, meta }] = (await send('GET', '_templates', ROOT)).json.data;
    expect(attributes).toMatchObject({ attributes: { title: 'Hello' }, relationships: {} });
    expect(meta).toEqual({ removable: true });
    expect((await send('GET', `_templates/${id}`, ROOT)).json.data.attributes.name).toBe('By hand');
    expect((await send('DELETE', `_templates/${id}`, ROOT)).status).toBe(204);
    expect(await names(ROOT)).toEqual(['Another']);
  });

  it('are empty if the file is not a list', async () => {
    const { names } = await openSite({ ...FILES, '.templates/node--article.json': '{"a": 1}' });
    expect(await names(ROOT)).toEqual([]);
  });

  it('are for accounts that may create such entities, without the fields that they may not see', async () => {
    const { add, send, names } = await openSite();
    await add(REPORT);
    await add({ ...REPORT, name: 'Tag', resource_type: 'node--tag' });
    expect(await names(WRITER)).toEqual(['Report']);
    const [{ id, attributes, meta }] = (await send('GET', '_templates', WRITER)).json.data;
    expect(attributes.attributes).toEqual({ title: 'Report of …' });
    expect(meta).toEqual({ removable: false });
    expect(await names(READER)).toEqual([]);
    expect((await send('GET', `_templates/${id}`, READER)).status).toBe(404);
    expect((await send('GET', '_templates')).status).toBe(401);
    expect((await send('DELETE', `_templates/${id}`, WRITER)).status).toBe(403);
    expect((await add({ ...REPORT, name: 'Mine' }, WRITER)).status).toBe(403);
    expect((await add({ ...REPORT, name: 'Mine' }, READER)).status).toBe(404);
    expect(await names(ROOT)).toEqual(['Report', 'Tag']);
  });

  it('have unique names of one line, and a type that exists', async () => {
    const { add, names } = await openSite();
    await add(REPORT);
    const { status, json } = await add(REPORT);
    expect([status, json.errors[0].code]).toEqual([409, 'template-exists']);
    for (const name of ['', ' ', 'a\nb', 'x'.repeat(81), 7, 'a\u0000b']) {
      expect([name, (await add({ ...REPORT, name })).status]).toEqual([name, 400]);
    }
    for (const type of ['node--none', '../../x', 'article', '__proto__']) {
      expect([type, (await add({ ...REPORT, name: 'N', resource_type: type })).status]).toEqual([type, 404]);
    }
    expect((await add({ ...REPORT, name: '../../etc/passwd' })).status).toBe(204);
    expect(await names(ROOT)).toEqual(['../../etc/passwd', 'Report']);
  });

  it('are at most 50 of a type', async () => {
    const all = Array.from({ length: 49 }, (_, index) => ({ name: `T${index}` }));
    const { add } = await openSite({ ...FILES, '.templates/node--article.json': JSON.stringify(all) });
    expect((await add({ ...REPORT, name: 'The last' })).status).toBe(204);
    expect((await add({ ...REPORT, name: 'Too many' })).status).toBe(409);
  });
});
