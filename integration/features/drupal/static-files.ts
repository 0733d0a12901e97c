import type { StaticFiles } from '../../core/api/request.ts';
import { staticDocument } from '../../core/api/static-files.ts';
import { writeDocument } from '../../core/read/compose.ts';
import { menuDocument, menuTypes } from './menu.ts';

export const MENU_FILES: StaticFiles = {
  async *menu(site) {
    for (const type of menuTypes(site.services.store)) {
      const path = `jsonapi/menu_items/${type.bundle}.json`;
      yield staticDocument(path, async () => writeDocument(await menuDocument(site, type, '')));
    }
  },
};
