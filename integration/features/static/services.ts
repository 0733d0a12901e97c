import type { Access } from '../../core/access/access.ts';
import { createLanguageAccess } from '../../core/access/language-access.ts';
import type { ServedFeatures, Services } from '../../core/api/request.ts';
import type { Entity, FieldDefinition, ResourceType } from '../../core/content/model.ts';
import { isPublicOwner, USER_TYPE_NAME } from '../../core/content/owner.ts';
import { splitResourceType } from '../../core/content/resource-type.ts';
import { assembleEngine, listOf } from '../../core/engine/assemble-engine.ts';
import type { QueryEngine } from '../../core/engine/engine.ts';
import type { EngineParts } from '../../core/engine/engine-parts.ts';
import { withRelated } from '../../core/engine/related.ts';
import type { IndexedStore, NeededColumn } from '../../core/engine/store/entity-store.ts';
import { compareRaw, createOrderings } from '../../core/engine/store/ordering.ts';
import type { Table } from '../../core/engine/store/table.ts';
import type { TimeSlices } from '../../core/engine/time-slices.ts';
import { createCacheBudget } from '../../core/read/cache-budget.ts';
import { createFragments } from '../../core/read/fragment.ts';
import type { ApiSettings } from '../../core/read/settings.ts';
import { NO_FILES } from '../../core/storage/no-files.ts';
import { lazyCode, loadCode } from '../../core/util/lazy-code.ts';
import { type SnapshotFiles, untilLoaded } from './files.ts';
import {
  type BlockFile,
  type GoneFile,
  goneDigest,
  type Manifest,
  readNumbers,
  referencesIn,
  type TableRecord,
  type TypeRecord,
} from './format.ts';
import { rowOfEntity, SnapshotTable } from './table.ts';

/** Memory for responses and fragments. */
const CACHE_BYTES = 8e6;

/**
 * The services of a read-only site over the files of a snapshot, as anonymous. What needs a file that is not loaded yet
 * throws NotLoadedError; the engine and the rendered bodies load their files by themselves. With `slices`, long queries run
 * between other requests.
 */
export function createSnapshotServices(
  manifest: Manifest,
  files: SnapshotFiles,
  slices?: TimeSlices,
): SnapshotServices {
  const { search, gone: moved } = manifest;
  const settings = manifest.settings as unknown as ApiSettings;
  const { store, engineStore, tables } = createStore(manifest, files);
  const cache = createCacheBudget(CACHE_BYTES);
  const fragments = createFragments(store, cache, manifest.form, ({ revision }) => revision || undefined);
  const services: SnapshotServices = {
    documentSegments: manifest.documents,
    store,
    engine: createEngine(engineStore, files, manifest, settings, slices),
    access: createAnonymousAccess(manifest, settings),
    renderBody: (entity) =>
      untilLoaded(files, () => tables.get(entity.type)?.html(rowOfEntity(entity)) ?? ''),
    loadBodies: (entities) =>
      untilLoaded(files, () =>
        files.require(
          entities.flatMap((entity) => tables.get(entity.type)?.bodiesName(rowOfEntity(entity)) ?? []),
        ),
      ),
    files: NO_FILES,
    fileSources: { content: NO_FILES, public: NO_FILES },
    settings,
    fragments,
    cache,
    clock: { now: Date.now, nextScheduledChange: () => Number.POSITIVE_INFINITY },
    past: null,
    gone: {
      find: (type, id) =>
        untilLoaded(files, () =>
          (tables.get(type)?.isGone(id) ?? (moved && (files.get(moved) as GoneFile).includes(goneDigest(id))))
            ? { type, id, at: '', published: true, uid: null }
            : undefined,
        ),
      all: async () => [],
    },
    diagnostics: () => [],
    searchTerms: search && (async () => (await loadCode(() => import('./search.ts'))).siteTerms(search)),
    writer: null,
    uncommitted: async () => undefined,
  };
  return { ...services, engine: withRelated(services.engine, services) };
}

/** A server adds its features, and what limits its large responses. */
export interface SnapshotServices
  extends Omit<Services, 'features' | 'responseLimiter'>,
    Pick<ServedFeatures, 'documentSegments'> {}

/** A store whose entities are loaded when they are needed. */
function createStore(
  manifest: Manifest,
  files: SnapshotFiles,
): {
  readonly store: IndexedStore;
  readonly engineStore: IndexedStore;
  readonly tables: ReadonlyMap<string, SnapshotTable>;
} {
  const types = new Map(manifest.types.map((record) => [record.name, typeOf(record)]));
  const unseen = unseenTypes(types);
  const orderings = createOrderings(manifest.locale);
  /** The blocks of the existing targets of the references that are loaded; -1 for a hidden target. */
  const blocks = new Map<string, Map<string, number>>();

  function onBlock(block: BlockFile): void {
    const targets = readNumbers(block.targets);
    referencesIn(block.values).forEach(({ type, id }, i) => {
      if (targets[i] === 0) return;
      const known = blocks.get(type) ?? new Map<string, number>();
      blocks.set(type, known.set(id, targets[i]! - 2));
    });
  }

  const tables = new Map(
    [...types.values(), ...unseen].map((type) => {
      const deps = {
        files,
        orderings,
        onBlock,
        blockOfTarget: (id: string) => blocks.get(type.name)?.get(id),
      };
      return [type.name, new SnapshotTable(type, manifest.tables[type.name] ?? EMPTY_TABLE, deps)];
    }),
  );
  const store: IndexedStore = {
    version: 0,
    locale: manifest.locale,
    types,
    table: (type) => tables.get(type),
    require(columns: Iterable<NeededColumn>) {
      files.require([...columns].flatMap((column) => tables.get(column.type)?.filesOf(column) ?? []));
    },
    // Readers only ask for targets of references: whether they exist.
    get: (type, id) => (blocks.get(type)?.has(id) ? placeholder(type, id) : undefined),
    translations: () => [],
    entities: (type) => tables.get(type)?.entities ?? [],
  };
  const allTypes = [...types.values(), ...unseen].sort((a, b) => compareRaw(a.name, b.name));
  const engineStore: IndexedStore = { ...store, types: new Map(allTypes.map((type) => [type.name, type])) };
  return { store, engineStore, tables };
}

/** The targets of references that are not in the API. Paths may lead to their ids, and never match. */
function unseenTypes(types: ReadonlyMap<string, ResourceType>): readonly ResourceType[] {
  const targets = [...types.values()].flatMap(({ fields }) =>
    [...fields.values()].flatMap((field) => field.targets),
  );
  const names = [...new Set(targets)].filter((name) => !types.has(name));
  return names.map((name) => ({ name, ...splitResourceType(name), fields: new Map(), origin: 'inferred' }));
}

const EMPTY_TABLE: TableRecord = {
  rows: 0,
  order: null,
  ranks: null,
  columns: {},
  recent: null,
  blocks: { rows: [], digests: '' },
  first: [],
  ids: '',
  gone: null,
  translations: null,
  words: [],
  vocabulary: { first: [], parts: '' },
};

function typeOf({ fields, unseen: _, ...type }: TypeRecord): ResourceType {
  return { ...type, fields: new Map(fields as unknown as [string, FieldDefinition][]) };
}

function placeholder(type: string, id: string): Entity {
  return { type, id, key: '', revision: '', values: {}, published: true, body: null };
}

/** The engine over the files. Each query loads the columns it needs, and starts again. */
function createEngine(
  store: IndexedStore,
  files: SnapshotFiles,
  manifest: Manifest,
  settings: ApiSettings,
  slices: TimeSlices | undefined,
): QueryEngine {
  const { search } = manifest;
  const index = search && lazyCode(async () => (await import('./search.ts')).loadSearch(search));
  const indexes = index === null ? undefined : { ...search, index: (table: Table) => index().index(table) };
  const engine = assembleEngine(PARTS, store, settings.limits, indexes);
  return {
    run: (type, query, access) =>
      untilLoaded(files, () =>
        slices === undefined
          ? engine.run(type, query, access)
          : slices.begin().finish(engine.runAttempt(listOf(type), query, access)),
      ),
    explain: (type, query, access) => untilLoaded(files, () => engine.explain(type, query, access)),
    find: (type, id, access) => untilLoaded(files, () => engine.find(type, id, access)),
    translations: (type, id, access) => untilLoaded(files, () => engine.translations(type, id, access)),
  };
}

const PARTS: EngineParts = {
  cursors: lazyCode(() => import('../../core/engine/plan/cursor-page.ts')),
  explain: lazyCode(() => import('../../core/engine/plan/explain.ts')),
  facets: lazyCode(() => import('../../core/engine/facets.ts')),
  merge: lazyCode(() => import('../../core/engine/plan/merge-parts.ts')),
  search: lazyCode(() => import('../../core/engine/search.ts')),
};

/** Anonymous visitors see everything in a snapshot. */
function createAnonymousAccess({ types }: Manifest, { languages }: ApiSettings): Services['access'] {
  const unseen = new Set(types.filter((type) => type.unseen).map(({ name }) => name));
  const access: Access = {
    visibility: () => null,
    fieldVisible: (type, field) => type.fields.has(field) && !isPublicOwner(type.fields.get(field)!),
    ownersShown: () => types.some(({ name }) => name === USER_TYPE_NAME),
    filterFor: (action, type) => (action === 'view' && !unseen.has(type.name) ? null : false),
    filterForField: () => false,
    allows: (action) => action === 'view',
    couldHaveSeen: () => true,
    fieldWritable: () => false,
    has: () => false,
  };
  if (languages === undefined) return () => access;
  const inLanguage = createLanguageAccess(languages);
  return (_, choice) => inLanguage(access, choice);
}
