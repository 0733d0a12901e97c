import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { emptyProject, installPacked, type PackedPackage, writeFiles } from './packed.ts';
import { build, REPOSITORY, run, type Site, serve } from './site.ts';

const CONFIG = `
import node from '@astrojs/node';
import jsonapi from 'astro-jsonapi';
export default {
  ...(process.env.SERVER && { adapter: node({ mode: 'standalone' }) }),
  integrations: [jsonapi()],
};`;

/** Typical Markdown without our conventions: no schema, no title, a string status and a key that JSON:API forbids. */
const FILES = {
  'package.json':
    '{ "name": "somebody", "type": "module", "private": true, "dependencies": { "astro-jsonapi": "*" } }',
  'astro.config.mjs': CONFIG,
  'content/eip/eip-1.md':
    '---\neip: 1\ntype: Meta\nstatus: Living\nauthor: A <a@example.org>\n---\n# Purpose\n\nWords.\n',
  'content/eip/eip-2.md': '---\neip: 2\ntype: Core\nstatus: Draft\n---\nNo heading.\n',
  'src/pages/index.astro': `---
import { entities } from 'astro-jsonapi:content';
const all = await entities('eip').where('eip', '>', 0).sort('eip').all();
---
<p>{all.map((eip) => eip.title)}</p>`,
};

describe('the packed package in an empty Astro project', () => {
  let site: Site;
  let packed: PackedPackage;

  beforeAll(async () => {
    site = emptyProject();
    writeFiles(site, FILES);
    packed = await installPacked(site, ['@astrojs/node']);
  });
  afterAll(() => site?.remove());

  it('contains the library and its documents only', () => {
    const outside = packed.files
      .map((file) => file.path)
      .filter(
        (file) =>
          !/^(dist\/.*\.(js|d\.ts)|dist\/admin\/explorer\/app\.css|dist\/admin\/app\/[\w.-]+\.(js|css)\.(br|gz)|dist\/admin\/(app|explorer)\/licenses-[\w-]+\.md|dist\/admin\/app\/manifest\.json|docs\/.*|dist\/search\.astro|package\.json|[A-Z]+\.md|LICENSE)$/.test(
            file,
          ),
      );
    expect(outside).toEqual([]);
    expect(packed.files.map((file) => file.path)).toContain('dist/index.js');
  });

  it('contains the licenses of the packages that its bundles contain', () => {
    const textIn = (name: string) => readFileSync(path.join(REPOSITORY, 'dist/admin', name), 'utf8');
    const licenses = packed.files.map((file) => file.path).filter((name) => name.includes('/licenses-'));
    expect(licenses).toEqual(
      [
        'app/licenses-admin.md',
        'explorer/licenses-explorer.md',
        'explorer/licenses-service-worker.md',
        'explorer/licenses-snapshot.md',
      ].map((name) => `dist/admin/${name}`),
    );
    expect(textIn('app/licenses-admin.md')).toMatch(/## svelte -[^#]+Permission is hereby granted/);
    expect(textIn('explorer/licenses-snapshot.md')).toMatch(/## lunr -[^#]+Permission is hereby granted/);
  });

  it('contains every file that its README, and the pages that this links to, link to', () => {
    const files = new Set(packed.files.map((file) => file.path));
    const missing = [...files]
      .filter((file) => file.endsWith('.md'))
      .flatMap((file) => missingLinks(file, files));
    expect(missing).toEqual([]);
  });

  it('links to its source, its home page and its issues', () => {
    const { repository, homepage, bugs, author } = JSON.parse(
      readFileSync(site.file('node_modules/astro-jsonapi/package.json'), 'utf8'),
    );
    const page = repository.url.replace(/^git\+(.*)\.git$/, '$1');
    expect({ homepage, bugs, author }).toEqual({
      homepage: `${page}#readme`,
      bugs: `${page}/issues`,
      author: /Copyright \(c\) \d+ (.*)/.exec(readFileSync(path.join(REPOSITORY, 'LICENSE'), 'utf8'))?.[1],
    });
  });

  it('brings a command line that reads the options of the site', async () => {
    const { bin } = JSON.parse(readFileSync(site.file('node_modules/astro-jsonapi/package.json'), 'utf8'));
    const main = site.file('node_modules/astro-jsonapi', bin['astro-jsonapi']);
    expect(readFileSync(main, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
    const checked = await run(process.execPath, [main, 'check'], site.dir);
    expect(checked).toEqual({
      code: 0,
      output: expect.stringMatching(/^✓ content: 2 entities in 1 bundle, no problems \(/),
    });
    const printed = await run(process.execPath, [main, 'schema', '--print'], site.dir);
    expect(printed.output).toContain('    eip: z.int(),\n');
    const rendered = await run(process.execPath, [main, 'query', 'node/eip/eip-1'], site.dir);
    expect(rendered.output).toContain('<h1 id=\\"purpose\\">');
  });

  it('builds a static site', async () => {
    await build(site, {}, 'static');
    expect(readFileSync(site.file('static/index.html'), 'utf8')).toContain('Purpose');
    const document = JSON.parse(readFileSync(site.file('static/jsonapi/node/eip/eip-1.json'), 'utf8'));
    expect(document).toMatchObject({
      data: { id: 'eip-1', attributes: { title: 'Purpose', eip: 1, field_type: 'Meta', status: 'Living' } },
    });
  });

  it('builds and runs a server without a markdown processor of its own', async () => {
    await build(site, { SERVER: '1' });
    const server = await serve(site);
    try {
      const answer = await fetch(`${server.origin}/jsonapi/node/eip?filter[field_type]=Meta`);
      expect(await answer.json()).toMatchObject({ data: [{ id: 'eip-1' }], meta: { count: 1 } });
      writeFileSync(
        site.file('content/eip/eip-1.md'),
        '---\neip: 1\ntype: Meta\nstatus: Living\n---\n# Purpose\n\nNew *words*.\n',
      );
      await eventually(async () => {
        const text = await (await fetch(`${server.origin}/api/content/eips/eip-1`)).text();
        expect(text).toContain('<em>words</em>');
      });
    } finally {
      await server.stop();
    }
  });
});

/** Links of a Markdown file to files of the repository that the package lacks. */
function missingLinks(file: string, packed: ReadonlySet<string>): readonly string[] {
  const text = readFileSync(path.join(REPOSITORY, file), 'utf8').replace(/^```.*?^```/gms, '');
  return [...text.matchAll(/\]\(([^)#\s]+)[^)]*\)|(?:src|href)="([^"#]+)"/g)]
    .map(([, link, attribute]) =>
      path.posix.join(path.posix.dirname(file), decodeURI(link ?? attribute ?? '')),
    )
    .filter((target) => existsSync(path.join(REPOSITORY, target)) && !packed.has(target))
    .map((target) => `${file} links to ${target}`);
}
