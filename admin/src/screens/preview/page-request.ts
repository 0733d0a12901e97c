import { postOperations } from '../../api/content.ts';
import { type JsonObject, objectOf } from '../../api/document.ts';

/** A page of the site with the changes of a form. */
export interface PreviewedPage {
  /** The path of the page, with the base of the site. */
  readonly url: string;
  readonly status: number;
  /** Undefined if the page could not be rendered. */
  readonly html: string | undefined;
  /** False if the page asks for its content in a way that the preview cannot change. */
  readonly follows: boolean;
  /** Collections of Astro that a page reads that does not follow. */
  readonly collections: readonly string[];
  /** Why the page could not be rendered. */
  readonly message: string;
  /** The file and the line at fault; undefined if unknown. */
  readonly location: string | undefined;
}

/** Without a path, it is the page of the entity. Throws RequestError. */
export async function requestPage(operation: JsonObject, path: string | undefined): Promise<PreviewedPage> {
  const query = path === undefined ? '' : `?${new URLSearchParams({ path })}`;
  const { document } = await postOperations(`/_preview${query}`, [operation]);
  const { page } = objectOf(objectOf(document).meta);
  const { url, status, html, queries, collections, message, location } = objectOf(page);
  return {
    url: String(url),
    status: Number(status),
    html: typeof html === 'string' ? html : undefined,
    follows: queries !== 0,
    collections: Array.isArray(collections) ? collections.map(String) : [],
    message: String(message ?? ''),
    location: typeof location === 'string' ? location : undefined,
  };
}
