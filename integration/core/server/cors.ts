/** The origins whose pages may read responses in a browser. */
export interface CorsRules {
  /** `*` for every origin, else origins as browsers write them: `https://app.example`. */
  readonly origins: '*' | readonly string[];
  /** True if requests may carry cookies. Never with `*`. */
  readonly credentials: boolean;
  /** Seconds for which a browser may cache the response to a preflight. */
  readonly maxAge: number;
  /** Response headers that scripts may read, in addition to the safelisted ones. */
  readonly exposeHeaders: readonly string[];
}

export function isPreflight({ method, headers }: Request): boolean {
  return method === 'OPTIONS' && headers.has('origin') && headers.has('access-control-request-method');
}

/** The response to a preflight: 204 without a body. Without rules it permits nothing. Source: Fetch standard, "CORS protocol". */
export function preflightResponse(
  request: Request,
  methods: readonly string[],
  rules: CorsRules | false,
): Response {
  const headers = new Headers({ allow: methods.join(', ') });
  if (rules === false) return new Response(null, { status: 204, headers });
  addVary(headers, 'Origin', 'Access-Control-Request-Headers');
  const permitted = permission(request, rules);
  if (permitted === undefined) return new Response(null, { status: 204, headers });
  for (const [name, value] of Object.entries(permitted)) headers.set(name, value);
  headers.set('access-control-allow-methods', methods.join(', '));
  headers.set('access-control-max-age', String(rules.maxAge));
  // A wildcard does not cover Authorization, and headers that clients add are harmless here.
  const requested = request.headers.get('access-control-request-headers') ?? '';
  if (HEADER_NAMES.test(requested)) headers.set('access-control-allow-headers', requested);
  return new Response(null, { status: 204, headers });
}

/** Lets listed origins read a response, errors and 304 included. */
export function addCorsHeaders(request: Request, { headers }: Response, rules: CorsRules): void {
  const permitted = permission(request, rules);
  for (const [name, value] of Object.entries(permitted ?? {})) headers.set(name, value);
  if (permitted !== undefined && rules.exposeHeaders.length > 0) {
    headers.set('access-control-expose-headers', rules.exposeHeaders.join(', '));
  }
  if (rules.origins !== '*') addVary(headers, 'Origin');
}

/** The headers that let the request's origin read the response; undefined if it is not listed. */
function permission(
  { headers }: Request,
  { origins, credentials }: CorsRules,
): Record<string, string> | undefined {
  if (origins === '*') return { 'access-control-allow-origin': '*' };
  const origin = headers.get('origin');
  if (origin === null || !origins.includes(origin)) return undefined;
  return {
    'access-control-allow-origin': origin,
    ...(credentials && { 'access-control-allow-credentials': 'true' }),
  };
}

function addVary(headers: Headers, ...names: readonly string[]): void {
  const present = (headers.get('vary') ?? '').split(',').map((name) => name.trim().toLowerCase());
  if (present.includes('*')) return;
  for (const name of names) if (!present.includes(name.toLowerCase())) headers.append('vary', name);
}

/** Tokens separated by commas. Source: RFC 9110, section 5.6.2. */
const HEADER_NAMES = /^[\w!#$%&'*+.^`|~-]+( *, *[\w!#$%&'*+.^`|~-]+)*$/;
