import { AsyncLocalStorage } from 'node:async_hooks';
import { readJsonApi } from '../../core/api/jsonapi/answer.ts';
import type { OpenedFeature, Site } from '../../core/runtime/site.ts';
import { ServiceUnavailableError } from '../../core/util/errors.ts';
import { createFairLimiter } from '../../core/util/fair-limiter.ts';
import { previewPage, type ShownContent } from './preview-page.ts';

/** Previews at the same time. Others wait, so that those who came first see theirs first. */
const AT_ONCE = 4;
const MAX_WAITING = 500;

export function openPreview({ recordedPages }: Site): OpenedFeature {
  const contents = new AsyncLocalStorage<ShownContent>();
  const inTurn = createFairLimiter(
    AT_ONCE,
    MAX_WAITING,
    () => new ServiceUnavailableError('Too many previews are waiting. Try again later.', 10),
  );
  // `edit.ts` reads it in the code of pages, which a build bundles apart.
  Object.assign(globalThis, {
    [Symbol.for('astro-jsonapi:previews')]: () => contents.getStore() !== undefined,
  });
  return {
    shown(collection) {
      const content = contents.getStore();
      if (collection !== undefined) content?.collections.add(collection);
      else if (content !== undefined) content.queries += 1;
      return content?.reader;
    },
    handlers: {
      preview: {
        answer: readJsonApi,
        write: (request) =>
          inTurn(() => previewPage(request, (content, work) => contents.run(content, work), recordedPages), {
            parties: [request.actor.name ?? ''],
          }),
      },
    },
  };
}
