import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ViteDevServer } from 'vite';
import { z } from 'zod';
import { PAGE_MS, pageBytes } from '../../core/api/page.ts';
import { PageError } from '../../core/api/request.ts';

/** Renders pages of a dev server for code of the same process. */
export interface PageRenderer {
  /** Renders the page at an absolute URL in the asynchronous context of the caller. Rejects if its template fails. */
  render(url: string): Promise<Response>;
  /** Passes a request of a page on. */
  pass(request: IncomingMessage, closed: Promise<void>, next: () => void): void;
}

const HEADER = 'x-astro-jsonapi-render';

/**
 * Astro keeps the result of `getStaticPaths` until content changes. A page that is rendered here can have other content, so
 * other pages wait until Astro has forgotten it again.
 */
export function createPageRenderer(server: ViteDevServer, invalidatePages: () => void): PageRenderer {
  const contexts = new Map<string, ReturnType<typeof AsyncLocalStorage.snapshot>>();
  const rendering = new AsyncLocalStorage<string>();
  const open = new Set<Promise<void>>();
  let last: Promise<unknown> = Promise.resolve();
  let isRendering = 0;

  /** The error that Astro sends to open pages after a failed response. Only the caller gets it. */
  const errors = createErrorReceiver(server);

  async function forgetPaths(): Promise<void> {
    invalidatePages();
    for (const { hot } of Object.values(server.environments)) hot.send('astro:content-changed', {});
    await new Promise(setImmediate);
  }

  async function renderNow(url: string): Promise<Response> {
    await Promise.race([Promise.all(open), sleep(WAIT_MS)]);
    await forgetPaths();
    const token = crypto.randomUUID();
    contexts.set(
      token,
      rendering.run(token, () => AsyncLocalStorage.snapshot()),
    );
    try {
      const { response, error } = await errors.during(() => fetchOwn(server, url, { [HEADER]: token }));
      if (error !== undefined) throw error;
      return response;
    } finally {
      contexts.delete(token);
      await forgetPaths();
    }
  }

  // A page that requests another one of this server would wait for itself. Both have the same content.
  const mark = (message: unknown) => {
    const token = rendering.getStore();
    const { request } = message as FetchMessage;
    if (token !== undefined && isOwn(server, request.origin)) request.addHeader(HEADER, token);
  };
  subscribe(FETCH_CHANNEL, mark);
  server.httpServer?.once('close', () => unsubscribe(FETCH_CHANNEL, mark));

  return {
    render(url) {
      isRendering += 1;
      const rendered = last.then(() => renderNow(url));
      last = rendered
        .catch(() => undefined)
        .finally(() => {
          isRendering -= 1;
        });
      return rendered;
    },
    pass(request, closed, next) {
      const context = contexts.get(String(request.headers[HEADER]));
      if (context !== undefined) {
        delete request.headers[HEADER];
        context(next);
        return;
      }
      const start = () => {
        open.add(closed);
        closed.finally(() => open.delete(closed));
        next();
      };
      if (isRendering === 0) start();
      else last.finally(start);
    },
  };
}

/** Source: undici, which is `fetch` of Node. */
const FETCH_CHANNEL = 'undici:request:create';
interface FetchMessage {
  readonly request: { readonly origin: string; addHeader(name: string, value: string): void };
}

function isOwn({ httpServer }: ViteDevServer, origin: string): boolean {
  const address = httpServer?.address() as AddressInfo | null | undefined;
  const { hostname, port } = new URL(origin);
  return Number(port) === address?.port && [address.address, ...LOOPBACK].includes(hostname);
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** Milliseconds for which a page waits for others, which may never end. */
const WAIT_MS = 2000;

/** Sends a GET request to this server, which may have a self-signed certificate. */
async function fetchOwn(
  { httpServer }: ViteDevServer,
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  const { protocol, host, pathname, search } = new URL(url);
  const address = httpServer?.address() as AddressInfo | null | undefined;
  if (!address) throw new Error('A dev server in middleware mode cannot render previews.');
  const { port, address: hostname } = address;
  const send = protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const request = send({
      ...{ hostname: ANY[hostname] ?? hostname, port, path: pathname + search },
      headers: { ...headers, host, accept: 'text/html', 'sec-fetch-site': 'same-origin' },
      rejectUnauthorized: false,
      // The server can close a connection at the moment at which it is used again.
      agent: false,
      // Other pages wait for this one.
      signal: AbortSignal.timeout(PAGE_MS),
    });
    request.on('error', reject);
    request.on('response', async (response) => {
      try {
        const bytes = await pageBytes(response);
        const { statusCode: status = 500, headers } = response;
        const { 'content-type': type = '', location } = headers;
        const body = [204, 304].includes(status) ? null : bytes;
        const sent = { 'content-type': type, ...(location !== undefined && { location }) };
        resolve(new Response(body, { status, headers: sent }));
      } catch (error) {
        reject(error);
      }
    });
    request.end();
  });
}

/** What a server that listens on all addresses is reached at. */
const ANY: Readonly<Record<string, string>> = { '::': '::1', '0.0.0.0': '127.0.0.1' };

/** Astro sends the error of a failed page to all open pages, soon after the response. */
const ERROR_WITHIN_MS = 1000;

const sentError = z.object({
  type: z.literal('error'),
  err: z.object({
    stack: z.string().optional(),
    loc: z.object({ file: z.string(), line: z.number(), column: z.number().optional() }).partial().optional(),
  }),
});

function createErrorReceiver({ ws, config: { root } }: ViteDevServer) {
  let receive: ((error: PageError) => void) | undefined;
  const send: (...sent: [never]) => void = ws.send.bind(ws);
  ws.send = (...sent: unknown[]) => {
    const { data } = receive === undefined ? {} : sentError.safeParse(sent[0]);
    if (receive === undefined || data === undefined) return send(...(sent as [never]));
    const { stack = '', loc: { file, line, column = 1 } = {} } = data.err;
    const location = file && line ? `${path.relative(root, file)}:${line}:${column}` : undefined;
    receive(new PageError((stack.split('\n    at ')[0] ?? '').replace(/^Error: /, ''), location));
  };
  return {
    /** Sends a request for a page. If its template fails, `error` says why. */
    async during(
      work: () => Promise<Response>,
    ): Promise<{ response: Response; error: PageError | undefined }> {
      let error: PageError | undefined;
      const { promise: received, resolve } = Promise.withResolvers<void>();
      receive = (each) => {
        error = each;
        resolve();
      };
      try {
        const response = await work();
        if (response.status === 500) await Promise.race([received, sleep(ERROR_WITHIN_MS)]);
        return { response, error };
      } finally {
        receive = undefined;
      }
    },
  };
}
