import { MANIFEST } from './format.ts';
import type { Site } from './site.ts';

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
  /** Rejects with a TypeError if the engine cannot be loaded. The next call tries again. */
  open(): Promise<Site>;
  fetch: typeof fetch;
}

export function createLazySite({
  base = typeof __ASTRO_JSONAPI__ === 'string' ? __ASTRO_JSONAPI__ : '/jsonapi',
  fetch: send = globalThis.fetch.bind(globalThis),
}: ClientOptions): LazySite {
  const root = new URL(base.replace(/\/$/, ''), globalThis.location.href);
  let site: Promise<Site> | undefined;

  function open(): Promise<Site> {
    site ??= import('./site.ts').then(({ openSite }) => openSite(readFile));
    return site.catch((cause: unknown) => {
      site = undefined;
      throw new TypeError('The query engine cannot be loaded. Reload the page.', { cause });
    });
  }

  async function readFile(name: string, afresh = false): Promise<Uint8Array | undefined> {
    // All files but the manifest have names that change with their content.
    const cache = name === MANIFEST ? 'no-cache' : afresh ? 'reload' : 'default';
    const response = await send(`${root.href}/snapshot/${name}`, { cache });
    if (response.status === 404 || response.status === 410) return undefined;
    if (!response.ok) throw new TypeError(`${response.url} answered with status ${response.status}.`);
    return new Uint8Array(await response.arrayBuffer());
  }

  return {
    path: root.pathname,
    open,
    async fetch(input, init) {
      const { url, method, headers, signal } =
        input instanceof Request ? input : new Request(input, withoutBody(init));
      if (!isAddressOf(root, url)) return send(input, init);
      // Without the body, which can be read once: another server may need it.
      const request = new Request(url, { method, headers, signal, ...withoutBody(init) });
      const { answer } = await open();
      return answer(request, () => send(input, init));
    },
  };
}

/** True for addresses that the API of a site can have. Files (`.json`) are not part of it. */
export function isAddressOf({ origin }: URL, url: string): boolean {
  const { origin: own, pathname } = new URL(url);
  return own === origin && !pathname.endsWith('.json') && API_PATH.test(pathname);
}

const API_PATH = /\/(?:jsonapi|api\/content|router\/translate-path)(?:\/|$)/;

function withoutBody({ body: _, ...init }: RequestInit = {}): RequestInit {
  return init;
}
