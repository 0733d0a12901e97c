import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../eventually.ts';
import { build, REPOSITORY, run, type Site, serve } from './site.ts';

interface PackedPackage {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

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
    const dir = mkdtempSync(path.join(tmpdir(), 'astro-jsonapi-'));
    site = {
      dir,
      file: (...segments) => path.join(dir, ...segments),
      remove: () => rmSync(dir, { recursive: true, force: true }),
    };
    for (const [name, text] of Object.entries(FILES)) {
      mkdirSync(path.dirname(site.file(name)), { recursive: true });
      writeFileSync(site.file(name), text);
    }
    packed = await pack(dir);
    await unpack(site, packed.filename);
    linkDependencies(site);
  });
  afterAll(() => site?.remove());

  it('contains the library and its documents only', () => {
    const outside = packed.files
      .map((file) => file.path)
      .filter(
        (file) =>
          !/^(dist\/.*\.(js|d\.ts)|dist\/admin\/(app|explorer)\/[\w.-]+\.css|dist\/admin\/app\/manifest\.json|docs\/.*|package\.json|README\.md|CHANGELOG\.md|LICENSE)$/.test(
            file,
          ),
      );
    expect(outside).toEqual([]);
    expect(packed.files.map((file) => file.path)).toContain('dist/index.js');
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

/** The library is already built, so the packing scripts are skipped. */
async function pack(destination: string): Promise<PackedPackage> {
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', destination];
  const { code, output } = await run('npm', args, REPOSITORY);
  if (code !== 0) throw new Error(output);
  const [packed]: PackedPackage[] = JSON.parse(output.slice(output.indexOf('[\n')));
  if (packed === undefined) throw new Error(output);
  return packed;
}

async function unpack(site: Site, tarball: string): Promise<void> {
  const target = site.file('node_modules/astro-jsonapi');
  mkdirSync(target, { recursive: true });
  const { code, output } = await run(
    'tar',
    ['-xzf', site.file(tarball), '-C', target, '--strip-components=1'],
    site.dir,
  );
  if (code !== 0) throw new Error(output);
}

/** What npm would install: dependencies, required peers and the adapter only. */
function linkDependencies(site: Site): void {
  const { dependencies, peerDependencies, peerDependenciesMeta } = JSON.parse(
    readFileSync(site.file('node_modules/astro-jsonapi/package.json'), 'utf8'),
  );
  const peers = Object.keys(peerDependencies).filter((name) => !peerDependenciesMeta[name]?.optional);
  for (const name of ['@astrojs/node', ...peers, ...Object.keys(dependencies)]) {
    const link = site.file('node_modules', name);
    mkdirSync(path.dirname(link), { recursive: true });
    symlinkSync(path.join(REPOSITORY, 'node_modules', name), link, 'junction');
  }
}
