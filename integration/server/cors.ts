import type { Handler } from './handler.ts';

/** Which other origins' pages may read the answers in a browser. */
export interface CorsRules {
  /** `*` for every origin, else each as a browser writes it: `https://app.example`. */
  readonly origins: '*' | readonly string[];
  /** Whether requests may carry cookies; never with `*`. */
  readonly credentials: boolean;
  /** Seconds that a browser may keep the answer to a preflight. */
  readonly maxAge: number;
  /** Response headers that scripts may read besides those the Fetch standard lets through. */
  readonly exposeHeaders: readonly string[];
}

/**
 * Answers CORS preflights with a 204 without body and lets listed origins read every other answer, errors and 304
 * included. Without rules a preflight is a 204 that permits nothing. Source: Fetch standard, "CORS protocol".
 */
export function withCors(
  handle: Handler,
  rules: CorsRules | false,
  methodsOf: (url: URL) => readonly string[] | undefined,
): Handler {
  return async (request, context) => {
    const methods = isPreflight(request) ? methodsOf(new URL(request.url)) : undefined;
    if (methods !== undefined) return preflightResponse(request, methods, rules);
    const response = await handle(request, context);
    if (response === undefined || rules === false) return response;
    const permitted = permission(request, rules);
    if (permitted !== undefined && rules.exposeHeaders.length > 0) {
      permitted['access-control-expose-headers'] = rules.exposeHeaders.join(', ');
    }
    for (const [name, value] of Object.entries(permitted ?? {})) response.headers.set(name, value);
    if (rules.origins !== '*') addVary(response.headers, 'Origin');
    return response;
  };
}

function isPreflight({ method, headers }: Request): boolean {
  return method === 'OPTIONS' && headers.has('origin') && headers.has('access-control-request-method');
}

function preflightResponse(request: Request, methods: readonly string[], rules: CorsRules | false): Response {
  const headers = new Headers({ allow: methods.join(', ') });
  if (rules === false) return new Response(null, { status: 204, headers });
  addVary(headers, 'Origin', 'Access-Control-Request-Headers');
  const permitted = permission(request, rules);
  if (permitted === undefined) return new Response(null, { status: 204, headers });
  for (const [name, value] of Object.entries(permitted)) headers.set(name, value);
  headers.set('access-control-allow-methods', methods.join(', '));
  headers.set('access-control-max-age', String(rules.maxAge));
  // Authorization is not covered by a wildcard, and clients send headers of their own, which do no harm here.
  const wanted = request.headers.get('access-control-request-headers') ?? '';
  if (HEADER_NAMES.test(wanted)) headers.set('access-control-allow-headers', wanted);
  return new Response(null, { status: 204, headers });
}

/** The headers that let the request's origin read the answer; undefined where it is not listed. */
function permission(
  { headers }: Request,
  { origins, credentials }: CorsRules,
): Record<string, string> | undefined {
  if (origins === '*') return { 'access-control-allow-origin': '*' };
  const origin = headers.get('origin');
  if (origin === null || !origins.includes(origin)) return undefined;
  return {
    'access-control-allow-origin': origin,
    ...(credentials ? { 'access-control-allow-credentials': 'true' } : {}),
  };
}

/** Adds to what others have said the answer depends on. */
function addVary(headers: Headers, ...names: readonly string[]): void {
  const known = (headers.get('vary') ?? '').split(',').map((name) => name.trim().toLowerCase());
  if (known.includes('*')) return;
  for (const name of names) if (!known.includes(name.toLowerCase())) headers.append('vary', name);
}

/** Tokens between commas. Source: RFC 9110, 5.6.2. */
const HEADER_NAMES = /^[\w!#$%&'*+.^`|~-]+( *, *[\w!#$%&'*+.^`|~-]+)*$/;
