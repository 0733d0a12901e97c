/** Runs in every page of `astro dev`: says where the page is, and takes the overlay away when content is mended. */
export function startPage(hot: HotConnection | undefined): void {
  if (hot === undefined) return;
  let shown = false;
  const announce = (): void => hot.send('astro-jsonapi:page', { url: location.pathname + location.search });
  announce();
  // Astro's router changes the page without loading it.
  document.addEventListener('astro:page-load', announce);
  hot.on('vite:ws:connect', announce);
  hot.on('vite:error', ({ err }) => {
    shown = err?.plugin === 'astro-jsonapi';
  });
  hot.on('astro-jsonapi:mended', () => {
    if (shown) for (const overlay of document.querySelectorAll('vite-error-overlay')) overlay.remove();
    shown = false;
  });
}

/** Of Vite's `import.meta.hot`. */
interface HotConnection {
  send(event: string, data: unknown): void;
  on(event: string, listener: (data: { readonly err?: { readonly plugin?: string } }) => void): void;
}
