import { AsyncLocalStorage } from 'node:async_hooks';
import { readJsonApi } from '../../core/api/jsonapi/answer.ts';
import type { OpenedFeature, Site } from '../../core/runtime/site.ts';
import { previewPage, type ShownContent } from './preview-page.ts';

export function openPreview({ recordedPages }: Site): OpenedFeature {
  const contents = new AsyncLocalStorage<ShownContent>();
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
          previewPage(request, (content, work) => contents.run(content, work), recordedPages),
      },
    },
  };
}
