import type { StaticFiles } from '../../core/api/request.ts';
import { staticDocument } from '../../core/api/static-files.ts';
import { writeJson } from '../../core/read/compose.ts';
import { filesDescription } from './document.ts';
import { OPENAPI_PATH } from './routes.ts';

export const DESCRIPTION_FILES: StaticFiles = {
  async *openapi({ services, access }) {
    const { static: files } = services.settings;
    if (files === undefined || files === false || files.openapi !== true) return;
    yield staticDocument(OPENAPI_PATH.slice(1), async () =>
      writeJson(await filesDescription(services, access)),
    );
  },
};
