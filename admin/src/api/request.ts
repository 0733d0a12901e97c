/** What came back for a request. */
export interface ApiResponse {
  readonly method: string;
  /** Undefined if no response arrived; `failure` says why. */
  readonly status: number | undefined;
  readonly statusText: string;
  readonly failure?: string;
  readonly headers: Headers;
  /** Bytes of the body before any compression. */
  readonly size: number;
  /** From sending to the last byte. */
  readonly milliseconds: number;
  /** The parsed body; undefined if it is not JSON. */
  readonly document: unknown;
  readonly text: string;
}

export interface RequestOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Blob;
  readonly signal?: AbortSignal;
}

/** The commit of the last change of this page. Any of several servers can answer, and must have it. */
let ownCommit: string | undefined;

/** Responses to requests that were sent before the application needs them, by URL. */
const begun = new Map<string, Promise<ApiResponse>>();

/** Sends a GET request. The next `sendOnce` for the URL returns its response. */
export function begin(url: string): void {
  begun.set(url, send(url));
}

/** The response to a GET request that has begun, else to a new one. */
export function sendOnce(url: string): Promise<ApiResponse> {
  const response = begun.get(url) ?? send(url);
  begun.delete(url);
  return response;
}

/** Call it when the session has ended: requests that have begun were sent without one. */
export function forgetBegun(): void {
  begun.clear();
}

/** Sends a request to this site. Rejects only when `signal` aborts it. */
export async function send(url: string, options: RequestOptions = {}): Promise<ApiResponse> {
  const { method = 'GET', headers, signal } = options;
  const start = performance.now();
  const elapsed = () => performance.now() - start;
  try {
    const demand = ownCommit === undefined ? undefined : { 'if-commit-at-least': ownCommit };
    const response = await fetch(url, { ...options, headers: { accept: ACCEPT, ...demand, ...headers } });
    if (response.ok && method !== 'GET') ownCommit = response.headers.get('content-commit') ?? ownCommit;
    const text = await response.text();
    if (demand !== undefined && response.status === 412 && text.includes('If-Commit-At-Least')) {
      // The branch was set back.
      ownCommit = undefined;
      return await send(url, options);
    }
    return {
      method,
      status: response.status,
      statusText: response.statusText,
      headers: response.headers,
      size: new TextEncoder().encode(text).length,
      milliseconds: elapsed(),
      document: parseJson(text),
      text,
    };
  } catch (error) {
    if (signal?.aborted) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    return {
      method,
      status: undefined,
      statusText: '',
      failure: `${NO_RESPONSE} (${reason})`,
      headers: new Headers(),
      size: 0,
      milliseconds: elapsed(),
      document: undefined,
      text: '',
    };
  }
}

export function isSuccess({ status }: ApiResponse): boolean {
  return status !== undefined && status < 400;
}

export const NO_RESPONSE = 'The server did not respond. Check that it is running, then try again.';
export const ACCEPT = 'application/vnd.api+json, application/json;q=0.9';

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
