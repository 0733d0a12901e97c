import { bodyText, type Entity } from '../content/model.ts';
import { LruMap } from '../util/lru-map.ts';
import { errorMessage, escapeHtml } from '../util/text.ts';
import { UnrenderableError } from './heavy-text.ts';

type RenderBody = (entity: Entity) => Promise<string>;

/**
 * Renders bodies for responses. A body that is too heavy to render becomes plain text, and so does one that the site's
 * processor cannot render if `errors` is `text`. Each version of such a body is logged once.
 */
export function createServedBody(
  render: RenderBody,
  errors: 'reject' | 'text',
  warn: (message: string) => void,
): RenderBody {
  const logged = new LruMap<string, true>(MAX_LOGGED);
  return async (entity) => {
    try {
      return await render(entity);
    } catch (error) {
      if (entity.body === null || (errors === 'reject' && !(error instanceof UnrenderableError))) throw error;
      const version = `${entity.key} ${entity.revision}`;
      if (logged.get(version) === undefined) warn(plainTextWarning(entity.key, error));
      logged.set(version, true);
      return textAsHtml(bodyText(entity.body));
    }
  };
}

/** The warning for a body that is not rendered. */
export function plainTextWarning(key: string, cause: unknown): string {
  return `The body of ${key} is shown as plain text in <pre>: ${errorMessage(cause)}`;
}

/** Versions of bodies that are not logged again. */
const MAX_LOGGED = 10_000;

/** Plain text as HTML. */
export function textAsHtml(text: string): string {
  return `<pre>${escapeHtml(text)}</pre>`;
}
