import { ANONYMOUS } from '../../access/actor.ts';
import { CONTENT_FILES_PREFIX } from '../../content/file-place.ts';
import { visibleContentFiles } from '../../read/content-files.ts';
import type { Reader } from '../../read/reader.ts';
import type { StaticDocument } from './documents.ts';

/** The files beside the content that entities visible to anonymous visitors refer to. */
export async function* staticContentFiles(services: Reader): AsyncGenerator<StaticDocument, void, undefined> {
  for await (const { key, bytes } of visibleContentFiles(services, services.access(ANONYMOUS))) {
    yield { path: `${CONTENT_FILES_PREFIX.slice(1)}/${key}`, write: async () => bytes };
  }
}
