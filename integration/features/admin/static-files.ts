import { EXPLORER_PATH } from '../../core/api/paths.ts';
import type { StaticFiles } from '../../core/api/request.ts';
import { staticDocument } from '../../core/api/static-files.ts';
import { writeJson } from '../../core/read/compose.ts';
import { explorerSchema } from './explorer.ts';

export const EXPLORER_FILES: StaticFiles = {
  async *'explorer-schema'({ services, access }) {
    const path = `${EXPLORER_PATH.slice(1)}/schema.json`;
    yield staticDocument(path, async () => writeJson(await explorerSchema(services, access, 'static')));
  },
};
