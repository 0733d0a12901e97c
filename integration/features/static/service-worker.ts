import { addressIn, createLazySite } from './fetch.ts';
import { isIntact } from './files.ts';
import { FORMAT, MANIFEST, readManifest } from './format.ts';

/**
 * The service worker of a static site. The build writes it to `jsonapi-worker.js` in the root of the site, behind a line that
 * declares the address of the API. It answers all requests to the API, from any script, element or frame, and keeps the files
 * that it has read, so that they are there without a network.
 */

/** The part of ServiceWorkerGlobalScope that TypeScript's types for pages lack. */
interface WorkerScope {
  readonly clients: { claim(): Promise<void> };
  readonly registration: { update(): Promise<unknown> };
  skipWaiting(): Promise<void>;
  addEventListener(
    type: 'install' | 'activate' | 'fetch',
    listener: (event: {
      readonly request: Request;
      /** The page that sends the request; empty if the browser opens the address. */
      readonly clientId: string;
      respondWith(response: Promise<Response>): void;
      waitUntil(work: Promise<unknown>): void;
    }) => void,
  ): void;
}

const worker = globalThis as unknown as WorkerScope;
const send = globalThis.fetch.bind(globalThis);
const site = createLazySite(() => import('../browser.ts').then(({ openSite }) => openSite), {
  fetch: fetchFile,
});
const root = new URL(site.path, globalThis.location.href);
const folder = `${root.href}/snapshot/`;
const CACHE = `astro-jsonapi ${root.pathname}`;

// A new worker replaces the old one at once: both read the same files.
worker.addEventListener('install', (event) => event.waitUntil(worker.skipWaiting()));
worker.addEventListener('activate', (event) => event.waitUntil(worker.clients.claim()));
worker.addEventListener('fetch', (event) => {
  const { url, method } = event.request;
  if (url.startsWith(folder)) {
    if (method === 'GET') event.respondWith(fetchFile(event.request));
  } else if (addressIn(root, url) !== undefined) event.respondWith(answer(event.request, event.clientId));
});

/** Pages that have sent a request. */
const pages = new Set<string>();

/** A new page may be of a new deployment, so it never gets the content of the one before. */
async function answer(request: Request, page: string): Promise<Response> {
  const isNew = !pages.has(page);
  if (page !== '') pages.add(page);
  if (isNew) (await site.open()).refresh();
  return site.fetch(request);
}

/** Passes requests on, and keeps the files of the snapshot. Without a network, a kept manifest is the current one. */
async function fetchFile(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const request = new Request(input, init);
  const { url } = request;
  if (!url.startsWith(folder)) return send(input, init);
  const cache = await openCache();
  if (cache === undefined) return send(request);
  const isManifest = url === folder + MANIFEST;
  // `reload` asks for a file whose copy is damaged.
  const copy = request.cache === 'reload' ? undefined : await cache.match(url);
  if (copy !== undefined && !isManifest) return copy;
  let response: Response;
  try {
    response = await send(request);
  } catch (error) {
    if (copy !== undefined) return copy;
    throw error;
  }
  if (response.status >= 500 && copy !== undefined) return copy;
  // A full disk must not fail the request.
  if (response.ok) await keep(cache, url, response.clone()).catch(() => undefined);
  return response;
}

/**
 * A new manifest removes the files that it does not name, before it needs space itself. What a host returns for missing files,
 * or a network before its visitors sign in, is not kept.
 */
async function keep(cache: Cache, url: string, response: Response): Promise<void> {
  const bytes = new Uint8Array(await response.clone().arrayBuffer());
  if (url !== folder + MANIFEST) {
    if (isIntact(url, bytes)) await cache.put(url, response);
    return;
  }
  const text = new TextDecoder().decode(bytes);
  const manifest = readManifest(bytes);
  if (manifest === undefined) return;
  // The site has a newer worker.
  if (manifest.format !== FORMAT) worker.registration.update().catch(() => undefined);
  for (const { url: kept } of await cache.keys()) {
    const digest = kept.split('.').at(-2) ?? '';
    if (kept !== url && !text.includes(digest)) await cache.delete(kept);
  }
  await cache.put(url, response);
}

/** Undefined in a browser that stores nothing, such as in some private windows: the worker then reads from the network. */
async function openCache(): Promise<Cache | undefined> {
  try {
    return await caches.open(CACHE);
  } catch {
    return undefined;
  }
}
