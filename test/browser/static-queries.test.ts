import { appendFileSync, globSync, writeFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { digestText } from '../../integration/util/revision.ts';
import { build, copySite, type Served, type Site, serveFiles } from '../astro/site.ts';
import { closePages, describeInBrowser, launchBrowser } from './chromium.ts';

const BASE = '/docs';
const PAGE = `<html><body><script>
  import { createFetch, install } from 'astro-jsonapi/client';
  window.send = createFetch({ base: '${BASE}/jsonapi' });
  window.install = () => install({ base: '${BASE}/jsonapi' });
</script></body></html>`;

describeInBrowser('queries on a static host', () => {
  let browser: Browser;
  let site: Site;
  let files: Served;

  beforeAll(async () => {
    site = copySite('plain', 'static-queries');
    writeFileSync(site.file('src/pages/queries.astro'), PAGE);
    // Small files of a snapshot are in its manifest.
    const words = Array.from({ length: 1000 }, (_, at) => digestText(String(at)));
    writeFileSync(
      site.file('content/article/long.md'),
      `---\ntitle: Long\nrating: 1\n---\n${words.join(' ')}\n`,
    );
    await buildSite();
    [browser, files] = await Promise.all([launchBrowser(), serveFiles(site.file('dist'), BASE)]);
  });
  afterAll(async () => {
    await closePages(browser);
    await files?.stop();
    site?.remove();
  });

  const buildSite = () => build(site, { BASE: `${BASE}/` });

  async function openPage(): Promise<Page> {
    const page = await browser.newPage();
    await page.goto(`${files.origin}${BASE}/queries/`);
    await page.waitForFunction('window.send');
    return page;
  }

  test('answers queries, both APIs, errors and conditional requests without a server', async () => {
    const page = await openPage();
    const list = await ask(
      page,
      '/jsonapi/node/article?filter[field_author.title]=Ada&sort=-created&fields[node--article]=title',
    );
    expect(list).toMatchObject({ status: 200, type: 'application/vnd.api+json' });
    expect(list.body.data.length).toBeGreaterThan(0);
    expect(list.body.links.self.href).toContain(`${files.origin}${BASE}/jsonapi/node/article?`);
    const included = await ask(page, '/jsonapi/node/article?include=field_author&page[limit]=1');
    expect(included.body.included[0].type).toBe('node--person');
    const search = await ask(page, '/jsonapi/node/article?filter[fulltext]=words');
    expect(search.status).toBe(200);
    expect((await ask(page, '/api/content/articles?sort=title')).body.data.length).toBeGreaterThan(1);
    expect(await ask(page, '/jsonapi/node/article?filter[titel]=x')).toMatchObject({
      status: 400,
      body: { errors: [{ source: { parameter: 'filter[titel]' } }] },
    });
    expect((await ask(page, '/jsonapi/node/article/none')).status).toBe(404);
    expect((await ask(page, '/jsonapi/node/article/hidden')).status).toBe(404);
    expect((await ask(page, '/jsonapi/node/article', { method: 'POST', body: '{}' })).status).toBe(405);
    const { etag } = await ask(page, '/jsonapi/node/article/first');
    expect(
      (await ask(page, '/jsonapi/node/article/first', { headers: { 'if-none-match': etag } })).status,
    ).toBe(304);
  });

  test("works through the page's own fetch, and leaves other requests alone", async () => {
    const page = await openPage();
    const statuses = await page.evaluate(async (base) => {
      const remove = Reflect.get(window, 'install')();
      const before = await fetch(`${base}/jsonapi/node/article?sort=title`);
      const file = await fetch(`${base}/jsonapi/node/article.json`);
      remove();
      const after = await fetch(`${base}/jsonapi/node/article?sort=title`);
      return [before.status, file.status, after.status];
    }, BASE);
    expect(statuses).toEqual([200, 200, 404]);
  });

  test('a damaged or missing file is an error, not a wrong answer', async () => {
    const page = await openPage();
    for (const file of globSync('jsonapi/snapshot/*/body.*', { cwd: site.file('dist') })) {
      appendFileSync(site.file('dist', file), ' ');
    }
    const answer = await ask(page, '/jsonapi/node/article?sort=title');
    expect(answer).toMatchObject({ status: 503, body: { errors: [{ status: '503' }] } });
    await buildSite();
    expect((await ask(page, '/jsonapi/node/article?sort=title')).status).toBe(200);
  });
});

/** Sends a request with the function of the page. */
async function ask(page: Page, path: string, init: RequestInit = {}) {
  return page.evaluate(
    async ([address, options]) => {
      const response: Response = await Reflect.get(window, 'send')(address, options);
      const text = await response.text();
      const { status, headers } = response;
      return {
        status,
        type: headers.get('content-type'),
        etag: headers.get('etag') ?? '',
        body: text === '' ? null : JSON.parse(text),
      };
    },
    [BASE + path, init] as const,
  );
}
