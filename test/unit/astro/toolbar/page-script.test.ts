import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startPage } from '../../../../integration/astro/toolbar/page-script.ts';

type Listener = (data: { readonly err?: { readonly plugin?: string }; readonly url?: string }) => void;

/** A page with one overlay, and what the dev server tells it. */
function openPage() {
  const listeners = new Map<string, Listener>();
  let overlays = 0;
  vi.stubGlobal('location', { pathname: '/about', search: '' });
  vi.stubGlobal('document', {
    addEventListener: () => undefined,
    querySelectorAll: () => Array.from({ length: overlays }, () => ({ remove: () => (overlays -= 1) })),
  });
  startPage({ send: () => undefined, on: (event, listener) => void listeners.set(event, listener) });
  return {
    tell(event: string, data: Parameters<Listener>[0] = {}) {
      if (event === 'vite:error') overlays = 1;
      listeners.get(event)?.(data);
    },
    isCovered: () => overlays > 0,
  };
}

describe('the overlay on a page that its error does not concern', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  it('goes when the content is mended, of an error of the content', () => {
    const page = openPage();
    page.tell('vite:error', { err: { plugin: 'astro-jsonapi' } });
    page.tell('astro-jsonapi:recovered', { url: '/' });
    expect(page.isCovered()).toBe(true);
    page.tell('astro-jsonapi:mended');
    expect(page.isCovered()).toBe(false);
  });

  it.each([undefined, 'astro'])(
    'goes with the error of another page that asked the content: %s',
    (plugin) => {
      const page = openPage();
      page.tell('astro-jsonapi:failed', { url: '/' });
      vi.advanceTimersByTime(300);
      page.tell('vite:error', { err: plugin === undefined ? {} : { plugin } });
      page.tell('astro-jsonapi:mended');
      page.tell('astro-jsonapi:recovered', { url: '/other' });
      expect(page.isCovered()).toBe(true);
      page.tell('astro-jsonapi:recovered', { url: '/' });
      expect(page.isCovered()).toBe(false);
    },
  );

  it.each([
    ['of a module that Vite cannot load', { plugin: 'vite:esbuild' }, 300],
    ['that comes long after the page', {}, 2000],
  ])('stays for an error of others: %s', (_, err, wait) => {
    const page = openPage();
    page.tell('astro-jsonapi:failed', { url: '/' });
    vi.advanceTimersByTime(wait);
    page.tell('vite:error', { err });
    page.tell('astro-jsonapi:recovered', { url: '/' });
    page.tell('astro-jsonapi:mended');
    expect(page.isCovered()).toBe(true);
  });
});
