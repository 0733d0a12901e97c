import { isRecord } from './schema.ts';

/** What came back for a URL. */
export interface Answer {
  /** Absent where nothing came back: `failure` says why. */
  readonly status: number | undefined;
  readonly statusText: string;
  readonly failure: string | undefined;
  /** Bytes of the text as received, before any compression of the transport. */
  readonly size: number;
  /** From sending to the last byte. */
  readonly milliseconds: number;
  /** Parsed; undefined where the answer is no JSON. */
  readonly document: unknown;
  readonly text: string;
}

/** What the server says about how it answered. */
export interface Explained {
  readonly plan: string;
  readonly ast: unknown;
  readonly resolveMs: number | undefined;
  readonly executeMs: number | undefined;
}

const ACCEPT = 'application/vnd.api+json, application/json;q=0.9';

/** Asks for a URL of this site. Rejects only when `signal` ends it. */
export async function ask(url: string, signal: AbortSignal): Promise<Answer> {
  const start = performance.now();
  try {
    const response = await fetch(url, { headers: { accept: ACCEPT }, signal });
    const text = await response.text();
    return {
      status: response.status,
      statusText: response.statusText,
      failure: undefined,
      size: new TextEncoder().encode(text).length,
      milliseconds: performance.now() - start,
      document: parsed(text),
      text,
    };
  } catch (error) {
    if (signal.aborted) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    return {
      status: undefined,
      statusText: '',
      failure: `No answer from the server (${reason}). Check that it runs, then run the query again.`,
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
