import { isRecord } from './schema.ts';

/** What came back for a URL. */
export interface Answer {
  readonly method: string;
  /** Absent where nothing came back: `failure` says why. */
  readonly status: number | undefined;
  readonly statusText: string;
  readonly failure: string | undefined;
  /** Those of HEADERS that came, by the names there. */
  readonly headers: ReadonlyMap<string, string>;
  /** Bytes of the text as received, before any compression of the transport. */
  readonly size: number;
  /** From sending to the last byte. */
  readonly milliseconds: number;
  /** Parsed; undefined where the answer is no JSON. */
  readonly document: unknown;
  readonly text: string;
}

/** What is sent besides the URL; without it, a GET. */
export interface Sent {
  readonly method: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Blob;
}

/** What the server says about how it answered. */
export interface Explained {
  readonly plan: string;
  readonly ast: unknown;
  readonly resolveMs: number | undefined;
  readonly executeMs: number | undefined;
}

const ACCEPT = 'application/vnd.api+json, application/json;q=0.9';
/** What an answer to a write may say beside its document. */
const HEADERS = ['Location', 'ETag', 'Allow', 'Retry-After', 'WWW-Authenticate'];

/** Asks for a URL of this site. Rejects only when `signal` ends it. */
export async function ask(url: string, signal: AbortSignal, sent: Sent = { method: 'GET' }): Promise<Answer> {
  const start = performance.now();
  const { method, headers, body } = sent;
  try {
    const response = await fetch(url, {
      method,
      headers: { accept: ACCEPT, ...headers },
      ...(body !== undefined && { body }),
      signal,
    });
    const text = await response.text();
    return {
      method,
      status: response.status,
      statusText: response.statusText,
      failure: undefined,
      headers: new Map(
        HEADERS.flatMap((name) => {
          const value = response.headers.get(name);
          return value === null ? [] : [[name, value] as const];
        }),
      ),
      size: new TextEncoder().encode(text).length,
      milliseconds: performance.now() - start,
      document: parsed(text),
      text,
    };
  } catch (error) {
    if (signal.aborted) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    return {
      method,
      status: undefined,
      statusText: '',
      failure: `No answer from the server (${reason}). Check that it runs, then ${method === 'GET' ? 'run the query' : 'send it'} again.`,
      headers: new Map(),
      size: 0,
      milliseconds: performance.now() - start,
      document: undefined,
      text: '',
    };
  }
}

/** Reads `explain.json`; undefined where there is none for this query. */
export function readExplained(document: unknown): Explained | undefined {
  if (!isRecord(document) || typeof document.plan !== 'string') return undefined;
  const milliseconds = (value: unknown): number | undefined =>
    typeof value === 'number' ? value : undefined;
  return {
    plan: document.plan,
    ast: document.ast,
    resolveMs: milliseconds(document.resolveMs),
    executeMs: milliseconds(document.executeMs),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
