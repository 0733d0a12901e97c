import { inTime, pageBytes } from '../../core/api/page.ts';
import { type ClientContext, PageError } from '../../core/api/request.ts';

export type RenderedPage = { readonly url: string; readonly status: number } & (
  | { readonly html: string }
  | { readonly text: string }
  | { readonly message: string; readonly location?: string }
);

const MOST_REDIRECTS = 5;
/** Renders the page of a path in `show`, and follows redirects within the site: those of pages, and from former addresses. */
export async function renderPage(
  path: string,
  origin: string,
  openPage: NonNullable<ClientContext['openPage']>,
  show: <T>(work: () => Promise<T>) => Promise<T>,
  findRedirect: (path: string) => Promise<string | undefined>,
): Promise<RenderedPage> {
  let url = path;
  const render = async (): Promise<RenderedPage> => {
    for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
      // Modules of pages run outside of the preview, because they keep values for all visitors.
      const response = await show(await openPage(new URL(url, origin).href));
      const address = response.status === 404 ? await findRedirect(url) : locationOf(response);
      const next = addressAt(address, new URL(url, origin));
      if (next === undefined) return { url, ...(await show(() => contentOf(response))) };
      await response.body?.cancel();
      if (next.origin !== origin) return { url, status: 404, message: `This page leads to ${next.href}.` };
      url = next.pathname + next.search;
    }
    throw new PageError('The page leads to other pages too often.');
  };
  try {
    return await inTime(render);
  } catch (error) {
    const { message, location } = error as Partial<PageError>;
    return {
      url,
      status: 500,
      message: message ?? String(error),
      ...(location !== undefined && { location }),
    };
  }
}

function locationOf({ status, headers }: Response): string | undefined {
  return status >= 300 && status < 400 ? (headers.get('location') ?? undefined) : undefined;
}

function addressAt(address: string | undefined, from: URL): URL | undefined {
  return address !== undefined && URL.canParse(address, from) ? new URL(address, from) : undefined;
}

/** Feeds and other data of the site. They are shown as text, because they can contain text that would be HTML in a page. */
const DATA = /^(?:text\/(?:plain|xml)|application\/(?:(?:rss\+|atom\+)?xml|(?:feed\+)?json))\b/i;

async function contentOf(response: Response) {
  const { status, headers } = response;
  const type = headers.get('content-type') ?? '';
  const isData = response.ok && DATA.test(type);
  if (response.body !== null && !isData && !type.startsWith('text/html')) {
    await response.body.cancel();
    return { status: 404, message: 'This address is not a page.' };
  }
  const html = await (await pageBytes(response.body)).text();
  if (isData) return { status, text: html };
  return status >= 500 && html === ''
    ? { status, message: 'The page failed. The log of the server says why.' }
    : { status, html };
}
