import type { Target } from '../api/match-route.ts';
import { errorIdOf } from './errors.ts';

/** What the log says about one request. No request header is logged. */
interface RequestLogLine {
  /** When the response was ready, ISO 8601. */
  readonly time: string;
  readonly method: string;
  /** With the query; values of parameters that may be secret are `***`. */
  readonly path: string;
  readonly status: number;
  /** Length of the body; null if it is sent in chunks. */
  readonly bytes: number | null;
  readonly ms: number;
  /** Account name; null for anonymous. */
  readonly actor: string | null;
  /** Id of a server error, which is logged with its cause. */
  readonly error?: string;
}

/** Prints one line of JSON to stdout. `started` is from `performance.now()`. */
export function logRequest(
  { method }: Request,
  { pathname, query }: Target,
  response: Response,
  { actor, started }: { readonly actor: string | null; readonly started: number },
): void {
  const error = errorIdOf(response);
  const line: RequestLogLine = {
    time: new Date().toISOString(),
    method,
    path: query === '' ? pathname : `${pathname}?${masked(query)}`,
    status: response.status,
    bytes: bytesOf(response),
    ms: Math.round((performance.now() - started) * 100) / 100,
    actor,
    ...(error !== undefined && { error }),
  };
  console.log(JSON.stringify(line));
}

function bytesOf({ body, headers }: Response): number | null {
  const length = headers.get('content-length');
  if (body === null) return 0;
  return length === null ? null : Number(length);
}

/** A query without the values of parameters whose decoded names indicate a secret. */
function masked(query: string): string {
  return query.replace(/(^|[?&])([^=&?]*)=[^&]*/g, (pair, mark: string, encoded: string) => {
    const [name = ''] = new URLSearchParams(encoded).keys();
    return SECRET.test(name) ? `${mark}${encoded}=***` : pair;
  });
}

const SECRET = /^pass$|token|setup|secret|passw|api_?key|credential|signature/i;
