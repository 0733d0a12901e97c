import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import { cli } from '../cli/cli.ts';
import { build, copySite, REPOSITORY, tryBuild } from './site.ts';

const site = copySite('made-with-0.2', 'upgrade');
mkdirSync(site.file('node_modules'));
symlinkSync(REPOSITORY, site.file('node_modules/astro-jsonapi'));
afterAll(() => site.remove());

it('a site made with version 0.2 builds after `upgrade`, and the second run changes nothing', async () => {
  const text = (name: string) => readFileSync(site.file(name), 'utf8');
  expect((await tryBuild(site)).output).toContain('static.documents');
  const shown = await cli(site.dir, ['upgrade', '--dry-run']);
  expect(shown.stderr).toContain('Nothing was changed.');
  const changed = await cli(site.dir, ['upgrade']);
  expect(changed.stderr).toContain('2 files changed: astro.config.mjs, package.json');
  expect(changed.stdout).not.toContain('by hand');
  expect(text('astro.config.mjs').split('\n')).toEqual([
    '// @ts-check',
    "import { defineConfig } from 'astro/config';",
    "import jsonapi from 'astro-jsonapi';",
    '',
    'export default defineConfig({',
    "  site: 'https://tides.example',",
    '  integrations: [',
    '    jsonapi({',
    '      // Small files for phones',
    '      static: { files: true, openapi: true, worker: true, queries: true, bodies: false, documents: { files: 10000, megabytes: 100 } },',
    "      timeZone: 'Europe/Berlin', // as the authors",
    '    }),',
    '  ],',
    '});',
    '',
  ]);
  expect(text('package.json')).toContain('"astro": "^7.2.4"');
  await build(site);
  for (const file of ['jsonapi-worker.js', 'jsonapi/openapi.json', 'api/content/articles.json']) {
    expect(existsSync(site.file('dist', file)), file).toBe(true);
  }
  const files = [text('astro.config.mjs'), text('package.json')];
  expect((await cli(site.dir, ['upgrade'])).stdout).toContain('Nothing to change');
  expect([text('astro.config.mjs'), text('package.json')]).toEqual(files);
});
