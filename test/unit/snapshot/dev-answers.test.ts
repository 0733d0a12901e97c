import { describe, expect, it } from 'vitest';
import { READING_FEATURES } from '../../../integration/features/reading.ts';
import { createStaticAnswers } from '../../../integration/features/static/dev-answers.ts';
import { createSnapshotHandler } from '../../../integration/features/static/handler.ts';
import { openSnapshot } from '../../../integration/features/static/open.ts';
import { snapshotFiles } from '../../../integration/features/static/write.ts';
import { createHandler } from '../../support/handler.ts';
import { fetchFrom } from '../../support/request.ts';
import { staticFiles } from '../../support/services.ts';
import { createMagazine } from '../api/jsonapi/magazine.ts';

const ORIGIN = 'http://127.0.0.1:4321';

function devServer(staticQueries: Readonly<Record<string, string>> = {}) {
  const services = createMagazine({
    base: '/docs',
    pageSize: { default: 2, max: 2, unlimited: true },
    explorer: true,
    staticQueries,
  });
  const warnings: string[] = [];
  const log = { warn: (line: string) => warnings.push(line), error: (line: string) => warnings.push(line) };
  const handle = createStaticAnswers({ services, snapshot, handle: createHandler(services), log });
  async function* snapshot() {
    for await (const { name, bytes } of snapshotFiles(services, { form: '', search: null })) {
      yield { path: `jsonapi/snapshot/${name}`, write: async () => bytes };
    }
  }
  const ask = async (path: string, init?: RequestInit) => {
    const response = await fetchFrom(handle, path, init);
    return { status: response.status, text: await response.text() };
  };
  return { services, warnings: warnings, ask };
}

describe('a dev server without an adapter', () => {
  it('serves every file that the build writes, without warnings', async () => {
    const { services, warnings, ask } = devServer({ latest: '/node/article?sort=-title' });
    const files = await staticFiles(services);
    expect(files.size).toBeGreaterThan(10);
    for (const [path, text] of files) {
      expect(await ask(`/docs/${path}`)).toEqual({ status: 200, text });
    }
    expect(await ask('/docs/jsonapi/index.json', { method: 'HEAD' })).toEqual({ status: 200, text: '' });
    expect(warnings).toEqual([]);
  });

  it('serves the snapshot that scripts query', async () => {
    const { warnings, ask } = devServer();
    const read = async (name: string) => {
      const { status, text } = await ask(`/docs/jsonapi/snapshot/${name}`);
      return status === 200 ? new TextEncoder().encode(text) : undefined;
    };
    const response = await createSnapshotHandler(
      openSnapshot(read),
      READING_FEATURES,
    )(
      new Request(
        `${ORIGIN}/docs/jsonapi/node/article?sort=title&filter[title][operator]=CONTAINS&filter[title][value]=e`,
      ),
    );
    expect(response?.status).toBe(200);
    expect(await response?.json()).toMatchObject({ data: expect.arrayContaining([expect.anything()]) });
    expect((await ask('/docs/jsonapi/snapshot/none.json')).status).toBe(404);
    expect(warnings).toEqual([]);
  });

  it.each([
    '/docs/jsonapi/node/article/draft.json',
    '/docs/jsonapi/node/article.9.json',
    '/docs/jsonapi/%ff.json',
  ])('has no file %s', async (path) => {
    const { ask } = devServer();
    const { status, text } = await ask(path);
    expect(status).toBe(404);
    expect(JSON.parse(text)).toMatchObject({ errors: [{ status: '404' }] });
  });

  it('runs queries like a server, and warns once that the build omits them', async () => {
    const { warnings, ask } = devServer();
    const referer = `${ORIGIN}/docs/jsonapi-explorer`;
    expect((await ask('/docs/jsonapi/node/article', { headers: { referer } })).status).toBe(200);
    const schema = await ask('/docs/jsonapi-explorer/schema.json', { headers: { referer } });
    expect(JSON.parse(schema.text)).toMatchObject({ mode: 'server' });
    expect(warnings).toEqual([]);
    expect((await ask('/docs/jsonapi/node/article?sort=title')).status).toBe(200);
    expect((await ask('/docs/jsonapi/node/article?sort=-title')).status).toBe(200);
    expect(warnings).toEqual([expect.stringContaining('/node/article?sort=title works in astro dev only')]);
  });

  it('names the entry point in the warning', async () => {
    const { warnings, ask } = devServer();
    expect((await ask('/docs/jsonapi')).status).toBe(200);
    expect(warnings).toEqual([expect.stringMatching(/^\/docs\/jsonapi works in astro dev only/)]);
  });

  it('reports a listed query that will fail the build, and serves the documents before it', async () => {
    const { warnings, ask } = devServer({ bad: '/node/nope' });
    expect((await ask('/docs/jsonapi/node/article.json')).status).toBe(200);
    expect((await ask('/docs/jsonapi/q/bad.json')).status).toBe(404);
    expect(warnings).toEqual([expect.stringMatching(/build will fail: Option prebuild\.bad/)]);
  });
});
