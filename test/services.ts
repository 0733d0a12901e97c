import { createPolicy } from '../integration/access/policy.ts';
import type { Roles } from '../integration/access/role.ts';
import { createScheduleClock } from '../integration/access/schedule.ts';
import type { Services } from '../integration/api/services.ts';
import { staticDocuments } from '../integration/api/static/documents.ts';
import { createCollector } from '../integration/content/collect.ts';
import { createGoneEntities } from '../integration/content/ledger.ts';
import { createPastContent } from '../integration/content/past-content.ts';
import type { SchemaDefinition } from '../integration/content/schema/schema.ts';
import { createSlicedEngine } from '../integration/engine/create-engine.ts';
import { DEFAULT_LIMITS } from '../integration/engine/limits.ts';
import {
  createEntityStore,
  type IndexedStore,
  storeTarget,
} from '../integration/engine/store/entity-store.ts';
import { createFullText } from '../integration/engine/text/full-text.ts';
import { createTimeSlices } from '../integration/engine/time-slices.ts';
import { createCacheBudget } from '../integration/read/cache-budget.ts';
import { createFragments } from '../integration/read/fragment.ts';
import { createLargeAnswers } from '../integration/read/production.ts';
import type { ApiSettings } from '../integration/read/settings.ts';
import { isWritable, type StorageDriver } from '../integration/storage/driver.ts';
import { createFileSource, NO_FILES } from '../integration/storage/file-source.ts';
import { ownChecks } from '../integration/write/content-checks.ts';
import { createContentWriter } from '../integration/write/create-writer.ts';
import type { WriterDeps } from '../integration/write/writer.ts';

/** The settings of a site at `/` that changed no option. */
export const SETTINGS: ApiSettings = {
  base: '',
  trailingSlash: 'ignore',
  pageSize: { default: 50, max: 50, unlimited: true },
  limits: DEFAULT_LIMITS,
  plurals: {},
  staticQueries: {},
  maxAge: 0,
  serverTiming: false,
  explorer: false,
  health: '/healthz',
};

/** What a test may have otherwise. */
export interface TestSite {
  readonly settings?: Partial<ApiSettings>;
  /** The clock of the policy; the real one by default. */
  readonly now?: () => number;
  readonly renderBody?: Services['renderBody'];
  /** The files of the content folder; those of the driver by default. */
  readonly files?: Services['files'];
  /** Files of `public/`. */
  readonly publicFiles?: StorageDriver;
  /** As option `roles` has them. */
  readonly roles?: Roles;
  /** Alias patterns by bundle. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** Given where content can be written. */
  readonly writable?: Partial<Pick<WriterDeps, 'options' | 'onWritten' | 'checks'>>;
}

/** All a surface needs, over a store that is loaded already. */
export function servicesOver(store: IndexedStore, site: TestSite = {}): Services {
  const { now = Date.now, roles = {} } = site;
  const settings = { ...SETTINGS, ...site.settings };
  const cache = createCacheBudget(8e6);
  const slices = createTimeSlices(setImmediate);
  return {
    store,
    engine: createSlicedEngine(
      store,
      createFullText({ store, language: 'en', slices }),
      settings.limits,
      slices,
    ),
    access: createPolicy(store, { now, roles }),
    fragments: createFragments(store, cache, 'test'),
    cache,
    largeAnswers: createLargeAnswers(slices),
    clock: createScheduleClock(store, now),
    renderBody: site.renderBody ?? (async ({ body, id }) => (body === null ? '' : `<p>${id}</p>`)),
    files: site.files ?? NO_FILES,
    settings,
    writer: null,
    past: null,
    gone: { find: async () => undefined },
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
  const base = site.settings?.base ?? '';
  const options = {
    published: {},
    danglingReferences: 'missing',
    defaultLangcode: 'en',
    aliases,
    base,
  } as const;
  const files = { public: site.publicFiles ? createFileSource(site.publicFiles) : NO_FILES };
  const store = createEntityStore({ locale: 'en' });
  const collector = createCollector({ driver, schema, files, options, target: storeTarget(store) });
  await collector.load();
  const errors = collector.diagnostics().filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new Error(JSON.stringify(errors, null, 2));
  const reading = {
    ...servicesOver(store, { files: createFileSource(driver), ...site }),
    gone: createGoneEntities(driver),
    past: driver.past === undefined ? null : createPastContent(driver.past(), collector),
    diagnostics: collector.diagnostics,
  };
  const { writable } = site;
  if (writable === undefined || !isWritable(driver)) return reading;
  return {
    ...reading,
    writer: createContentWriter({
      driver,
      collector,
      store,
      reader: reading,
      renderBody: reading.renderBody,
      now: site.now ?? Date.now,
      options: { requireIfMatch: false, onDelete: 'restrict' },
      checks: ownChecks,
      ...writable,
    }),
  };
}

/** The text of every file of a site without a server, by path below its root. */
export async function staticFiles(services: Services): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for await (const document of staticDocuments(services)) {
    files.set(document.path, Buffer.from(await document.write()).toString());
  }
  return files;
}
