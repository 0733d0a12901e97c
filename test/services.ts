import { createPolicy } from '../integration/access/policy.ts';
import { createCollector } from '../integration/entities/collect.ts';
import type { SchemaDefinition } from '../integration/entities/schema.ts';
import type { ApiSettings, Services } from '../integration/jsonapi/services.ts';
import { createQueryEngine } from '../integration/query/create-engine.ts';
import type { StorageDriver } from '../integration/storage/driver.ts';
import { createEntityStore, type IndexedStore } from '../integration/store/entity-store.ts';

/** The settings of a site at `/` that changed no option. */
export const SETTINGS: ApiSettings = {
  base: '',
  trailingSlash: 'ignore',
  maxPageSize: 50,
  allowUnlimitedPage: true,
  plurals: {},
  staticQueries: {},
  explorer: false,
};

/** What a test may have otherwise. */
export interface TestSite {
  readonly settings?: Partial<ApiSettings>;
  /** The clock of the policy; the real one by default. */
  readonly now?: () => number;
  readonly renderBody?: Services['renderBody'];
  /** Alias patterns by bundle. */
  readonly aliases?: Readonly<Record<string, string>>;
}

/** All a surface needs, over a store that is loaded already. */
export function servicesOver(store: IndexedStore, site: TestSite = {}): Services {
  return {
    store,
    engine: createQueryEngine(store),
    access: createPolicy(store, { now: site.now ?? Date.now }),
    renderBody: site.renderBody ?? (async ({ body, id }) => (body === null ? '' : `<p>${id}</p>`)),
    settings: { ...SETTINGS, ...site.settings },
    diagnostics: () => [],
  };
}

/** The same over files, through every layer. Throws where the content has errors. */
export async function servicesOf(
  driver: StorageDriver,
  schema?: SchemaDefinition,
  site: TestSite = {},
): Promise<Services> {
  const { aliases = {} } = site;
  const options = { published: {}, danglingReferences: 'missing', defaultLangcode: 'en', aliases } as const;
  const collector = createCollector({ driver, schema, options });
  const { types, entities } = await collector.load();
  const errors = collector.diagnostics().filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new Error(JSON.stringify(errors, null, 2));
  const store = createEntityStore({ locale: 'en' });
  store.load(types, entities);
  return { ...servicesOver(store, site), diagnostics: collector.diagnostics };
}
