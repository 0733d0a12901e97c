import { MANIFEST } from './format.ts';
import type { ApiAddress, OpenSite, Site } from './site.ts';

export interface ClientOptions {
  /**
   * The address of the API, relative to the page: with Astro's `base` and option `api.prefix`. Default: that of the Astro
   * site to which the script belongs, else `/jsonapi`.
   */
  readonly base?: string;
  /** Sends all other requests, and reads the files. Default: the browser's `fetch`. */
  readonly fetch?: typeof fetch;
}

/** The address of the API. The integration sets it in the scripts of a site and in its service worker. */
declare const __ASTRO_JSONAPI__: string | undefined;

/** A site with a snapshot. Its engine is loaded when it is needed. */
export interface LazySite {
  /** The path of the API, such as `/docs/jsonapi`. */
  readonly path: string;
  /** Rejects with a TypeError if the engine cannot be loaded, or outside of a browser. The next call tries again. */
  open(): Promise<Site>;
  fetch: typeof fetch;
}

export function createLazySite(
  loadEngine: () => Promise<OpenSite>,
  {
    base = typeof __ASTRO_JSONAPI__ === 'string' ? __ASTRO_JSONAPI__ : '/jsonapi',
    fetch: send = globalThis.fetch.bind(globalThis),
  }: ClientOptions = {},
): LazySite {
  let resolved: URL | undefined;
  let site: Promise<Site> | undefined;

  // Not before the first use: a component may call `createFetch` while the build renders it.
  function root(): URL {
    resolved ??= resolveApi(base);
    return resolved;
  }

  async function open(): Promise<Site> {
    root();
    site ??= loadEngine().then((openSite) => openSite(readFile));
    return site.catch((cause: unknown) => {
      site = undefined;
      throw new TypeError('The query engine cannot be loaded. Reload the page.', { cause });
    });
  }

  async function readFile(name: string, afresh = false): Promise<Uint8Array | undefined> {
    // All files but the manifest have names that change with their content.
    const cache = afresh ? 'reload' : name === MANIFEST ? 'no-cache' : 'default';
    const response = await send(`${root().href}/snapshot/${name}`, { cache });
    if (MISSING.has(response.status)) return undefined;
    if (!response.ok) throw new TypeError(`${response.url} answered with status ${response.status}.`);
    return new Uint8Array(await response.arrayBuffer());
  }

  return {
    get path() {
      return root().pathname;
    },
    open,
    async fetch(input, init) {
      const { url, method, headers, signal } =
        input instanceof Request ? input : new Request(input, withEmptyBody(init));
      const address = addressIn(root(), url);
      if (address === undefined) return send(input, init);
      const request = new Request(url, { method, headers, signal, ...withEmptyBody(init) });
      const answer = async () => {
        // An id may end like the name of a file.
        const file = address === 'file' ? await send(input, init) : undefined;
        if (file?.ok && !isPage(file)) return file;
        const response = await (await open()).answer(request, address, async () => file ?? send(input, init));
        return withUrl(response, url);
      };
      return unlessAborted(request.signal, answer);
    },
  };
}

/** Statuses of missing files. Some hosts, such as S3, answer with a 403. */
const MISSING = new Set([403, 404, 410]);

function resolveApi(base: string): URL {
  const page: string | undefined = globalThis.location?.href;
  if (!URL.canParse(base, page)) {
    throw new TypeError(
      `astro-jsonapi/client reads the files of a site in the browser, and "${base}" has no host here. While pages are built, use astro-jsonapi:content.`,
    );
  }
  const root = new URL(base.replace(/\/$/, ''), page);
  if (root.pathname.endsWith('/jsonapi') && root.search + root.hash === '') return root;
  throw new TypeError(`Option base is the address of the API, such as "/jsonapi", not "${base}".`);
}

/** Undefined for what the API cannot answer. */
export function addressIn({ origin, pathname: api }: URL, url: string): ApiAddress | undefined {
  const { origin: own, pathname } = new URL(url);
  const at = pathname.search(API_PATH);
  if (own !== origin || at === -1) return undefined;
  if (pathname.endsWith('.json')) return 'file';
  const site = api.slice(0, -'/jsonapi'.length);
  return pathname.startsWith(`${site}/`) && pathname.slice(site.length).search(API_PATH) === 0
    ? 'own'
    : 'possible';
}

const API_PATH = /\/(?:jsonapi|api\/content|router\/translate-path)(?:\/|$)/i;

/** A constructed response has no address. */
function withUrl(response: Response, url: string): Response {
  if (response.url !== '') return response;
  return Object.defineProperties(response, {
    url: { value: url.replace(/#.*/, '') },
    clone: { value: () => withUrl(Response.prototype.clone.call(response), url) },
  });
}

/** Rejects like `fetch` as soon as the request is aborted. */
async function unlessAborted<T>(signal: AbortSignal, run: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  return Promise.race([run(), aborted]);
}

/** The body can be read once, and another server may need it. An empty one in its place is as wrong with a GET. */
function withEmptyBody(init: RequestInit = {}): RequestInit {
  return init.body == null ? init : { ...init, body: '' };
}

/** True for the page that some hosts return if a file is missing. */
function isPage({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('text/html') === true;
}
