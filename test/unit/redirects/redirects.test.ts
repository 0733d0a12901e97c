import { describe, expect, it } from 'vitest';
import { type Actor, ANONYMOUS } from '../../../integration/core/access/actor.ts';
import { redirectProblems } from '../../../integration/features/redirects/problems.ts';
import { parseRedirects } from '../../../integration/features/redirects/redirect-file.ts';
import { ask } from '../../security/attacked-site.ts';
import { createHandler } from '../../support/handler.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { ATOMIC } from '../../support/operations.ts';
import { adminApp, createServices, type TestSite } from '../../support/services.ts';

const ROOT: Actor = { name: 'root', roles: ['administrator'] };
const WRITER: Actor = { name: 'wren', roles: ['writer'] };
const JSONAPI = 'application/vnd.api+json';
const KEY = '_redirects.yaml';
const MOON = entry('Moon', '/moon');
const SUN = entry('Sun', '/sun');

function entry(title: string, alias: string, more = ''): string {
  return `---\ntitle: ${title}\npath: { alias: ${alias} }\n${more}---\n`;
}

async function openSite(files: Readonly<Record<string, string>>, settings = {}, more: TestSite = {}) {
  const driver = createMemoryDriver(files);
  const written: (readonly string[])[] = [];
  const services = await createServices(driver, undefined, {
    ...more,
    settings: { admin: true, ...settings },
    roles: {
      writer: { permissions: [{ actions: ['view', 'update'], bundles: ['article'] }] },
    },
    writable: {
      options: {},
      onWritten: (_, keys) => {
        written.push(keys);
        return undefined;
      },
    },
  });
  const handle = createHandler(services, { adminApp });
  const send = (method: string, path: string, body?: object, actor: Actor = ROOT, type = JSONAPI) =>
    ask(handle, method, path, { actor, ...(body && { body, headers: { 'content-type': type } }) });
  const patch = (id: string, attributes: object, language = '') =>
    send('PATCH', `${language}/jsonapi/node/article/${id}`, {
      data: { type: 'node--article', id, attributes },
    });
  return {
    driver,
    services,
    written,
    send,
    patch,
    move: (id: string, alias: string | null, language = '') => patch(id, { path: { alias } }, language),
    async file() {
      const bytes = await driver.read(KEY);
      return bytes && new TextDecoder().decode(bytes);
    },
    async lines() {
      const bytes = await driver.read(KEY);
      return new TextDecoder()
        .decode(bytes)
        .split('\n')
        .filter((line) => /^[^#]/.test(line));
    },
    /** The target of an old address for a visitor; undefined without a redirect. */
    async visit(path: string, actor = ANONYMOUS) {
      const url = `http://localhost/_redirect?path=${encodeURIComponent(path)}`;
      const response = await handle(new Request(url), { actor });
      return response?.status === 301 ? response.headers.get('location') : undefined;
    },
  };
}

describe('a changed address', () => {
  it('leaves a redirect to the entry, in the same operation', async () => {
    const { move, file, visit, written } = await openSite({ 'article/moon.md': MOON });
    expect((await move('moon', '/luna')).status).toBe(200);
    expect(await file()).toBe(
      '# Old addresses and their targets: an entry, a path of the site, or an https address.\n/moon: node--article/moon\n',
    );
    expect(written).toEqual([['article/moon.md', KEY]]);
    expect(await visit('/moon')).toBe('/luna');
    expect(await visit('/moon/?page=2')).toBe('/luna?page=2');
    expect(await visit('/luna')).toBeUndefined();
  });

  it('does not build chains: each old address leads to the present one', async () => {
    const { move, lines, visit } = await openSite({ 'article/moon.md': MOON });
    await move('moon', '/luna');
    await move('moon', '/selene');
    expect(await lines()).toEqual(['/moon: node--article/moon', '/luna: node--article/moon']);
    expect([await visit('/moon'), await visit('/luna')]).toEqual(['/selene', '/selene']);
  });

  it('that is taken back removes its redirect', async () => {
    const { move, lines, visit } = await openSite({ 'article/moon.md': MOON });
    await move('moon', '/luna');
    await move('moon', '/moon');
    expect(await lines()).toEqual(['/luna: node--article/moon']);
    expect([await visit('/moon'), await visit('/luna')]).toEqual([undefined, '/moon']);
  });

  it('gives way to another entry that takes it, once that entry is published', async () => {
    const files = { 'article/moon.md': MOON, 'article/sun.md': entry('Sun', '/sun', 'status: false\n') };
    const { move, patch, lines, visit } = await openSite(files);
    await move('moon', '/luna');
    await move('sun', '/moon');
    expect(await lines()).toEqual(['/moon: node--article/moon']);
    expect(await visit('/moon')).toBe('/luna');
    await patch('sun', { status: true });
    expect(await lines()).toEqual([]);
  });

  it('of an entry that was not published leaves no redirect', async () => {
    const { move, file } = await openSite({ 'article/moon.md': entry('Moon', '/moon', 'status: false\n') });
    await move('moon', '/luna');
    expect(await file()).toBeUndefined();
  });

  it('that follows from a pattern leaves a redirect too', async () => {
    const driver = createMemoryDriver({ 'article/moon.md': '---\ntitle: Moon\n---\n' });
    const services = await createServices(driver, undefined, {
      aliases: { article: '/articles/[title]' },
      writable: { options: {} },
    });
    const attributes = { title: 'The moon' };
    const body = { data: { type: 'node--article', id: 'moon', attributes } };
    await ask(createHandler(services), 'PATCH', '/jsonapi/node/article/moon', { actor: ROOT, body });
    const text = new TextDecoder().decode(await driver.read(KEY));
    expect(text).toContain('\n/articles/moon: node--article/moon\n');
  });

  it('keeps the comments and the other lines of the file', async () => {
    const text = '# By hand\n/about-us: /about # since 2024\n\n# Shop\n"/shop": https://shop.example/\n';
    const { move, file } = await openSite({ 'article/moon.md': MOON, [KEY]: text });
    await move('moon', '/luna');
    expect(await file()).toBe(`${text}/moon: node--article/moon\n`);
    await move('moon', '/moon');
    expect(await file()).toContain(text);
  });

  it('turns redirects to the path into redirects to the entry', async () => {
    const { move, lines, visit } = await openSite({ 'article/moon.md': MOON, [KEY]: '/old: /moon\n' });
    expect(await visit('/old')).toBe('/moon');
    await move('moon', '/luna');
    expect(await lines()).toEqual(['/old: node--article/moon', '/moon: node--article/moon']);
    expect(await visit('/old')).toBe('/luna');
  });

  it('is not stored if the file of redirects cannot be read', async () => {
    const broken = '<<<<<<< HEAD\n/a: /b\n';
    const { move, file, driver } = await openSite({ 'article/moon.md': MOON, [KEY]: broken });
    const { status, json } = await move('moon', '/luna');
    expect([status, json.errors[0].code]).toEqual([409, 'redirects-unreadable']);
    expect(await file()).toBe(broken);
    expect(new TextDecoder().decode(await driver.read('article/moon.md'))).toBe(MOON);
  });

  it('belongs to a language', async () => {
    const languages = {
      all: [
        { code: 'en', path: 'en', names: ['en'] },
        { code: 'fr', path: 'fr', names: ['fr'] },
      ],
      default: 'en',
      fallback: {},
    };
    const { move, lines, visit } = await openSite(
      { 'article/moon.md': MOON, 'article/moon.fr.md': entry('Lune', '/lune') },
      { languages },
    );
    expect((await move('moon', '/la-lune', '/fr')).status).toBe(200);
    expect(await lines()).toEqual(['/fr/lune: node--article/moon']);
    expect([await visit('/fr/lune'), await visit('/lune')]).toEqual(['/fr/la-lune', undefined]);
    await move('moon', '/luna');
    expect(await visit('/moon')).toBe('/luna');
  });
});

describe('several changes in one request', () => {
  it('that swap two addresses leave no redirect', async () => {
    const { send, lines } = await openSite({ 'article/moon.md': MOON, 'article/sun.md': SUN });
    const operation = (id: string, alias: string) => ({
      op: 'update',
      data: { type: 'node--article', id, attributes: { path: { alias } } },
    });
    const operations = [operation('moon', '/between'), operation('sun', '/moon'), operation('moon', '/sun')];
    const body = { 'atomic:operations': operations };
    const { status } = await send('POST', '/jsonapi/operations', body, ROOT, ATOMIC);
    expect(status).toBe(200);
    expect(await lines()).toEqual([]);
  });
});

describe('a redirect', () => {
  it('does not reveal a hidden entry', async () => {
    const files = {
      'article/moon.md': entry('Moon', '/secret', 'status: false\n'),
      [KEY]: '/moon: node--article/moon\n/gone: node--article/gone\n',
    };
    const { visit, send } = await openSite(files);
    expect(await visit('/gone')).toBeUndefined();
    expect(await visit('/moon')).toBeUndefined();
    expect(await visit('/moon', ROOT)).toBe('/secret');
    const translated = await send('GET', '/router/translate-path?path=/moon', undefined, ANONYMOUS);
    expect(translated.status).toBe(404);
  });

  it('is added after a file that has only a comment without a line break', async () => {
    const { move, file } = await openSite({ 'article/moon.md': MOON, [KEY]: '# Keep this note' });
    expect((await move('moon', '/luna')).status).toBe(200);
    expect(await file()).toBe('# Keep this note\n/moon: node--article/moon\n');
  });

  it('keeps queries and targets as valid headers', async () => {
    const { visit } = await openSite({ 'article/moon.md': MOON, [KEY]: '/a: /b\n/x: /100%\n/y: /c%20d\n' });
    expect(await visit('/a?q=東')).toBe('/b?q=%E6%9D%B1');
    expect(await visit('/a?x\r\nSet-Cookie:a=b')).toBe('/b?x%0D%0ASet-Cookie:a=b');
    expect(await visit('/a?q=%41&r')).toBe('/b?q=%41&r');
    expect([await visit('/x'), await visit('/y')]).toEqual(['/100%25', '/c%20d']);
  });

  it('leads over a limited number of others', async () => {
    const chain = Array.from({ length: 60 }, (_, at) => `/n${at}: /n${at + 1}\n`).join('');
    const { visit } = await openSite({ 'article/moon.md': MOON, [KEY]: chain });
    expect([await visit('/n50'), await visit('/n0')]).toEqual(['/n60', undefined]);
  });

  it('is not kept for an address that is too long for the file, which can still change', async () => {
    const long = `/${'k'.repeat(1100)}`;
    const { move, visit } = await openSite({ 'article/moon.md': MOON });
    expect((await move('moon', long)).status).toBe(200);
    expect((await move('moon', '/luna')).status).toBe(200);
    expect([await visit('/moon'), await visit(long)]).toEqual(['/luna', undefined]);
  });

  it('leads to paths and addresses that people write, also one after another', async () => {
    const text =
      '/a: /b\n/b: /c?x=1#top\n/c%20d: https://shop.example/ü\n/l1: /l2\n/l2: /l1\n/self: /self/\n';
    const { visit } = await openSite({ 'article/moon.md': MOON, [KEY]: text });
    expect(await visit('/a')).toBe('/c?x=1#top');
    expect(await visit('/a?y=2')).toBe('/c?x=1&y=2#top');
    expect(await visit('/c%20d')).toBe('https://shop.example/%C3%BC');
    expect([await visit('/l1'), await visit('/self'), await visit('//evil.example')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('is in the translated path for front ends, as in Drupal', async () => {
    const { send } = await openSite({ 'article/moon.md': MOON, [KEY]: '/old: node--article/moon\n' });
    const { status, json } = await send('GET', '/router/translate-path?path=/old', undefined, ANONYMOUS);
    expect(status).toBe(200);
    expect(json.redirect).toEqual([{ from: '/old', to: '/moon', status: '301' }]);
    expect(json.entity.path).toBe('/moon');
    const direct = await send('GET', '/router/translate-path?path=/moon', undefined, ANONYMOUS);
    expect(direct.json.redirect).toBeUndefined();
  });

  it('keeps the base of the site', async () => {
    const files = { 'article/moon.md': MOON, [KEY]: '/old: node--article/moon\n/x: /y\n' };
    const { services } = await openSite(files, { base: '/docs' });
    const visit = async (path: string) => {
      const url = `http://localhost/docs/_redirect?path=${path}`;
      return (await createHandler(services)(new Request(url)))?.headers.get('location');
    };
    expect([await visit('/docs/old'), await visit('/docs/x')]).toEqual(['/docs/moon', '/docs/y']);
  });
});

describe('the list of redirects', () => {
  const add = (from: string, to: string) => ({ data: { type: 'redirect', attributes: { from, to } } });

  it('is read and changed by accounts that may change all content', async () => {
    const { send, lines } = await openSite({
      'article/moon.md': MOON,
      'page/about.md': '---\ntitle: About\n---\n',
    });
    expect((await send('POST', '/jsonapi/_redirects', add('/old/', 'node--article/moon'))).status).toBe(204);
    expect((await send('POST', '/jsonapi/_redirects', add('/shop', 'https://shop.example/'))).status).toBe(
      204,
    );
    const { json } = await send('GET', '/jsonapi/_redirects');
    expect(json.data.map(({ attributes }: { attributes: object }) => attributes)).toEqual([
      {
        from: '/old',
        to: 'node--article/moon',
        resource: { type: 'node--article', id: 'moon' },
        title: 'Moon',
        address: '/moon',
        problem: null,
      },
      {
        from: '/shop',
        to: 'https://shop.example/',
        resource: null,
        title: null,
        address: null,
        problem: null,
      },
    ]);
    expect((await send('DELETE', `/jsonapi/_redirects/${json.data[0].id}`)).status).toBe(204);
    expect(await lines()).toEqual(['/shop: https://shop.example/']);
    expect((await send('GET', '/jsonapi/_redirects', undefined, WRITER)).status).toBe(403);
    expect((await send('POST', '/jsonapi/_redirects', add('/a', '/b'), WRITER)).status).toBe(403);
    expect((await send('GET', '/jsonapi/_redirects', undefined, ANONYMOUS)).status).toBe(401);
  });

  it('is for the same accounts if option `bundles` leaves fields out of the API', async () => {
    const files = {
      'article/moon.md': '---\ntitle: Moon\npath: /moon\nnotes: secret\n---\n',
      'page/about.md': '---\ntitle: About\n---\n',
    };
    const { send } = await openSite(files, {}, { bundleOptions: { article: { fields: { notes: false } } } });
    expect((await send('POST', '/jsonapi/_redirects', add('/old', 'node--article/moon'))).status).toBe(204);
    expect((await send('GET', '/jsonapi/_redirects')).status).toBe(200);
    expect((await send('GET', '/jsonapi/_redirects', undefined, WRITER)).status).toBe(403);
    // Messages about content can have the value of the field.
    expect((await send('GET', '/jsonapi/_status')).json.data.attributes.problems).toBeNull();
  });

  it.each([
    '/jsonapi',
    '/JSONAPI/node/article/old',
    '/api/content/articles',
    '/admin/content',
    '/user/login',
    '/node/12/edit',
  ])('refuses the address %s, which the API or the admin has', async (from) => {
    const { send, file } = await openSite({ 'article/moon.md': MOON }, { signIn: true });
    const { status, json } = await send('POST', '/jsonapi/_redirects', add(from, 'node--article/moon'));
    expect([status, json.errors[0].source.pointer]).toEqual([422, '/data/attributes/from']);
    expect(json.errors[0].detail).toContain(`has the address '${from}'`);
    expect(await file()).toBeUndefined();
    expect((await send('POST', '/jsonapi/_redirects', add('/node/12', 'node--article/moon'))).status).toBe(
      204,
    );
  });

  it('rejects loops, duplicates and invalid targets', async () => {
    const { send, file } = await openSite({ 'article/moon.md': MOON, [KEY]: '/a: /b\n' });
    const rejected = async (from: string, to: string) => {
      const { status, json } = await send('POST', '/jsonapi/_redirects', add(from, to));
      return [status, json.errors[0].source.pointer.split('/').at(-1), json.errors[0].code];
    };
    expect(await rejected('/b', '/a')).toEqual([409, 'to', 'redirect-loop']);
    expect(await rejected('/a', '/c')).toEqual([409, 'from', 'redirect-exists']);
    expect(await rejected('/moon', '/c')).toEqual([409, 'from', 'redirect-hidden']);
    expect(await rejected('/c', 'node--article/none')).toEqual([409, 'to', 'redirect-missing']);
    for (const to of [
      'http://x.example/',
      'javascript:alert(1)',
      '//x.example',
      '/a b',
      'x',
      '/../x',
      'https://a b/',
    ]) {
      expect((await rejected('/c', to)).slice(0, 2), to).toEqual([400, 'to']);
    }
    for (const from of ['c', '//c', '/c?x', '/a/../b', '/c#d', '']) {
      expect((await rejected(from, '/x')).slice(0, 2), from).toEqual([400, 'from']);
    }
    expect(await file()).toBe('/a: /b\n');
  });

  it('names redirects to entries that visitors do not see, and links to old addresses in the status', async () => {
    const { send } = await openSite({
      'article/moon.md': MOON,
      'article/draft.md': '---\ntitle: Draft\nstatus: false\n---\n[Also old](/old)\n',
      'article/tide.md': '---\ntitle: Tide\n---\nSee [the moon](/old), [it](/moon) and [more](/old#top).\n',
      [KEY]: '/old: node--article/moon\n/late: node--article/draft\n',
    });
    const { json } = await send('GET', '/jsonapi/_redirects');
    expect(
      json.data.map(({ attributes }: { attributes: { problem: unknown } }) => attributes.problem),
    ).toEqual(['unpublished', null]);
    const problems = async () => {
      const status = await send('GET', '/jsonapi/_status');
      return status.json.data.attributes.problems.map(
        ({ file, line, column, code }: Record<string, unknown>) => `${file}:${line}:${column} ${code}`,
      );
    };
    expect(await problems()).toEqual([
      '_redirects.yaml:2:1 redirect/unpublished',
      'article/tide.md:4:16 link/moved',
      'article/tide.md:4:46 link/moved',
    ]);
    expect((await send('DELETE', `/jsonapi/_redirects/${json.data[0].id}`)).status).toBe(204);
    expect((await problems())[0]).toBe('article/tide.md:4:16 link/moved');
  });

  it('is checked', async () => {
    const text =
      '/moon: /x\n/l1: /l2\n/l2: /l1\n/gone: node--article/gone\n/hid: node--article/hid\n/ok: node--article/moon\nbad: /x\n/n: 5\n';
    const hidden = '---\ntitle: Hidden\nstatus: false\n---\n';
    const { services } = await openSite({ 'article/moon.md': MOON, 'article/hid.md': hidden, [KEY]: text });
    const problems = redirectProblems(services, parseRedirects(text));
    expect(problems.map(({ key, line, code }) => `${key}:${line} ${code}`)).toEqual([
      '_redirects.yaml:7 redirect/invalid',
      '_redirects.yaml:8 redirect/invalid',
      '_redirects.yaml:1 redirect/hidden',
      '_redirects.yaml:2 redirect/loop',
      '_redirects.yaml:3 redirect/loop',
      '_redirects.yaml:4 redirect/missing',
      '_redirects.yaml:5 redirect/unpublished',
    ]);
  });
});
