import type { Access } from '../../access/access.ts';
import type { Actor } from '../../access/actor.ts';
import type { FileSources } from '../../content/file-catalog.ts';
import { uriOf } from '../../content/file-location.ts';
import { FILE_TYPE } from '../../content/file-resource.ts';
import { createSlicedEngine } from '../../engine/create-engine.ts';
import type { QueryEngine } from '../../engine/engine.ts';
import { createEntityStore } from '../../engine/store/entity-store.ts';
import type { Reader } from '../../read/reader.ts';
import { otherFile, visibleFiles } from '../../read/visible-files.ts';
import { mayUseUnusedFile } from '../unused-files.ts';

/** An engine over the files that an actor may see. */
export async function createFileEngine(
  services: Reader & { readonly fileSources?: FileSources },
  access: Access,
  actor: Actor | undefined,
): Promise<QueryEngine> {
  const { settings, fileSources } = services;
  const used = await visibleFiles(services, access);
  const ids = new Set(used.map(({ id }) => id));
  const unused = [];
  if (fileSources !== undefined && actor !== undefined && actor.name !== null) {
    for (const { key, size } of await fileSources.content.list()) {
      if (!mayUseUnusedFile({ services, access, actor }, key)) continue;
      const file = otherFile(services, uriOf({ source: 'content', key }), size, false);
      if (!ids.has(file.id)) unused.push(file);
    }
  }
  const store = createEntityStore({ locale: services.store.locale });
  store.load([FILE_TYPE], [...used, ...unused]);
  return createSlicedEngine(store, null, settings.limits);
}
