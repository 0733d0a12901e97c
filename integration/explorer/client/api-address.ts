import { apiPath } from './read-url.ts';
import type { ExplorerConfig } from './schema.ts';

/** How paths below the API's prefix are written as URLs of this site, and read from them. */
export interface ApiAddress {
  /** `/base/jsonapi`. */
  readonly prefix: string;
  /** `/node/article?…` of a URL of the API; undefined for every other. */
  pathOf(url: string): string | undefined;
  urlOf(path: string): string;
  /** Whether a text of an answer is a URL of the API. */
  isUnderPrefix(text: string): boolean;
}

export function apiAddress({ base, mode }: ExplorerConfig): ApiAddress {
  const prefix = `${base}/jsonapi`;
  return {
    prefix,
    pathOf: (url) => apiPath(url, base),
    urlOf(path) {
      if (path !== '/') return prefix + path;
      return mode === 'static' ? `${prefix}/index.json` : prefix;
    },
    isUnderPrefix(text) {
      const local = text.startsWith(location.origin) ? text.slice(location.origin.length) : text;
      return local.startsWith(`${prefix}/`) || local === prefix;
    },
  };
}
