import { type ClientContext, PageError } from '../../core/api/request.ts';

export type RenderedPage = { readonly url: string; readonly status: number } & (
  | { readonly html: string }
  | { readonly message: string; readonly location?: string }
);

const MOST_REDIRECTS = 5;
/** Milliseconds for a page with its redirects. */
const PATIENCE_MS = 20_000;
/** Bytes of a page. */
const MOST_BYTES = 10_000_000;

/** Renders the page of a path in `show`, and follows redirects within the site: those of pages, and from former addresses. */
export async function renderPage(
  path: string,
  origin: string,
  openPage: NonNullable<ClientContext['openPage']>,
  show: <T>(work: () => Promise<T>) => Promise<T>,
  findRedirect: (path: string) => Promise<string | undefined>,
): Promise<RenderedPage> {
  let url = path;
  const late = Promise.withResolvers<never>();
  late.promise.catch(() => undefined);
  const timer = setTimeout(() => late.reject(new PageError('The page takes too long.')), PATIENCE_MS);
  const inTime = <T>(work: Promise<T>) => Promise.race([work, late.promise]);
  try {
    for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
      // Modules of pages run outside of the preview, because they keep values for all visitors.
      const render = await inTime(openPage(new URL(url, origin).href));
      const response = await inTime(show(render));
      const address = response.status === 404 ? await inTime(findRedirect(url)) : locationOf(response);
      const next = addressAt(address, new URL(url, origin));
      if (next === undefined) return { url, ...(await inTime(show(() => contentOf(response)))) };
      await response.body?.cancel();
      if (next.origin !== origin) return { url, status: 404, message: `This page leads to ${next.href}.` };
      url = next.pathname + next.search;
    }
    throw new PageError('The page leads to other pages too often.');
  } catch (error) {
    const { message, location } = error as Partial<PageError>;
    return {
      url,
      status: 500,
      message: message ?? String(error),
      ...(location !== undefined && { location }),
    };
  } finally {
    clearTimeout(timer);
  }
}

/** True for a path with an optional query, of this origin. */
export function isPath(path: string, origin: string): boolean {
  if (!path.startsWith('/') || !URL.canParse(path, origin)) return false;
  const url = new URL(path, origin);
  try {
    decodeURI(url.pathname);
  } catch {
    return false;
  }
  return url.origin === origin;
}

function locationOf({ status, headers }: Response): string | undefined {
  return status >= 300 && status < 400 ? (headers.get('location') ?? undefined) : undefined;
}

function addressAt(address: string | undefined, from: URL): URL | undefined {
  return address !== undefined && URL.canParse(address, from) ? new URL(address, from) : undefined;
}

/** Only HTML is shown: other responses, such as JSON, can contain text that would be HTML in a page. */
async function contentOf(response: Response) {
  const { status, headers } = response;
  if (response.body !== null && !headers.get('content-type')?.startsWith('text/html')) {
    await response.body.cancel();
    return { status: 404, message: 'This address is not a page.' };
  }
  const html = await textOf(response);
  return status >= 500 && html === ''
    ? { status, message: 'The page failed. The log of the server says why.' }
    : { status, html };
}

async function textOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    // An error cancels the rest.
    if (size > MOST_BYTES) throw new PageError(`The page has more than ${MOST_BYTES / 1e6} MB.`);
    chunks.push(chunk);
  }
  return new Blob(chunks).text();
}
