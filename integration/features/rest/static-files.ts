import type { StaticDocument, StaticFiles } from '../../core/api/request.ts';
import {
  EVERYTHING,
  entitiesWithFiles,
  entityFilePath,
  pageCount,
  staticDocument,
} from '../../core/api/static-files.ts';
import type { Entity, ResourceType } from '../../core/content/model.ts';
import { writeJson, writeWhole } from '../../core/read/compose.ts';
import { staticPage } from '../../core/read/links.ts';
import type { DocumentContext } from '../../core/read/reader.ts';
import { bundlesDocument, entityDocument, listDocument } from './document.ts';
import { type BundleNames, createBundleNames } from './names.ts';
import { parseRestQuery } from './parse-rest.ts';
import { createRestStaticLinks } from './rest-links.ts';
import { REST_PATH } from './routes.ts';

export const REST_FILES: StaticFiles = {
  async *'rest-entry'({ services, access }) {
    const { store, settings } = services;
    const names = createBundleNames(store.types.values(), settings.plurals);
    const links = createRestStaticLinks(settings, names);
    yield staticDocument(`${REST_PATH.slice(1)}.json`, () =>
      writeJson(bundlesDocument({ services, access, links }, names)),
    );
  },
  async *rest(site) {
    const { services, access } = site;
    const names = createBundleNames(services.store.types.values(), services.settings.plurals);
    for (const type of services.store.types.values()) {
      const { entities } = await services.engine.run(type, EVERYTHING, access);
      yield* restFiles(site, type, names, entities);
    }
  },
};

function* restFiles(
  context: DocumentContext,
  type: ResourceType,
  names: BundleNames,
  entities: readonly Entity[],
): Generator<StaticDocument> {
  const { services, access } = context;
  const { settings } = services;
  const stem = `${REST_PATH.slice(1)}/${names.plural(type)}`;
  const query = parseRestQuery('', 'list', settings);
  const restAt = (page: number) => ({
    services,
    access,
    links: createRestStaticLinks(settings, names, page),
  });
  for (let page = 1; page <= pageCount(entities, query.limit); page += 1) {
    yield staticDocument(staticPage(stem, page), async () =>
      writeWhole({ members: { ...(await listDocument(restAt(page), type, { ...query, page })) } }),
    );
  }
  for (const entity of entitiesWithFiles(context, entities)) {
    yield staticDocument(entityFilePath(stem, entity), async () =>
      writeJson(await entityDocument(restAt(1), type, entity, query)),
    );
  }
}
