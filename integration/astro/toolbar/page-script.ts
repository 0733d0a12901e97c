/** Runs in every page of `astro dev`: says where the page is, and takes the overlay away when content is mended. */
export function startPage(hot: HotConnection | undefined): void {
  if (hot === undefined) return;
  // Whose error the overlay shows: the content's, that of a page which asked the content, or anybody else's.
  let shown: string | undefined;
  let failed: { readonly url: string; readonly at: number } | undefined;
  const clear = (): void => {
    for (const overlay of document.querySelectorAll('vite-error-overlay')) overlay.remove();
    shown = undefined;
  };
  const announce = (): void => hot.send('astro-jsonapi:page', { url: location.pathname + location.search });
  announce();
  // Astro's router changes the page without loading it.
  document.addEventListener('astro:page-load', announce);
  hot.on('vite:ws:connect', announce);
  hot.on('vite:error', ({ err }) => {
    const plugin = err?.plugin;
    // Astro sends the error of a page, which no plugin of Vite's has met, a moment after the page.
    const ofPage = plugin === undefined || plugin === 'astro';
    const expected = failed !== undefined && Date.now() - failed.at < 1000;
    shown = plugin === 'astro-jsonapi' ? CONTENT : ofPage && expected ? failed?.url : undefined;
  });
  hot.on('astro-jsonapi:mended', () => {
    if (shown === CONTENT) clear();
  });
  hot.on('astro-jsonapi:failed', ({ url = '' }) => {
    failed = { url, at: Date.now() };
  });
  hot.on('astro-jsonapi:recovered', ({ url }) => {
    if (shown !== undefined && shown === url) clear();
  });
}

/** No address of a page. */
const CONTENT = 'content';

/** Of Vite's `import.meta.hot`. */
interface HotConnection {
  send(event: string, data: unknown): void;
  on(event: string, listener: (data: HotMessage) => void): void;
}

interface HotMessage {
  readonly err?: { readonly plugin?: string };
  readonly url?: string;
}
