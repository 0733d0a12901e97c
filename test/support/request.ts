import type { Handler, HandlerContext } from '../../integration/core/server/handler.ts';

/** The origin of sites in tests. */
export const ORIGIN = 'https://site.example';

export interface TestRequest extends HandlerContext, Omit<RequestInit, 'body'> {
  /** An array or a plain object is sent as JSON, with the media type of the API at the path. */
  readonly body?: unknown;
}

/** Sends a request to a path of the site, or to a URL. Throws if the handler leaves it to the site's own pages. */
export async function fetchFrom(
  handle: Handler,
  path: string,
  { body, ...init }: TestRequest = {},
): Promise<Response> {
  const sent = (isJson(body) ? JSON.stringify(body) : body) as BodyInit;
  const request = new Request(path.startsWith('/') ? ORIGIN + path : path, { ...init, body: sent ?? null });
  if (isJson(body) && !new Headers(init.headers).has('content-type')) {
    const type = path.startsWith('/jsonapi') ? 'application/vnd.api+json' : 'application/json';
    request.headers.set('content-type', type);
  }
  const response = await handle(request, init);
  if (response === undefined) throw new Error(`${path} has no response.`);
  return response;
}

function isJson(body: unknown): boolean {
  return Array.isArray(body) || Object.getPrototypeOf(body ?? '') === Object.prototype;
}
