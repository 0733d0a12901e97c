import { SearchBox } from './features/search-box/search-box.ts';

export { loadTexts } from './features/search-box/texts.ts';

/** Set by the integration. Undefined on sites without it. */
declare const __ASTRO_JSONAPI__: string | undefined;
declare const __ASTRO_JSONAPI_SITE__: SearchSite | undefined;

/** What the box needs to know of a site. */
export interface SearchSite {
  /** Astro's `base`, without a slash at its end. */
  readonly site: string;
  /** By langcode, what precedes the aliases of pages, such as `/de`. */
  readonly prefixes: Readonly<Record<string, string>>;
  /** True if addresses of pages end with a slash. */
  readonly slash: boolean;
  /** True if files answer queries, and not a server. */
  readonly static: boolean;
}

/** The site as its integration has configured it; undefined without the integration. */
export function searchSite(): SearchSite | undefined {
  return typeof __ASTRO_JSONAPI_SITE__ === 'object' ? __ASTRO_JSONAPI_SITE__ : undefined;
}

class SiteSearch extends SearchBox {
  protected readonly defaultBase = typeof __ASTRO_JSONAPI__ === 'string' ? __ASTRO_JSONAPI__ : '/jsonapi';

  protected async loadFetch(base: string): Promise<typeof fetch> {
    if (!this.hasAttribute('static')) return globalThis.fetch.bind(globalThis);
    const { createFetch } = await import('astro-jsonapi/client');
    return createFetch(base === this.defaultBase ? {} : { base });
  }
}

// Astro renders pages without custom elements, and a page may load the script twice.
if (globalThis.customElements?.get('jsonapi-search') === undefined) {
  globalThis.customElements?.define('jsonapi-search', SiteSearch);
}
