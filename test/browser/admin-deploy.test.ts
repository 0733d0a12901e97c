import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { build, emptySite, type Served, type Site, serve, serveDev } from '../astro/site.ts';
import { addAccounts } from '../support/accounts.ts';
import { eventually } from '../support/eventually.ts';
import { runGit, startRepository } from '../support/git-site.ts';
import { axeViolations } from './axe.ts';
import { describeInBrowser, useBrowser } from './chromium.ts';
import { watchFaults } from './page-checks.ts';

const CONFIG = (options: string) => `import { defineConfig } from 'astro/config';
import jsonapi from 'astro-jsonapi';
export default defineConfig({
  devToolbar: { enabled: false },
  integrations: [jsonapi({ editing: { git: true }, bundles: { article: { alias: '/articles/[id]' } }, ${options} })],
});
`;
const FILES: Readonly<Record<string, string>> = {
  'content/article/moon.md': '---\ntitle: The moon\n---\nIt shines.\n',
  'content/article/tide.md': '---\ntitle: The tide\n---\nIt turns.\n',
  'src/pages/index.astro': '<p>Home</p>\n',
  'src/pages/articles/moon.astro': '<h1>The moon</h1>\n',
  'build.mjs': `import { existsSync } from 'node:fs';
if (existsSync('broken')) { console.log('\\u001b[31mThe template has a mistake.\\u001b[0m'); process.exit(1); }
await new Promise((done) => setTimeout(done, 500));
await fetch(process.argv[2] + '/publish', { method: 'POST' });
`,
  '.gitignore': 'dist*\n.astro*\nnode_modules\nbroken\n',
};

describeInBrowser('what is live', async () => {
  const browser = await useBrowser();
  const faults: string[] = [];
  let site: Site;
  let host: Server;
  let origin: string;
  let build: string | undefined;
  let pages: Set<string>;
  let server: Served;
  let context: BrowserContext;
  let page: Page;

  const git = (...args: readonly string[]) => runGit(site.dir, args);
  function publish(): void {
    build = JSON.stringify({ commit: git('rev-parse', 'HEAD'), time: new Date().toISOString() });
    pages = new Set(
      git('ls-files', 'content/article')
        .split('\n')
        .map((file) => `/articles/${path.parse(file).name}`),
    );
  }

  beforeAll(async () => {
    host = createServer((request, response) => {
      const { url = '' } = request;
      if (url === '/publish') publish();
      if (url === '/jsonapi/build.json' && build !== undefined) return response.end(build);
      return response.writeHead(pages.has(url) ? 200 : 404).end('<h1>The published page</h1>');
    });
    host.listen(0, '127.0.0.1');
    await once(host, 'listening');
    origin = `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
    site = emptySite('admin-deploy');
    const command = `node build.mjs ${origin}`;
    const files = {
      ...FILES,
      'astro.config.mjs': CONFIG(`deploy: ${JSON.stringify({ url: origin, command })}`),
    };
    startRepository(site.dir, files);
    publish();
    server = await serveDev(site);
  });
  afterAll(async () => {
    await server?.stop();
    site?.remove();
    host?.closeAllConnections();
    host?.close();
  });
  beforeEach(async () => {
    context = await browser.newContext({ locale: 'en', viewport: { width: 1440, height: 900 } });
    page = await context.newPage();
    watchFaults(page, faults);
  });
  afterEach(async () => {
    await context.close();
    expect(faults.splice(0)).toEqual([]);
  });

  const form = (id: string) => page.goto(`${server.origin}/admin/edit/node/article/${id}`);
  const home = () => page.goto(`${server.origin}/admin`);
  const state = () => page.getByRole('region', { name: 'On the site' });
  const shot = async (name: string) => {
    const { SHOTS } = process.env;
    if (SHOTS !== undefined) await page.screenshot({ path: `${SHOTS}/${name}.png`, fullPage: true });
  };

  test('a change is saved, then in the history, then live after a build, and the link leads to the published page', async () => {
    await form('moon');
    await state().getByText('Visitors see this version.').waitFor();
    await page.getByLabel('Title').first().fill('The new moon');
    await state().getByText('Unsaved changes are not included.').waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await state().getByText('Visitors do not see this version yet.').waitFor();
    await eventually(() => expect(git('status', '--porcelain')).toBe(''));
    const links = page.getByRole('link', { name: 'View on site' });
    expect(await links.first().getAttribute('href')).toBe(`${origin}/articles/moon`);
    await shot('live-form-1440');
    await state().getByRole('button', { name: 'Publish the site' }).click();
    await state()
      .getByText(/^The site is being built/)
      .waitFor();
    await state().getByText('Visitors see this version.').waitFor();
    await home();
    await state().getByText('The site has all changes.').waitFor();
  });

  test('visitors do not see a draft, before and after a build', async () => {
    writeFileSync(site.file('content/article/secret.md'), '---\ntitle: Secret\nstatus: false\n---\n');
    git('add', 'content');
    git('commit', '-q', '-m', 'Secret');
    const check = async () => {
      await form('secret');
      await state().getByText('Visitors do not see this entry: it is not published.').waitFor();
      expect(await state().getByText('Not published', { exact: true }).count()).toBe(1);
      expect(await state().getByRole('button', { name: 'Publish the site' }).count()).toBe(0);
      expect(await page.getByRole('link', { name: 'View on site' }).count()).toBe(0);
    };
    await check();
    publish();
    await check();
    await shot('live-draft-1440');
  });

  test('a new entry has no link until the site has its page', async () => {
    await page.goto(`${server.origin}/admin/new/node/article`);
    await page.getByLabel('Title').first().fill('The shore');
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    await page.getByText('“The shore” is saved. The site shows the change after the next build.').waitFor();
    await state().getByText('Not on the site yet').waitFor();
    expect(await page.getByRole('link', { name: 'View on site' }).count()).toBe(0);
    await state().getByRole('button', { name: 'Publish the site' }).click();
    await page.getByRole('link', { name: 'View on site' }).first().waitFor();
    const [opened] = await Promise.all([
      context.waitForEvent('page'),
      page.getByRole('link', { name: 'View on site' }).first().click(),
    ]);
    await opened.getByRole('heading', { name: 'The published page' }).waitFor();
  });

  test.each([
    ['light', 1440],
    ['dark', 1440],
    ['light', 390],
    ['dark', 390],
  ] as const)(
    'a build that fails shows its last lines; all by keyboard, and axe has nothing to say: %s, %i',
    async (colorScheme, width) => {
      writeFileSync(site.file('broken'), '');
      writeFileSync(site.file('content/article/tide.md'), `---\ntitle: Tide ${colorScheme} ${width}\n---\n`);
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      await home();
      await state()
        .getByText(/is not on the site yet|are not on the site yet/)
        .waitFor();
      await state().getByText('1 file is not in the history yet.').waitFor();
      await state().getByRole('button', { name: 'Publish the site' }).press('Enter');
      await state().getByText('The build failed. The command ended with 1.').waitFor();
      // The failure of the test before is shown until this build begins.
      await eventually(async () => {
        const line = state().getByText('The template has a mistake.', { exact: true });
        if (!(await line.isVisible())) await state().getByText('Last lines of the output').press('Enter');
        expect(await line.isVisible()).toBe(true);
      });
      await shot(`live-home-${colorScheme}-${width}`);
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
      expect(await axeViolations(page)).toEqual([]);
      await page.emulateMedia({ colorScheme });
      await form('tide');
      await state().getByText('Visitors do not see this version yet.').waitFor();
      await state().getByText('The build failed. The command ended with 1.').waitFor();
      await state().scrollIntoViewIfNeeded();
      await shot(`live-form-${colorScheme}-${width}`);
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
      expect(await axeViolations(page)).toEqual([]);
    },
  );
});

describeInBrowser('when visitors see a change on a server that renders pages', async () => {
  const browser = await useBrowser();
  let site: Site;
  let server: Served;
  beforeAll(async () => {
    site = emptySite('admin-served');
    const config = CONFIG('')
      .replace('editing: { git: true }', 'editing: true')
      .replace('import jsonapi', "import node from '@astrojs/node';\nimport jsonapi")
      .replace('integrations:', "adapter: node({ mode: 'standalone' }),\n  integrations:");
    const files = {
      ...FILES,
      'astro.config.mjs': config,
      'src/pages/articles/[id].astro':
        '---\nexport const prerender = false;\n---\n<h1>{Astro.params.id}</h1>\n',
    };
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(path.dirname(site.file(name)), { recursive: true });
      writeFileSync(site.file(name), text);
    }
    await build(site);
    const accounts = site.file('accounts.json');
    await addAccounts(accounts, { eddi: { roles: ['editor'], password: 'a password of the trial' } });
    server = await serve(site, { JSONAPI_ACCOUNTS: accounts });
  });
  afterAll(async () => {
    await server?.stop();
    site?.remove();
  });

  test.each([
    ['light', 1440],
    ['dark', 1440],
    ['light', 390],
    ['dark', 390],
  ] as const)('the form says it in plain words: %s, %i', async (colorScheme, width) => {
    const context = await browser.newContext({ locale: 'en', colorScheme, viewport: { width, height: 900 } });
    const page = await context.newPage();
    await page.goto(`${server.origin}/user/login`);
    await page.getByLabel('Name').fill('eddi');
    await page.getByLabel('Password').fill('a password of the trial');
    await page.keyboard.press('Enter');
    await page.waitForURL(/admin/);
    const loaded: string[] = [];
    page.on('request', (request) => loaded.push(request.url()));
    const form = (id: string) => page.goto(`${server.origin}/admin/edit/node/article/${id}`);
    const state = page.getByRole('region', { name: 'On the site' });
    await form('tide');
    await state.getByText('Visitors see a change as soon as it is saved and published.').waitFor();
    const { SHOTS } = process.env;
    if (SHOTS !== undefined) {
      await state.scrollIntoViewIfNeeded();
      await page.screenshot({ path: `${SHOTS}/served-${colorScheme}-${width}.png` });
    }
    expect(await axeViolations(page)).toEqual([]);
    await form('moon');
    await state.getByText(/^The page of this entry is built in advance/).waitFor();
    // The texts about published sites are not part of this form.
    expect(loaded.filter((url) => url.includes('/_assets/deploy-'))).toEqual([]);
    await context.close();
  });
});

describeInBrowser('the link to the page of an entry on a server', async () => {
  const browser = await useBrowser();
  let site: Site;
  let server: Served;
  beforeAll(async () => {
    site = emptySite('admin-view');
    const config = CONFIG('').replace('editing: { git: true }', 'editing: true');
    for (const [name, text] of Object.entries({ ...FILES, 'astro.config.mjs': config })) {
      mkdirSync(path.dirname(site.file(name)), { recursive: true });
      writeFileSync(site.file(name), text);
    }
    server = await serveDev(site);
  });
  afterAll(async () => {
    await server?.stop();
    site?.remove();
  });

  test('opens the page of an entry, or reports that the site has no such page', async () => {
    const context = await browser.newContext({ locale: 'en' });
    const page = await context.newPage();
    await page.goto(`${server.origin}/admin/edit/node/article/moon`);
    const [opened] = await Promise.all([
      context.waitForEvent('page'),
      page.getByRole('link', { name: 'View on site' }).click(),
    ]);
    await opened.getByRole('heading', { name: 'The moon' }).waitFor();
    expect(await opened.evaluate('window.opener')).toBe(null);
    await page.goto(`${server.origin}/admin/edit/node/article/tide`);
    await page.getByRole('link', { name: 'View on site' }).click();
    await page.getByText(/^The page is not on the site/).waitFor();
    expect(context.pages()).toHaveLength(2);
    await context.close();
  });
});
