import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installStarter, STARTERS } from '../astro/packed.ts';
import { build, runAstro, type Served, type Site, serve, serveFolder } from '../astro/site.ts';

/** Every starter as a user has it after an installation. `test/astro/starters.test.ts` serves the blog. */
describe.each(readdirSync(STARTERS))('the starter %s', (name) => {
  let site: Site;

  beforeAll(async () => {
    site = await installStarter(name);
  });
  afterAll(() => site?.remove());

  it('has no mistakes in its types', async () => {
    const { code, output } = await runAstro(site, ['check']);
    expect(output).toContain('- 0 errors\n- 0 warnings\n- 0 hints');
    expect(code).toBe(0);
  });

  it('builds without a warning', async () => {
    expect(await build(site)).not.toMatch(/\[WARN|warning|\[ERROR/i);
  });

  if (name === 'static') {
    it('is complete on a static host', () => {
      const file = (path: string) => readFileSync(site.file('dist', path), 'utf8');
      expect(file('index.html')).toContain('Chickpea stew');
      expect(file('tags/index.html')).toMatch(/Vegan\s*<span>4<\/span>/);
      expect(file('tags/baked/index.html')).toContain('/recipes/baked-plums');
      expect(file('recipes/tomato-salad/index.html')).toContain('ripe tomatoes');
      expect(JSON.parse(file('jsonapi/q/finder.json')).data).toHaveLength(6);
      expect(JSON.parse(file('jsonapi/q/quick.json')).data.map(({ id }: { id: string }) => id)).toEqual([
        'garlic-toast',
        'green-noodles',
        'tomato-salad',
      ]);
    });
  }

  if (name === 'drupal-front-end') {
    it('shows the content of its Drupal, and reports an unreachable Drupal', async () => {
      const drupal = await serveFolder(site, 'example/content');
      const server = await serve(site, { DRUPAL_URL: drupal.origin });
      try {
        await expectPages(server, [
          ['/', 200, 'A walk without a lamp'],
          ['/journal/first-ridge', 200, 'alt="Violet ridges'],
          ['/tags/mountains', 200, '/journal/long-valley'],
          ['/about', 200, 'a Drupal would send it'],
          ['/about', 200, '<a href="/tags/mountains">Mountains</a>'],
          ['/none', 404, 'The path ends here'],
        ]);
        await drupal.stop();
        await expectPages(server, [
          ['/', 502, 'cannot be reached'],
          ['/about', 502, 'cannot be reached'],
        ]);
      } finally {
        await server.stop();
      }
    });
  }

  it('leaves nothing in git that it generates', () => {
    const ignored = readFileSync(site.file('.gitignore'), 'utf8').split('\n');
    const generated = ['dist/', '.astro/', '.astro-jsonapi/', '.cache/', 'node_modules/'];
    const present = generated.filter((folder) => existsSync(site.file(folder)));
    expect(present.filter((folder) => !ignored.includes(folder))).toEqual([]);
  });
});

async function expectPages(server: Served, pages: readonly (readonly [string, number, string])[]) {
  for (const [address, status, text] of pages) {
    const response = await fetch(server.origin + address);
    expect({ address, status: response.status, text: await response.text() }).toEqual({
      address,
      status,
      text: expect.stringContaining(text),
    });
  }
}
