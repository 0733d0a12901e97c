import { errorIdOf } from './error-response.ts';
import type { Handler } from './handler.ts';

/** What the log says of one answered request. */
export interface RequestLogLine {
  /** When it was answered, ISO 8601. */
  readonly time: string;
  readonly method: string;
  /** With the query; values of parameters that may be secret are `***`. */
  readonly path: string;
  readonly status: number;
  /** Of the body as sent; null for a body that is sent in chunks. */
  readonly bytes: number | null;
  readonly ms: number;
  /** Account name; null for anonymous. */
  readonly actor: string | null;
  /** Of a fault of ours; its cause is logged under the same id. */
  readonly error?: string;
}

/** Hands a line to `write` for every request that is answered. No header of the request is told. */
export function withRequestLog(handle: Handler, write: (line: RequestLogLine) => void): Handler {
  return async (request, context) => {
    const started = performance.now();
    const response = await handle(request, context);
    if (response === undefined) return undefined;
    const { pathname, search } = new URL(request.url);
    const error = errorIdOf(response);
    write({
      time: new Date().toISOString(),
      method: request.method,
      path: pathname + masked(search),
      status: response.status,
      bytes: bytesOf(response),
      ms: Math.round((performance.now() - started) * 100) / 100,
      actor: names.get(response) ?? context?.actor?.name ?? null,
      ...(error === undefined ? {} : { error }),
    });
    return response;
  };
}

function bytesOf({ body, headers }: Response): number | null {
  const length = headers.get('content-length');
  if (body === null) return 0;
  return length === null ? null : Number(length);
}

/** Has the log say for which account a response was made. */
export function tellActor(response: Response, name: string): void {
  names.set(response, name);
}

const names = new WeakMap<Response, string>();

/** One line of JSON on stdout. */
export function printRequestLine(line: RequestLogLine): void {
  console.log(JSON.stringify(line));
}

/** A query without the values of parameters whose names, decoded, say that they are nobody's business. */
function masked(search: string): string {
  return search.replace(/([?&])([^=&?]*)=[^&]*/g, (pair, mark: string, written: string) => {
    const [name = ''] = new URLSearchParams(written).keys();
    return SECRET.test(name) ? `${mark}${written}=***` : pair;
  });
}

const SECRET = /^pass$|token|setup|secret|passw|api_?key|credential|signature/i;
