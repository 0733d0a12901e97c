import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { build, copySite, REPOSITORY, run, type Served, type Site, serve } from '../astro/site.ts';
import { WHOLE_IMAGES } from '../support/pictures.ts';
import { describeInBrowser } from './chromium.ts';
import { useTab } from './tab.ts';

const PASSWORD = 'correct horse battery';

describeInBrowser('an editor at a built server, with the files in git', async () => {
  const { page } = await useTab({ viewport: { width: 1440, height: 900 } });
  let site: Site;
  let server: Served;

  beforeAll(async () => {
    site = copySite('written', 'explorer-writes');
    writeFileSync(site.file('.gitignore'), 'dist/\n.astro/\n.astro-jsonapi/\nnode_modules/\n');
    await git('init', '--quiet', '--initial-branch', 'main');
    await git('config', 'user.name', 'Keeper');
    await git('config', 'user.email', 'keeper@site.test');
    await git('add', '--all');
    await git('commit', '--quiet', '--message', 'Content as it was');
    await build(site, { JSONAPI_OPTIONS: JSON.stringify({ editing: { git: { acknowledge: 'commit' } } }) });
    const cli = path.join(REPOSITORY, 'dist/cli/main.js');
    const account = ['account', 'add', 'grace', '--role', 'editor', '--password-stdin'];
    const added = spawnSync(process.execPath, [cli, ...account], { cwd: site.dir, input: PASSWORD });
    expect(added.status, String(added.stderr)).toBe(0);
    server = await serve(site);
  });
  afterAll(async () => {
    await server?.stop();
    site?.remove();
  });

  /** The output of git without the final line break. */
  async function git(...args: readonly string[]): Promise<string> {
    const { code, output } = await run('git', args, site.dir);
    if (code !== 0) throw new Error(`git ${args.join(' ')}: ${output}`);
    return output.trimEnd();
  }
  /** Author and subject of the last commit, with the added and removed lines of each file. */
  const lastCommit = () => git('show', '--numstat', '--format=%an: %s', 'HEAD');
  /** Waits for the response with a job, and for the end of the job. */
  async function committed(text: string): Promise<void> {
    await waitForStatus(`${text}, job in progress`);
    await page.getByText('Job: committed').waitFor();
  }
  const input = (name: string) => page.getByRole('textbox', { name, exact: true });
  const waitForStatus = (text: string) => page.locator('#count').getByText(text, { exact: true }).waitFor();
  /** Opens the explorer in a fresh page, and waits for the stored version. */
  async function explore(hash: string): Promise<void> {
    await page.goto(server.origin);
    await page.goto(`${server.origin}/jsonapi-explorer${hash}`);
    await waitForStatus('Stored version');
  }
  const titles = async (): Promise<readonly string[]> => {
    await page.goto(server.origin);
    return page.getByRole('listitem').allInnerTexts();
  };

  test('signs in at `/user/login`, creates an article, sees it on the site, and finds a clean diff in git', async () => {
    await page.goto(`${server.origin}/jsonapi-explorer#POST/node/article`);
    await page.locator('#builder').getByRole('link', { name: 'Sign in' }).click();
    await page.waitForURL(/\/user\/login\?destination=/);
    await page.getByLabel('Name').fill('grace');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.locator('#account').getByText('Signed in as grace').waitFor();

    await input('title').fill('Low water');
    const author = page.getByRole('combobox', { name: 'field_author' });
    await author.fill('jane');
    await page.getByRole('option', { name: /Jane Low/ }).click();
    await page.getByRole('button', { name: 'Add to field_tags' }).click();
    await page.getByRole('combobox', { name: 'field_tags 1' }).fill('sea');
    await page.getByRole('option', { name: /Sea/ }).click();
    await input('field_rating').fill('4');
    await input('body').fill('All *dry*.');
    await page.getByRole('button', { name: 'Create' }).click();
    await committed('Created');

    expect(await lastCommit()).toBe(
      'grace: Create article "Low water"\n\n9\t0\tcontent/article/low-water.md',
    );
    expect(await git('status', '--porcelain')).toBe('');
    expect(readFileSync(site.file('content/article/low-water.md'), 'utf8')).toMatch(
      /^---\ntitle: Low water\ncreated: \S+\nuid: grace\nfield_author: jane\nfield_rating: 4\nfield_tags: \[sea\]\n---\nAll \*dry\*\.\n$/,
    );

    expect(await titles()).toEqual(['Low water', 'The moon']);
    await page.getByRole('link', { name: 'Low water' }).click();
    await page.getByRole('heading', { name: 'Low water' }).waitFor();
    await page.getByText('by Jane Low').waitFor();
    expect(await page.locator('article em').innerText()).toBe('dry');
  });

  test('changes one value, and one line of the file', async () => {
    await explore('#PATCH/node/article/moon');
    await input('title').fill('The moon again');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await committed('Changed');
    expect(await git('show', '--unified=0', '--no-color', '--format=%an')).toMatch(
      /^grace\n[\s\S]*@@ -3 \+3 @@\n-title: The moon # by heart\n\+title: The moon again # by heart$/,
    );
    expect(await lastCommit()).toContain('1\t1\tcontent/article/moon.md');
    expect(await titles()).toEqual(['Low water', 'The moon again']);
  });

  test('shows a validation error at its input and leaves the file alone', async () => {
    await explore('#PATCH/node/article/moon');
    await input('field_rating').fill('9');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await waitForStatus('Not changed');
    await page.getByText('PATCH 422').waitFor();
    expect(await input('field_rating').getAttribute('aria-invalid')).toBe('true');
    expect(await git('status', '--porcelain')).toBe('');
    await page.getByRole('button', { name: 'Start over' }).click();
  });

  test('does not overwrite the change of another editor', async () => {
    await explore('#PATCH/node/article/moon');
    await input('title').fill('Mine');
    const file = site.file('content/article/moon.md');
    writeFileSync(file, readFileSync(file, 'utf8').replace('Rises *late*.', 'Rises *early*.'));
    await page.getByRole('button', { name: 'Save changes' }).click();
    await waitForStatus('Not changed');
    await page.getByText('PATCH 412').waitFor();
    expect(readFileSync(file, 'utf8')).not.toContain('Mine');
    await page.getByRole('button', { name: 'Load the new version' }).click();
    await expect.poll(() => input('body').inputValue()).toBe('Rises *early*.');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await committed('Changed');
    expect(await lastCommit()).toContain('content/article/moon.md');
  });

  test('opens the form of an entity that was read, uploads an image and refers to it', async () => {
    await page.goto(server.origin);
    await page.goto(`${server.origin}/jsonapi-explorer#/node/article/moon`);
    await page.getByRole('link', { name: 'Change it' }).click();
    await waitForStatus('Stored version');
    await page.getByLabel('field_cover: upload').setInputFiles({
      name: 'moon.png',
      mimeType: 'image/png',
      buffer: Buffer.from(WHOLE_IMAGES['a.png'] ?? []),
    });
    await page.getByText('Uploaded.').waitFor();
    const preview = page.getByRole('img', { name: 'Preview of moon.png' });
    expect(await preview.evaluate((image: HTMLImageElement) => image.decode())).toBeUndefined();
    await page.getByRole('button', { name: 'Save changes' }).click();
    await committed('Changed');
    expect(await lastCommit()).toMatch(/^grace: Update article .*\n\n1\t0\tcontent\/article\/moon\.md$/);
    expect(await git('log', '-2', '--format=%an: %s', '--name-only')).toContain('content/article/moon.png');
    expect(await git('status', '--porcelain')).toBe('');
  });

  test('deletes an article, which disappears from the site', async () => {
    await explore('#DELETE/node/article/low-water');
    await page.getByRole('button', { name: 'Delete …' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await committed('Deleted');
    expect(await lastCommit()).toMatch(
      /^grace: Remove article "Low water"\n\n1\t0\tcontent\/\.bin\/entries\.jsonl\n0\t0\tcontent\/\{article\/low-water\.md => \.bin\/node--article\/low-water-[0-9a-f]{8}\.md\}\n1\t0\tcontent\/_gone\.jsonl$/,
    );
    expect(await git('status', '--porcelain')).toBe('');
    expect(await titles()).toEqual(['Mine']);
  });
});
