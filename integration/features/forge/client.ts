import type { z } from 'zod';
import { StorageError } from '../../core/storage/errors.ts';
import { DomainError, ServiceUnavailableError } from '../../core/util/errors.ts';
import { LruMap } from '../../core/util/lru-map.ts';

export interface ForgeClientDeps {
  /** For messages, such as `GitHub`. */
  readonly label: string;
  /** The address of the API, without a slash at its end. */
  readonly url: string;
  /** Undefined for public repositories, which can then only be read. */
  readonly token: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Milliseconds until a request without an answer fails. Default: TIMEOUT_MS. */
  readonly timeoutMs?: number | undefined;
  /** Milliseconds before the second and each further attempt to read. Default: RETRY_DELAYS_MS. */
  readonly retryDelaysMs?: readonly number[] | undefined;
}

export interface ForgeRequest {
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PATCH';
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly accept?: string;
}

/** Requests to the API of a git host. Answers that the host has not changed since are not sent again. */
export interface ForgeClient {
  json<S extends z.ZodType>(schema: S, path: string, request?: ForgeRequest): Promise<z.output<S>>;
  bytes(path: string, request?: ForgeRequest): Promise<Uint8Array>;
  headers(path: string, request?: ForgeRequest): Promise<Headers>;
  /** Every page of a list. The host names the next page in the header `Link`. */
  pages<S extends z.ZodType>(schema: S, path: string): Promise<readonly z.output<S>[]>;
}

/** The host does not have a branch or a file, or the token may not see it. */
export class ForgeNotFoundError extends StorageError {
  override readonly name = 'ForgeNotFoundError';
  constructor(label: string, cause: unknown, missing = 'the requested content') {
    super('unavailable', `${label} does not have ${missing}. The server log says more.`, { cause });
  }
}

/** The host has not confirmed a request, so the change may have been made. */
export class ForgeUnconfirmedError extends ServiceUnavailableError {}

/** Milliseconds. */
const TIMEOUT_MS = 8000;
const RETRY_DELAYS_MS = [250, 1000];
/** Seconds after which clients may try again when the host does not say. */
const RETRY_AFTER_S = 5;
/** Seconds without requests after a rate limit, if the host names a later time. */
const MAX_PAUSE_S = 3600;
/** Characters of an error message of the host in the log. */
const MAX_MESSAGE = 300;
/** Answers that are stored to compare their tags. */
const MAX_STORED = 20;

export function createForgeClient(deps: ForgeClientDeps): ForgeClient {
  const { label, url, token, fetch = globalThis.fetch, timeoutMs = TIMEOUT_MS } = deps;
  const { retryDelaysMs = RETRY_DELAYS_MS } = deps;
  const stored = new LruMap<string, StoredAnswer>(MAX_STORED);
  /** Until then, requests fail at once. Milliseconds since the Unix epoch. */
  let pausedUntil = 0;

  async function sendOnce(target: string, { method = 'GET', body, accept }: ForgeRequest): Promise<Response> {
    const pauseS = (pausedUntil - Date.now()) / 1000;
    if (pauseS > 0) throw limited(label, pauseS);
    const etag = method === 'GET' ? stored.get(target)?.etag : undefined;
    let response: Response;
    try {
      response = await fetch(target, {
        method,
        headers: {
          accept: accept ?? 'application/json',
          ...deps.headers,
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(etag !== undefined && { 'if-none-match': etag }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        // A redirect would turn a POST into a GET.
        redirect: isReading(method) ? 'follow' : 'manual',
        signal: AbortSignal.timeout(timeoutMs),
      });
    } catch (error) {
      const isLate = error instanceof Error && error.name === 'TimeoutError';
      const detail = isLate ? `has not responded for ${timeoutMs / 1000} seconds` : 'does not respond';
      throw unanswered(label, method, detail);
    }
    if (response.ok || response.status === 304) return response;
    throw await failure(response, method, target);
  }

  async function failure(response: Response, method: Method, target: string): Promise<Error> {
    const { status, headers } = response;
    const text = await response.text().catch(() => '');
    const full = messageOf(text);
    const message = (token ? full.replaceAll(token, '…') : full).slice(0, MAX_MESSAGE);
    const seconds = pauseOf(response, message);
    if (seconds !== undefined) {
      pausedUntil = Date.now() + seconds * 1000;
      return limited(label, seconds);
    }
    if (status >= 500 || status === 408) return unanswered(label, method, `responded with ${status}`);
    const { pathname } = new URL(target);
    const cause = new Error(`${label} responded to ${method} ${pathname} with ${status}: ${message}`);
    if (status >= 300 && status < 400) {
      const moved = headers.get('location') ?? 'another address';
      return new StorageError('unavailable', `${label} has moved the repository. The server log says more.`, {
        cause: new Error(`${cause.message} It redirects to ${moved}: correct option storage.`),
      });
    }
    if (status === 404) return new ForgeNotFoundError(label, cause);
    if (status === 413 || /too large|too big|exceeds/i.test(message)) {
      return new DomainError('too-large', `${label} does not accept a file of this size.`);
    }
    const what = status === 401 ? 'does not accept the token of this server' : 'refuses the request';
    return new StorageError('unavailable', `${label} ${what}. The server log says more.`, { cause });
  }

  /** Reading is repeated if the host fails. */
  async function send(path: string, request: ForgeRequest = {}): Promise<Response> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await sendOnce(url + path, request);
      } catch (error) {
        const delay = retryDelaysMs[attempt];
        const isTemporary = error instanceof UnansweredError && isReading(request.method);
        if (!isTemporary || delay === undefined) throw error;
        await new Promise((resolve) => setTimeout(resolve, delay));
      }
    }
  }

  async function readJson<S extends z.ZodType>(
    schema: S,
    path: string,
    request: ForgeRequest = {},
  ): Promise<{ readonly value: z.output<S>; readonly headers: Headers }> {
    const response = await send(path, request);
    const target = url + path;
    const { headers } = response;
    const known = stored.get(target);
    const isKnown = response.status === 304 && known !== undefined;
    try {
      const json: unknown = isKnown ? known.json : await response.json();
      const value = schema.parse(json);
      const etag = headers.get('etag');
      if (!isKnown && etag !== null && isReading(request.method)) stored.set(target, { etag, json });
      return { value, headers };
    } catch (cause) {
      throw unanswered(label, request.method, 'sent an answer that cannot be read', cause);
    }
  }

  return {
    json: async (schema, path, request) => (await readJson(schema, path, request)).value,
    async bytes(path, request) {
      const response = await send(path, request);
      try {
        return new Uint8Array(await response.arrayBuffer());
      } catch (cause) {
        throw unanswered(label, request?.method, 'ended an answer too early', cause);
      }
    },
    headers: async (path, request) => (await send(path, request)).headers,
    async pages(schema, path) {
      const all = [];
      for (let next: string | undefined = path; next !== undefined; ) {
        const page = await readJson(schema, next);
        all.push(page.value);
        next = nextPage(page.headers, url);
      }
      return all;
    },
  };
}

interface StoredAnswer {
  readonly etag: string;
  readonly json: unknown;
}

type Method = NonNullable<ForgeRequest['method']>;

/** The host failed, or did not answer. */
class UnansweredError extends ServiceUnavailableError {}

function isReading(method: ForgeRequest['method'] = 'GET'): boolean {
  return method === 'GET' || method === 'HEAD';
}

function unanswered(label: string, method: ForgeRequest['method'], detail: string, cause?: unknown): Error {
  const message = `${label} ${detail}. Try again soon.`;
  if (isReading(method)) return new UnansweredError(message, RETRY_AFTER_S, cause);
  return new ForgeUnconfirmedError(message, RETRY_AFTER_S, cause);
}

function limited(label: string, seconds: number): ServiceUnavailableError {
  return new ServiceUnavailableError(
    `${label} limits the requests of this server. Try again later.`,
    seconds,
  );
}

/** Seconds until the next request; undefined if the host has not reached a limit. */
function pauseOf({ status, headers }: Response, message: string): number | undefined {
  const isSpent = headers.get('x-ratelimit-remaining') === '0' || /rate limit/i.test(message);
  if (status !== 429 && !(status === 403 && (isSpent || headers.has('retry-after')))) return undefined;
  const after = headers.get('retry-after') ?? '';
  const reset = headers.get('x-ratelimit-reset') ?? headers.get('ratelimit-reset') ?? '';
  const isReset = headers.get('x-ratelimit-remaining') === '0' || after === '';
  const date = Date.parse(after);
  const seconds = /^\d+$/.test(after)
    ? Number(after)
    : Number.isFinite(date)
      ? (date - Date.now()) / 1000
      : isReset && /^\d+$/.test(reset)
        ? Number(reset) - Date.now() / 1000
        : RATE_LIMIT_S;
  return Math.min(Math.max(Math.ceil(seconds), 1), MAX_PAUSE_S);
}

/** Seconds without requests after a rate limit whose end is unknown. Source: GitHub, "Rate limits for the REST API". */
const RATE_LIMIT_S = 60;

/** The message in an error of the host. */
function messageOf(text: string): string {
  try {
    const json: unknown = JSON.parse(text);
    if (typeof json !== 'object' || json === null) return text;
    const { message, error } = json as { readonly message?: unknown; readonly error?: unknown };
    const detail = message ?? error ?? text;
    return typeof detail === 'string' ? detail : JSON.stringify(detail);
  } catch {
    return text;
  }
}

/** The path below the address of the API. Servers behind a proxy may name another host in their links. */
function nextPage(headers: Headers, url: string): string | undefined {
  const link = /<([^<>]+)>; *rel="next"/.exec(headers.get('link') ?? '')?.[1];
  if (link === undefined) return undefined;
  const { pathname, search } = new URL(link, url);
  const prefix = new URL(url).pathname.replace(/\/$/, '');
  return (pathname.startsWith(prefix) ? pathname.slice(prefix.length) : pathname) + search;
}
