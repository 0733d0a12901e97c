import { PageError } from './request.ts';

/** Milliseconds for a page with its redirects. */
export const PAGE_MS = 20_000;
/** Bytes of a page. */
const MOST_BYTES = 10_000_000;

/** The result of `render`. Rejects with a PageError after `PAGE_MS`. */
export async function inTime<T>(render: () => Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new PageError('The page takes too long.')), PAGE_MS);
  try {
    return await Promise.race([render(), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** The bytes of a page. If there are too many, it cancels the rest and rejects with a PageError. */
export async function pageBytes(body: AsyncIterable<Uint8Array<ArrayBuffer>> | null): Promise<Blob> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > MOST_BYTES) throw new PageError(`The page has more than ${MOST_BYTES / 1e6} MB.`);
    chunks.push(chunk);
  }
  return new Blob(chunks);
}

/** The address of a page; undefined for another origin, and for a path that cannot be decoded. */
export function pageUrl(path: string, origin: string): URL | undefined {
  // The parser of URLs leaves line breaks out.
  if (!path.startsWith('/') || /\p{Cc}/u.test(path) || !URL.canParse(path, origin)) return undefined;
  const url = new URL(path, origin);
  try {
    decodeURI(url.pathname);
  } catch {
    return undefined;
  }
  // A browser would read the path `//name` as another origin.
  return url.origin === origin && !url.pathname.startsWith('//') ? url : undefined;
}
