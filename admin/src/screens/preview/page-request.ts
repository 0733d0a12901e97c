import { escapeHtml } from '../../../../integration/core/util/text.ts';
import { postOperations } from '../../api/content.ts';
import { type JsonObject, objectOf } from '../../api/document.ts';

/** A page of the site with the changes of a form. */
export interface PreviewedPage {
  /** The path of the page, with the base of the site. */
  readonly url: string;
  readonly status: number;
  /** A feed is a page with its text. Undefined if the page could not be rendered. */
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
  const { url, status, html, text, queries, collections, message, location } = objectOf(page);
  return {
    url: String(url),
    status: Number(status),
    html: typeof html === 'string' ? html : typeof text === 'string' ? textPage(text) : undefined,
    follows: queries !== 0,
    collections: Array.isArray(collections) ? collections.map(String) : [],
    message: String(message ?? ''),
    location: typeof location === 'string' ? location : undefined,
  };
}

/** Each element of a feed without line breaks has a line of its own. */
function textPage(text: string): string {
  const lines = text.startsWith('<') && !text.trim().includes('\n') ? text.replaceAll('><', '>\n<') : text;
  const style = 'pre { white-space: pre-wrap; overflow-wrap: anywhere } :root { color-scheme: light dark }';
  return `<!doctype html><style>${style}</style><pre>${escapeHtml(lines)}</pre>`;
}
