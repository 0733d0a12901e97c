import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { installStarter, STARTERS } from './packed.ts';
import { build, REPOSITORY, run, type Served, type Site, serve } from './site.ts';

const own = manifestOf(REPOSITORY);
const names = readdirSync(STARTERS);

describe.each(names)('the starter %s', (name) => {
  const dir = path.join(STARTERS, name);
  const { engines, ...manifest } = manifestOf(dir);

  it('has the versions that the package is tested with', () => {
    const used = { ...manifest.dependencies, ...manifest.devDependencies };
    const installed = (name: string) =>
      manifestOf(name === own.name ? REPOSITORY : path.join(REPOSITORY, 'node_modules', name)).version;
    expect(used).toEqual(
      Object.fromEntries(Object.keys(used).map((dependency) => [dependency, `^${installed(dependency)}`])),
    );
    expect(engines).toEqual(own.engines);
  });

  it('is a complete project', () => {
    const files = ['.gitignore', 'README.md', 'astro.config.mjs', 'tsconfig.json', 'src/pages/index.astro'];
    expect(files.filter((file) => !existsSync(path.join(dir, file)))).toEqual([]);
  });

  it('has the command that creates it in its README', () => {
    const readme = readFileSync(path.join(dir, 'README.md'), 'utf8');
    const [, repository] = /github\.com\/(.*)\.git/.exec(own.repository.url) ?? [];
    expect(readme).toContain(`npm create astro@latest -- --template ${repository}/starters/${name}\n`);
  });

  it('has the files and scripts that its README names', () => {
    const readme = readFileSync(path.join(dir, 'README.md'), 'utf8');
    const files = [...readme.matchAll(/`((?:src|content|example)\/[^`]*|[\w.]+\.mjs)`/g)].map(
      ([, file]) => file ?? '',
    );
    expect(files.filter((file) => !existsSync(path.join(dir, file)))).toEqual([]);
    const scripts = [...readme.matchAll(/npm (?:run )?(start|(?<=run )\w+)/g)].map(
      ([, script]) => script ?? '',
    );
    expect(scripts.filter((script) => !(script in manifest.scripts))).toEqual([]);
  });
});

describe('the blog of the starter', () => {
  let site: Site;
  let server: Served;

  beforeAll(async () => {
    site = await installStarter('blog');
    await build(site);
    const account = ['account', 'add', 'ada', '--role', 'editor', '--password-stdin'];
    const main = site.file('node_modules/astro-jsonapi/dist/cli/main.js');
    const added = await run(
      'sh',
      ['-c', `echo '${PASSWORD}' | '${process.execPath}' '${main}' ${account.join(' ')}`],
      site.dir,
    );
    expect(added.code, added.output).toBe(0);
    server = await serve(site);
  });
  afterAll(async () => {
    await server?.stop();
    site?.remove();
  });

  const page = async (address: string) => {
    const response = await fetch(`${server.origin}${address}`);
    return { status: response.status, text: await response.text() };
  };

  it.each([
    ['/', 200, 'A sharp knife in ten minutes'],
    ['/?page=2', 200, 'A quiet chain'],
    ['/?page=3', 404, 'There is nothing here'],
    ['/?page=x', 404, 'There is nothing here'],
    ['/posts/sharp-knife', 200, 'The chair that stopped wobbling'],
    ['/posts/draft', 404, 'There is nothing here'],
    ['/tags', 200, 'Outdoors <span>2</span>'],
    ['/tags/kitchen', 200, 'Bread for patient people'],
    ['/tags/none', 404, 'There is nothing here'],
    ['/search?q=chairs', 200, '/posts/wobbly-chair'],
    ['/search?q=-%20%22', 200, 'Nothing has'],
    ['/about', 200, 'folder of Markdown files'],
    ['/rss.xml', 200, '<link>https://blog.example/posts/newspaper-kite</link>'],
    ['/jsonapi/node/post?filter[tags.title]=repair', 200, '"quiet-chain"'],
  ])('answers %s', async (address, status, text) => {
    const answer = await page(address);
    expect(answer).toEqual({ status, text: expect.stringContaining(text) });
  });

  it('shows no draft in its lists, its feed and its search', async () => {
    for (const address of ['/', '/?page=2', '/rss.xml', '/search?q=draft', '/tags']) {
      expect((await page(address)).text).not.toContain('/posts/draft');
    }
  });

  it('shows a change at once', async () => {
    const response = await fetch(`${server.origin}/api/content/posts/draft`, {
      method: 'PATCH',
      headers: {
        authorization: `Basic ${btoa(`ada:${PASSWORD}`)}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ status: true, title: 'No longer a draft' }),
    });
    expect(response.ok, await response.text()).toBe(true);
    await eventually(async () => expect((await page('/')).text).toContain('No longer a draft'));
    expect(readFileSync(site.file('content/post/draft.md'), 'utf8')).not.toMatch(/^draft:/m);
  });
});

const PASSWORD = 'slack water at noon';

function manifestOf(dir: string) {
  return JSON.parse(readFileSync(path.join(dir, 'package.json'), 'utf8'));
}
