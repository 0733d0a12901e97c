/** The response to a request for the admin page. */
export function adminResponse({ method }: Pick<Request, 'method'>, page: string): Response {
  if (method !== 'GET' && method !== 'HEAD') {
    return new Response(null, {
      status: method === 'OPTIONS' ? 204 : 405,
      headers: { ...HEADERS, allow: 'GET, HEAD, OPTIONS' },
    });
  }
  const headers = { ...HEADERS, 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' };
  return new Response(method === 'HEAD' ? null : page, { headers });
}

/** The rest of the policy is in the page itself, where browsers ignore `frame-ancestors`. */
const HEADERS = {
  'content-security-policy': "frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
};
