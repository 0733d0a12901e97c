import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ATOMIC_MEDIA_TYPE } from '../../integration/core/read/document-types.ts';
import { emptyProject } from '../astro/packed.ts';
import { runAstro, type Served, type Site, serve, serveDev } from '../astro/site.ts';
import { addAccounts } from '../support/accounts.ts';
import { copyAstroSite, npm } from './astro-site.ts';
import { presentRepositories } from './repositories.ts';

interface Trial {
  readonly repository: string;
  readonly type: string;
  readonly id: string;
  /** The page of the entry, and pages that list it. */
  readonly page: string;
  readonly lists: readonly string[];
  /** A field with a date, which the page shows. */
  readonly date?: string;
  /** The list of tags, and the folder of their pages. The field is `tags`. */
  readonly tags?: string;
  readonly feed?: string;
  /** True if a built server shows the saved values. */
  readonly isKept?: boolean;
}

const DAY = '2019-07-23';
/** How a theme writes the day, in its language. */
const SHOWN_DAY = /(?:23|23rd) Jul(?:y)?,? 2019|Jul(?:y)? 23,? 2019|2019-07-23/;

/** Themes as their authors wrote them. All of them read their content with `getCollection`. */
const TRIALS: readonly Trial[] = [
  {
    repository: 'chrismwilliams/astro-theme-cactus',
    type: 'node--post',
    id: 'webmentions',
    page: '/posts/webmentions/',
    lists: ['/posts/', '/', '/tags/webmentions/'],
    date: 'publishDate',
    tags: '/tags',
    feed: '/rss.xml',
  },
  {
    repository: 'zeon-studio/astroplate',
    type: 'node--blog',
    id: 'post-1',
    page: '/blog/post-1',
    lists: ['/blog', '/authors/john-doe', '/tags/nextjs', '/categories/data'],
    date: 'date',
    tags: '/tags',
  },
  {
    repository: 'withastro/starlight',
    type: 'node--docs',
    id: 'guides/example',
    page: '/guides/example/',
    // Starlight keeps its menu in a module, and on a built server all entries.
    lists: [],
    isKept: true,
  },
];

const present = presentRepositories();
const trials = TRIALS.flatMap((trial) => {
  const repository = present.find(({ name }) => name === trial.repository);
  const kinds = ['astro dev', 'a built server'] as const;
  return repository === undefined
    ? []
    : kinds.map((kind) => ({ ...trial, repository, name: trial.repository, kind }));
});

describe.each(trials)('previews of $name in $kind', (trial) => {
  const { repository, kind, type, id, page, lists, date, tags, feed } = trial;
  const follows = kind === 'astro dev' || trial.isKept !== true;
  const TITLE = 'A title that is not saved';
  let site: Site;
  let server: Served;
  let editor: Readonly<Record<string, string>>;

  beforeAll(async () => {
    site = emptyProject();
    await (await copyAstroSite(repository, site))();
    const [config = ''] = globSync('astro.config.*', { cwd: site.dir });
    const text = readFileSync(site.file(config), 'utf8');
    const edited = text.replace(/jsonapi\((?:\{|(?=\)))/, (call) =>
      call.endsWith('{') ? 'jsonapi({ editing: true,' : 'jsonapi({ editing: true }',
    );
    expect(edited).not.toBe(text);
    if (kind === 'astro dev') {
      writeFileSync(site.file(config), edited);
      server = await serveDev(site, { ASTRO_TELEMETRY_DISABLED: '1' });
      const admin = await fetch(`${server.origin}/admin`);
      editor = { cookie: (admin.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '' };
      return;
    }
    const node = edited.replace('defineConfig({', "defineConfig({ adapter: node({ mode: 'standalone' }),");
    expect(node).not.toBe(edited);
    writeFileSync(site.file(config), `import node from '@astrojs/node';\n${node}`);
    await npm(site, ['install', '--no-audit', '--no-fund', '--ignore-scripts', '@astrojs/node@latest']);
    const { code, output } = await runAstro(site, ['build'], { ASTRO_TELEMETRY_DISABLED: '1' });
    expect([code, output.slice(-4000)]).toEqual([0, expect.anything()]);
    const accounts = site.file('accounts.json');
    const { eddi } = await addAccounts(accounts, { eddi: { roles: ['editor'] } });
    editor = { authorization: `Bearer ${eddi}` };
    server = await serve(site, { JSONAPI_ACCOUNTS: accounts });
  });
  afterAll(async () => {
    await server?.stop();
    site?.remove();
  });

  async function previewedPage(attributes: object, at: string) {
    const response = await fetch(`${server.origin}/jsonapi/_preview?path=${encodeURIComponent(at)}`, {
      method: 'POST',
      headers: { 'content-type': ATOMIC_MEDIA_TYPE, origin: server.origin, ...editor },
      body: JSON.stringify({ 'atomic:operations': [{ op: 'update', data: { type, id, attributes } }] }),
    });
    const { meta, errors } = await response.json();
    return meta?.page ?? { text: JSON.stringify(errors) };
  }

  async function preview(attributes: object, at: string): Promise<string> {
    const { html, text } = await previewedPage(attributes, at);
    return html ?? text;
  }

  it.runIf(!follows)('say that the page does not show unsaved values', async () => {
    expect(await previewedPage({ title: TITLE }, page)).toMatchObject({ status: 200, queries: 0 });
  });

  it.runIf(follows).each([page, ...lists])('have an unsaved title: %s', async (at) => {
    const saved = await (await fetch(server.origin + at)).text();
    expect((await preview({ title: TITLE }, at)).includes(TITLE)).toBe(true);
    expect(await (await fetch(server.origin + at)).text()).toBe(saved);
  });

  it.runIf(date)('have an unsaved date', async () => {
    expect(await (await fetch(server.origin + page)).text()).not.toMatch(SHOWN_DAY);
    expect(await preview({ [String(date)]: `${DAY}T12:00:00Z` }, page)).toMatch(SHOWN_DAY);
  });

  it.runIf(tags)('have the page of an unsaved tag', async () => {
    const tag = 'not-saved';
    expect((await fetch(`${server.origin}${tags}/${tag}`)).status).toBe(404);
    const changes = { title: TITLE, tags: [tag] };
    expect((await preview(changes, `${tags}/${tag}`)).includes(TITLE)).toBe(true);
    expect((await preview(changes, String(tags))).includes(`${tags}/${tag}`)).toBe(true);
  });

  it.runIf(feed)('have a feed with an unsaved title', async () => {
    expect((await preview({ title: TITLE }, String(feed))).includes(`<title>${TITLE}</title>`)).toBe(true);
  });

  it.runIf(follows)('have an unsaved text', async () => {
    const html = await preview({ body: { value: '## A new section\n\nText that is *not saved*.\n' } }, page);
    expect(html).toMatch(/A new section/);
    expect(html).toContain('Text that is <em>not saved</em>.');
  });
});
