import { MANIFEST } from './snapshot/format.ts';
import { createSnapshotHandler } from './snapshot/handler.ts';

export interface ClientOptions {
  /** The address of the API, relative to the page: with Astro's `base` and option `api.prefix`. Default: `/jsonapi`. */
  readonly base?: string;
  /** Sends all other requests, and reads the files. Default: the browser's `fetch`. */
  readonly fetch?: typeof fetch;
}

/**
 * Returns a function like `fetch` that answers the requests of the API, as a server would answer anonymous visitors, from
 * the files of a static site. It passes all other requests on, and those of files (`.json`).
 *
 * ```js
 * const fetch = createFetch();
 * const response = await fetch('/jsonapi/node/article?filter[field_tags.title]=tides&sort=-created');
 * ```
 */
export function createFetch(options: ClientOptions = {}): typeof fetch {
  const { base = '/jsonapi', fetch: send = globalThis.fetch.bind(globalThis) } = options;
  const folder = new URL(`${base.replace(/\/$/, '')}/snapshot/`, globalThis.location.href);
  const handle = createSnapshotHandler(async (name) => {
    // All files but the manifest have names that change with their content.
    const response = await send(new URL(name, folder), name === MANIFEST ? { cache: 'no-cache' } : {});
    if (response.status === 404 || response.status === 410) return undefined;
    if (!response.ok) throw new TypeError(`${response.url} answered with status ${response.status}.`);
    return new Uint8Array(await response.arrayBuffer());
  });
  return async (input, init) => {
    const { url, method, headers, signal } =
      input instanceof Request ? input : new Request(input, withoutBody(init));
    const { origin, pathname } = new URL(url);
    if (origin !== folder.origin || pathname.endsWith('.json') || !API_PATH.test(pathname)) {
      return send(input, init);
    }
    // Without the body, which can be read once: another server may need it.
    const request = new Request(url, { method, headers, signal, ...withoutBody(init) });
    return (await handle(request)) ?? send(input, init);
  };
}

/** Only these paths need the manifest: without one, all others still work. */
const API_PATH = /\/(?:jsonapi|api\/content|router\/translate-path)(?:\/|$)/;

/**
 * Puts `createFetch` in front of the page's `fetch`, for clients that take no function of their own. Returns a function
 * that removes it.
 */
export function install(options: ClientOptions = {}): () => void {
  const original = globalThis.fetch;
  globalThis.fetch = createFetch({ fetch: original.bind(globalThis), ...options });
  return () => {
    globalThis.fetch = original;
  };
}

function withoutBody({ body: _, ...init }: RequestInit = {}): RequestInit {
  return init;
}
