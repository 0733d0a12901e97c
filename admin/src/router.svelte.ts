import { addressOf, matchAddress, type Parameters, type Query, type ScreenName } from './addresses.ts';
import { BASE } from './api/config.ts';

const ROOT = `${BASE}/admin`;

/** The link to a screen. */
export function href(screen: ScreenName, parameters?: Parameters, query?: Query): string {
  return ROOT + addressOf(screen, parameters, query);
}

/** The screen that the application shows. Links change it, and so do the browser's Back and Forward. */
class Router {
  #url = $state.raw(new URL(location.href));

  /** Grows with each page that is shown. */
  page = $state(0);
  /** Undefined for an address without a screen. */
  readonly match = $derived(matchUrl(this.#url));
  readonly query = $derived(this.#url.searchParams);

  /** Shows the screen at an address of this site. */
  go(address: string, { replace = false } = {}): void {
    const url = new URL(address, location.href);
    if (replace) history.replaceState(null, '', url);
    else history.pushState(null, '', url);
    const isOtherPath = url.pathname !== this.#url.pathname;
    this.#url = url;
    if (!isOtherPath) return;
    this.page++;
    window.scrollTo(0, 0);
  }

  /** Gives the present page another address, as it has become that of something that was created. */
  rename(address: string): void {
    this.#url = new URL(address, location.href);
    history.replaceState(null, '', this.#url);
  }

  /** Changes parameters of the current address; undefined or an empty text removes one. */
  setQuery(changes: Query, options?: { readonly replace?: boolean }): void {
    const url = new URL(this.#url);
    for (const [name, value] of Object.entries(changes)) {
      if (value === undefined || value === '') url.searchParams.delete(name);
      else url.searchParams.set(name, value);
    }
    if (url.href !== this.#url.href) this.go(url.href, options);
  }

  /** To be called when the browser's history moves. */
  follow(): void {
    const url = new URL(location.href);
    if (url.pathname !== this.#url.pathname) this.page++;
    if (url.href.split('#')[0] !== this.#url.href.split('#')[0]) this.#url = url;
  }

  /** Handles a click on a link to a screen. The browser follows all other links. */
  click(event: MouseEvent): void {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    const link = event.target instanceof Element ? event.target.closest('a[href]') : null;
    if (!(link instanceof HTMLAnchorElement) || link.target !== '' || link.hasAttribute('download')) return;
    const url = new URL(link.href);
    if (url.hash !== '' || matchUrl(url) === undefined) return;
    event.preventDefault();
    this.go(url.href);
  }
}

export const router = new Router();

function matchUrl({ origin, pathname }: URL): ReturnType<typeof matchAddress> {
  const isBelow = pathname === ROOT || pathname.startsWith(`${ROOT}/`);
  return origin === location.origin && isBelow ? matchAddress(pathname.slice(ROOT.length)) : undefined;
}
