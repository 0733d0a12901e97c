import { AsyncLocalStorage } from 'node:async_hooks';
import { readJsonApi } from '../../core/api/jsonapi/answer.ts';
import type { Reader } from '../../core/read/reader.ts';
import type { OpenedFeature } from '../../core/runtime/site.ts';
import { previewPage } from './preview-page.ts';

export function openPreview(): OpenedFeature {
  const shown = new AsyncLocalStorage<Reader>();
  return {
    shown: () => shown.getStore(),
    handlers: {
      preview: {
        answer: readJsonApi,
        write: (request) => previewPage(request, (reader, work) => shown.run(reader, work)),
      },
    },
  };
}
