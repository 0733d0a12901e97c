import { spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveSignIn } from '../../scripts/serve-sign-in.ts';
import { build, emptySite, REPOSITORY, type Served, type Site, serve } from './site.ts';

const PARTS = ['astro.config.mjs', 'content', 'public', 'src'];
const PASSWORD = 'low tide at noon';

describe('the demo', () => {
  let site: Site;
  let server: Served;

  beforeAll(async () => {
    site = emptySite('demo');
    for (const name of PARTS) cpSync(path.join(REPOSITORY, name), site.file(name), { recursive: true });
    await build(site);
    const accounts = site.file('accounts.json');
    const add = ['account', 'add', 'demo', '--role', 'administrator', '--password-stdin'];
    const { status, stderr } = spawnSync(
      process.execPath,
      [path.join(REPOSITORY, 'dist/cli/main.js'), ...add, '--accounts', accounts],
      { cwd: site.dir, input: PASSWORD, encoding: 'utf8' },
    );
    expect(status, stderr).toBe(0);
    server = await serve(site, { JSONAPI_ACCOUNTS: accounts });
  });
  afterAll(async () => {
    await server?.stop();
    site?.remove();
  });

  async function getPage(address: string): Promise<string> {
    const response = await fetch(server.origin + address);
    expect(response.status, address).toBe(200);
    return response.text();
  }

  it('has the settings of the site, and the second level of its menu, in each language', async () => {
    const [english, german] = [await getPage('/shore'), await getPage('/de/shore')];
    expect(english).toContain('A field journal of the shore between the tides.');
    expect(german).toContain('Ein Feldtagebuch der Küste zwischen Ebbe und Flut.');
    const links = (page: string) =>
      [...page.slice(page.indexOf('site-footer')).matchAll(/<li><a href="([^"]*)">/g)].map(
        ([, href]) => href,
      );
    const below = ['/field-club', '/colophon', '/shore-code', '/contribute'];
    expect(links(english).slice(0, 5)).toEqual(['/about', ...below]);
    expect(links(german)[0]).toBe('/de/ueber-uns');
    const header = english.slice(english.indexOf('site-header'), english.indexOf('</header>'));
    for (const path of below) expect(header).not.toContain(path);
  });

  it.each([
    ['/', '/de/'],
    ['/page/2', '/de/page/2'],
    ['/shore', '/de/shore'],
    ['/events', '/de/events'],
    ['/journal/limpet-address', '/de/journal/adresse-der-napfschnecke'],
    ['/about', '/de/ueber-uns'],
    ['/people/maren-holt', '/de/people/maren-holt'],
    ['/tags/tides', '/de/tags/tides'],
    ['/events/dawn-low-water-walk', '/de/events/dawn-low-water-walk'],
  ])('links %s and %s to each other', async (english, german) => {
    for (const [address, lang, other, target] of [
      [english, 'en', 'de', german],
      [german, 'de', 'en', english],
    ] as const) {
      const page = await getPage(address);
      expect(page).toContain(`<html lang="${lang}">`);
      expect(switchIn(page)).toEqual({ lang: other, hreflang: other, href: target });
      expect(alternatesIn(page)).toEqual({ en: english, de: german });
    }
  });

  it('opens the admin signed in with a link that has a secret path', async () => {
    const { link, stop } = await serveSignIn(server.origin, 'demo', PASSWORD);
    try {
      const opened = await fetch(link, { redirect: 'manual' });
      expect([opened.status, opened.headers.get('location')]).toEqual([303, `${server.origin}/admin`]);
      const cookie = opened.headers
        .getSetCookie()
        .map((each) => each.split(';', 1)[0])
        .join('; ');
      const nameOf = async (headers: Readonly<Record<string, string>>) =>
        JSON.stringify(await (await fetch(`${server.origin}/jsonapi/_me`, { headers })).json());
      expect(await nameOf({ cookie })).toContain('"demo"');
      expect(await nameOf({})).not.toContain('"demo"');
      const guessed = await fetch(new URL('/', link), { redirect: 'manual' });
      expect([guessed.status, guessed.headers.getSetCookie()]).toEqual([404, []]);
    } finally {
      stop();
    }
  });

  it('leads from a page without a translation to the front page of the other language', async () => {
    const page = await getPage('/journal/two-bulges');
    expect(switchIn(page)).toMatchObject({
      href: '/de/',
      title: expect.stringContaining('nicht auf Deutsch'),
    });
    expect(alternatesIn(page)).toEqual({});
    expect((await fetch(`${server.origin}/de/journal/two-bulges`)).status).toBe(404);
  });

  it('writes dates, numbers and prices by the rules of the language', async () => {
    const [story, event] = ['journal/adresse-der-napfschnecke', 'events/dawn-low-water-walk'];
    expect(await getPage(`/de/${story}`)).toMatch(/12\. November 2026[\s\S]*\+3,1 m/);
    expect(await getPage('/journal/limpet-address')).toMatch(/12 November 2026[\s\S]*\+3\.1 m/);
    expect(await getPage(`/de/${event}`)).toMatch(/8\. April 2027[\s\S]*9,50\s£/);
    expect(await getPage(`/${event}`)).toMatch(/8 April 2027[\s\S]*£9\.50/);
  });

  it('lists stories without a translation in English, with links to their English pages', async () => {
    const page = await getPage('/de/');
    expect(page).toMatch(/<h3 lang="en">\s*<a href="\/journal\/two-bulges">Two bulges/);
    expect(page).toMatch(
      /<h2 lang="de">\s*<a href="\/de\/journal\/adresse-der-napfschnecke">Die Napfschnecke/,
    );
  });

  it('has a page at every link', async () => {
    const seen = new Set(['/', '/de/']);
    for (const address of seen) {
      const response = await fetch(server.origin + address);
      expect(response.status, address).toBe(200);
      if (!response.headers.get('content-type')?.startsWith('text/html')) continue;
      for (const [, href = ''] of (await response.text()).matchAll(/<a\s[^>]*?href="(\/[^"#]*)/g)) {
        if (!href.startsWith('/jsonapi')) seen.add(href);
      }
    }
    expect(seen.size).toBeGreaterThan(70);
  });
});

/** The attributes of the link to the other language. */
function switchIn(page: string): Readonly<Record<string, string>> {
  const header = /<header class="site-header"[\s\S]*?<\/header>/.exec(page)?.[0] ?? '';
  return attributesOf(/<a [^>]*hreflang[^>]*>/.exec(header)?.[0] ?? '');
}

/** Paths of the `hreflang` links, by language. */
function alternatesIn(page: string): Readonly<Record<string, string>> {
  const links = [...page.matchAll(/<link rel="alternate"[^>]*>/g)].map(([tag]) => attributesOf(tag));
  return Object.fromEntries(links.map(({ hreflang = '', href = '' }) => [hreflang, new URL(href).pathname]));
}

function attributesOf(tag: string): Record<string, string> {
  return Object.fromEntries([...tag.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, name, value]) => [name, value]));
}
