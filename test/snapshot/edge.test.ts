import { Miniflare, Response as WorkerResponse } from 'miniflare';
import { build, type Rolldown } from 'vite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { publishedServices } from '../../integration/core/api/published.ts';
import type { Services } from '../../integration/core/api/request.ts';
import { createFuzzer } from '../conformance/fuzz-requests.ts';
import { vocabularyOf } from '../conformance/fuzz-vocabulary.ts';
import { loadRecordedContent, readCases } from '../conformance/load.ts';
import { createDemoServices } from '../support/demo.ts';
import { createHandler } from '../support/handler.ts';
import { ORIGIN } from '../support/request.ts';
import { createTestSnapshot } from './snapshot.ts';

/** The files of the site, as a Worker reads its assets. */
const WORKER = `
import { createHandler } from '${new URL('../../integration/edge.ts', import.meta.url).pathname}';
let handle;
export default {
  async fetch(request, { ASSETS }) {
    handle ??= createHandler({
      async read(name) {
        const response = await ASSETS.fetch('https://assets/' + name);
        if (response.status === 404) return undefined;
        return new Uint8Array(await response.arrayBuffer());
      },
    });
    return (await handle(request)) ?? new Response('not part of the API', { status: 421 });
  },
};`;

let modules: { type: 'ESModule'; path: string; contents: string }[];
const running = new Set<Miniflare>();
beforeAll(async () => {
  const { output } = (await build({
    configFile: false,
    logLevel: 'error',
    plugins: [
      {
        name: 'worker',
        resolveId: (id) => (id === 'virtual:worker' ? id : undefined),
        load: (id) => (id === 'virtual:worker' ? WORKER : undefined),
      },
    ],
    ssr: { target: 'webworker', noExternal: true },
    build: { write: false, ssr: true, minify: false, rollupOptions: { input: { worker: 'virtual:worker' } } },
  })) as Rolldown.RolldownOutput;
  const chunks = output.filter((file) => file.type === 'chunk');
  chunks.sort((a, b) => Number(b.isEntry) - Number(a.isEntry));
  modules = chunks.map(({ fileName, code }) => ({ type: 'ESModule', path: fileName, contents: code }));
});
afterAll(async () => {
  await Promise.all([...running].map((worker) => worker.dispose()));
});

/** A Worker without Node's modules and globals. `change` can replace files. */
async function startWorker(services: Services, change?: (files: Map<string, Uint8Array>) => void) {
  const { files } = await createTestSnapshot(publishedServices(services), {
    search: { language: 'en', languages: { de: 'de' } },
  });
  change?.(files);
  const worker = new Miniflare({
    modules,
    compatibilityDate: '2026-01-01',
    serviceBindings: {
      ASSETS: ({ url }: { readonly url: string }) => {
        const bytes = files.get(decodeURIComponent(new URL(url).pathname.slice(1)));
        return bytes ? new WorkerResponse(bytes.slice()) : new WorkerResponse(null, { status: 404 });
      },
    },
  });
  running.add(worker);
  return {
    files,
    send: async (target: string, init: { method?: string; headers?: Record<string, string> } = {}) =>
      contentOf((await worker.dispatchFetch(ORIGIN + target, init)) as unknown as Response),
  };
}

interface Content {
  readonly status: number;
  readonly headers: readonly (readonly string[])[];
  readonly body: string;
}

/** What the runtime of a Worker adds for the transfer. */
const TRANSFER = new Set(['content-length', 'mf-content-encoding', 'transfer-encoding']);

async function contentOf(response: Response): Promise<Content> {
  const { status } = response;
  const headers = [...response.headers].filter(([name]) => !TRANSFER.has(name));
  return { status, headers, body: await response.text() };
}

test('a Worker answers recorded requests with the bytes of a server', async () => {
  const services = await loadRecordedContent();
  const serve = createHandler(services);
  const { send } = await startWorker(services);
  const targets = [...new Set(readCases().map(({ path }) => path))];
  let answered = 0;
  for (const target of targets) {
    const seen = await send(target);
    if (seen.status === 421) continue;
    answered++;
    const served = await serve(new Request(ORIGIN + target));
    expect(seen, target).toEqual(await contentOf(served!));
  }
  expect(answered).toBeGreaterThan(600);
});

test('a Worker answers random requests over the demo with the bytes of a server', async () => {
  const services = await createDemoServices();
  const serve = createHandler(services);
  const { send } = await startWorker(services);
  const next = createFuzzer(vocabularyOf(services), 11);
  let answered = 0;
  for (let run = 0; run < 300; run++) {
    const { target, method = 'GET', accept } = next();
    const init = { method, headers: { accept: accept ?? '*/*' } };
    const seen = await send(target, init);
    if (seen.status === 421) continue;
    answered++;
    expect(seen, `${method} ${target}`).toEqual(
      await contentOf((await serve(new Request(ORIGIN + target, init)))!),
    );
  }
  expect(answered).toBeGreaterThan(200);
});

test('a Worker answers conditional requests, and passes on requests outside of the API', async () => {
  const { send } = await startWorker(await createDemoServices());
  const list = await send('/jsonapi/node/article?sort=title&page[limit]=2');
  const etag = new Map(list.headers as [string, string][]).get('etag') ?? '';
  expect(
    await send('/jsonapi/node/article?sort=title&page[limit]=2', { headers: { 'if-none-match': etag } }),
  ).toMatchObject({
    status: 304,
    body: '',
  });
  expect(await send('/about')).toMatchObject({ status: 421 });
});

test('a Worker whose files are missing or damaged answers with a 503', async () => {
  const services = await createDemoServices();
  const missing = await startWorker(services, (files) => files.clear());
  expect(await missing.send('/jsonapi/node/article')).toMatchObject({
    status: 503,
    body: expect.stringContaining('manifest.json'),
  });
  const damaged = await startWorker(services, (files) => {
    for (const name of files.keys()) if (name !== 'manifest.json') files.set(name, new Uint8Array([1]));
  });
  expect(await damaged.send('/jsonapi/node/article?page[limit]=1&sort=title')).toMatchObject({
    status: 503,
    body: expect.stringContaining('damaged'),
  });
});
