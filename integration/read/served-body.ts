import { LRUCache } from 'lru-cache';
import { bodyText, type Entity } from '../content/model.ts';
import { errorMessage, escapeHtml } from '../util/text.ts';
import { UnrenderableError } from './heavy-text.ts';

type RenderBody = (entity: Entity) => Promise<string>;

/**
 * Bodies as HTML for answers. A body that is too heavy to render is answered as text, and so is a body that the site's
 * processor cannot render if `errors` is `text`. Each version of such a body is logged once.
 */
export function createServedBody(
  render: RenderBody,
  errors: 'reject' | 'text',
  warn: (message: string) => void,
): RenderBody {
  const logged = new LRUCache<string, true>({ max: MAX_LOGGED });
  return async (entity) => {
    try {
      return await render(entity);
    } catch (error) {
      if (entity.body === null || (errors === 'reject' && !(error instanceof UnrenderableError))) throw error;
      const version = `${entity.key} ${entity.revision}`;
      if (logged.get(version) === undefined) warn(shownAsText(entity.key, error));
      logged.set(version, true);
      return textAsHtml(bodyText(entity.body));
    }
  };
}

/** What the log says about a body. */
export function shownAsText(key: string, cause: unknown): string {
  return `The body of ${key} is shown as plain text in <pre>: ${errorMessage(cause)}`;
}

/** Versions of bodies that are not logged again. */
const MAX_LOGGED = 10_000;

/** A text as it is written, in a `<pre>`. */
export function textAsHtml(text: string): string {
  return `<pre>${escapeHtml(text)}</pre>`;
}
