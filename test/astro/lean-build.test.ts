import { existsSync, globSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { copySite, type Site, tryBuild } from './site.ts';

const CLIENT =
  "import { entities } from 'astro-jsonapi/client'; console.log(await entities('article').all());";
const page = (script: string) => `<html><body><p>Search</p>${script}</body></html>`;

describe('a build without an adapter', () => {
  let site: Site;
  beforeAll(() => {
    site = copySite('plain', 'lean-build');
  });
  afterAll(() => site?.remove());

  async function built(options: object, body: string) {
    writeFileSync(site.file('src/pages/index.astro'), page(body));
    const { code, output } = await tryBuild(site, { JSONAPI_OPTIONS: JSON.stringify(options) });
    return { code, output, has: (name: string) => existsSync(site.file('dist', name)) };
  }

  it('writes documents, and no snapshot, service worker, explorer or description', async () => {
    const { code, output, has } = await built({}, '');
    expect([code, output]).toEqual([
      0,
      expect.stringMatching(/Published \d+ JSON documents: [\d.]+ kB, in /),
    ]);
    expect(has('jsonapi/node/article.json')).toBe(true);
    const others = ['jsonapi/snapshot', 'jsonapi-worker.js', 'jsonapi-explorer', 'jsonapi/openapi.json'];
    expect(others.filter(has)).toEqual([]);
  });

  it('applies one limit and the default of the other, and reports the documents it left out and why', async () => {
    const { code, output, has } = await built({ static: { documents: { files: 5 } } }, '');
    expect(code).toBe(0);
    expect(output).toMatch(
      /Left out of the JSON documents: the files of single entities, because all would be \d+ files, and at most 5 are allowed\./,
    );
    expect(has('jsonapi/node/article.json')).toBe(true);
    expect(globSync('jsonapi/node/article/*', { cwd: site.file('dist') })).toEqual([]);
  });

  it('shows a mistaken option without a hint of Astro about browsers', async () => {
    const { output } = await built({ static: { documents: 5 } }, '');
    expect(output).toContain('Option static.documents cannot be 5.');
    expect(output).not.toContain('Browser APIs');
  });

  it('writes nothing with static: false', async () => {
    const { code, output } = await built({ static: false }, '');
    expect([code, output.includes('Published')]).toEqual([0, false]);
    expect(globSync('{jsonapi,api}*', { cwd: site.file('dist') })).toEqual([]);
  });

  it('writes the snapshot if a script of a page imports the client', async () => {
    const { code, output, has } = await built({}, `<script>${CLIENT}</script>`);
    expect([code, output]).toEqual([
      0,
      expect.stringMatching(/Published \d+ JSON documents, \d+ files? of the snapshot/),
    ]);
    expect(has('jsonapi/snapshot/manifest.json')).toBe(true);
  });

  it.each([
    [
      'astro-jsonapi/client',
      { static: { queries: false } },
      `<script>${CLIENT}</script>`,
      'static: { queries: true',
    ],
    [
      'jsonapi-worker.js',
      {},
      "<script is:inline>navigator.serviceWorker.register('/jsonapi-worker.js')</script>",
      'static: { worker: true',
    ],
    ['the OpenAPI description', {}, '<a href="/jsonapi/openapi.json">API</a>', 'static: { openapi: true'],
    ['the query explorer', {}, '<a href="/jsonapi-explorer/">Explorer</a>', 'explorer: true })'],
    [
      'astro-jsonapi/client',
      { static: false },
      `<script>${CLIENT}</script>`,
      'static: { queries: true } }), and remove static: false',
    ],
  ])(
    'fails if a page uses %s with the options %o, and shows the line',
    async (needs, options, body, line) => {
      const { code, output } = await built(options, body);
      expect(code).not.toBe(0);
      expect(output).toContain(
        `uses ${needs}, which this build does not write. In astro.config: jsonapi({ ${line}`,
      );
    },
  );
});
