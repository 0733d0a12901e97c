import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it, vi } from 'vitest';
import { emptySite, REPOSITORY } from '../astro/site.ts';
import { cli } from '../cli/cli.ts';
import { createDemoServices } from '../support/demo.ts';
import { createHandler } from '../support/handler.ts';
import { fetchFrom } from '../support/request.ts';

it("the script of docs/migrate/drupal.md turns a JSON:API with Drupal's fields into content without errors", async () => {
  const page = readFileSync(path.join(REPOSITORY, 'docs/migrate/drupal.md'), 'utf8');
  const [, script = ''] = /^```js\n(\/\/ export\.mjs\n.*?)^```$/ms.exec(page) ?? [];
  const site = emptySite('docs-drupal');
  const handle = createHandler(await createDemoServices());
  const { argv } = process;
  try {
    writeFileSync(site.file('export.mjs'), script);
    vi.stubGlobal('fetch', (url: string) => fetchFrom(handle, url));
    process.argv = [...argv.slice(0, 2), 'https://site.example/jsonapi', site.file('content')];
    await import(/* @vite-ignore */ pathToFileURL(site.file('export.mjs')).href);
    const article = readFileSync(site.file('content/article/journal-two-bulges.md'), 'utf8');
    expect(article).toContain('path: /journal/two-bulges\n');
    expect(article).toContain('field_author: person/tobias-quill\n');
    const { stdout } = await cli(site.dir, ['check', '--json']);
    const report: { entities: number; problems: { severity: string }[] } = JSON.parse(stdout);
    expect(report.entities).toBeGreaterThan(50);
    expect(report.problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  } finally {
    process.argv = argv;
    vi.unstubAllGlobals();
    site.remove();
  }
});
