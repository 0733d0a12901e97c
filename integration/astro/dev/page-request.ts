import type { IncomingMessage } from 'node:http';

/** What a request is asked for. Both are paths with their query string. */
export interface PageRequest {
  readonly url: string;
  /** The page that makes the request. */
  readonly from: string | undefined;
}

/** Undefined for what is no page and asks nothing of the content: assets, and modules of Vite. */
export function pageRequest(
  request: Pick<IncomingMessage, 'method' | 'url' | 'headers'> & {
    readonly originalUrl?: string | undefined;
  },
): PageRequest | undefined {
  const { method, headers } = request;
  const url = request.originalUrl ?? request.url ?? '';
  if (method !== 'GET' || /^\/@|\/node_modules\//.test(url)) return undefined;
  if (ASSETS.has(String(headers['sec-fetch-dest']))) return undefined;
  // A page that is fetched in advance is no part of the one that is open.
  const ahead = String(headers['sec-purpose']).includes('prefetch');
  return { url, from: ahead ? undefined : pathOf(headers.referer, headers.host) };
}

const ASSETS: ReadonlySet<string> = new Set([
  'audio',
  'font',
  'image',
  'manifest',
  'script',
  'style',
  'track',
  'video',
]);

function pathOf(referer: string | undefined, host: string | undefined): string | undefined {
  if (referer === undefined || !URL.canParse(referer)) return undefined;
  const { host: from, pathname, search } = new URL(referer);
  return from === host ? pathname + search : undefined;
}
