import type { Access } from '../../access/access.ts';
import { FILE_TYPE, FILE_TYPE_NAME, isFileRelationship } from '../../content/file-resource.ts';
import type { ResourceType } from '../../content/model.ts';
import type { QueryEngine } from '../../engine/engine.ts';
import type { EntityStore } from '../../engine/store/entity-store.ts';
import type { DocumentContext } from '../../read/reader.ts';
import { loadCode } from '../../util/lazy-code.ts';

/** The context with files as one more resource type, if fields of the content have files. */
export function withFileResources<Context extends Omit<DocumentContext, 'links'>>(context: Context): Context {
  const { services, access } = context;
  const types = typesWithFiles(services.store.types);
  if (types === undefined) return context;
  const files = filesOf(context);
  return {
    ...context,
    access: accessWithFiles(access),
    services: {
      ...services,
      store: storeWithFiles(services.store, types),
      engine: engineWithFiles(services.engine, files),
    },
  };
}

const typesByContent = new WeakMap<Types, { readonly types: Types | undefined }>();

/** Undefined if no field has files, and if the content has a bundle `file--file` of its own. */
function typesWithFiles(content: Types): Types | undefined {
  const cached = typesByContent.get(content);
  if (cached !== undefined) return cached.types;
  const hasFiles = [...content.values()].some((type) => [...type.fields.values()].some(isFileRelationship));
  const all = [...content, [FILE_TYPE_NAME, FILE_TYPE] as const];
  const types =
    hasFiles && !content.has(FILE_TYPE_NAME) ? new Map(all.sort(([a], [b]) => (a < b ? -1 : 1))) : undefined;
  typesByContent.set(content, { types });
  return types;
}

type Types = EntityStore['types'];
type Files = Pick<DocumentContext, 'services' | 'access' | 'actor'>;

/** The files that the actor may see, as an engine; found at the first call. */
function filesOf(context: Files): () => Promise<QueryEngine> {
  let engine: Promise<QueryEngine> | undefined;
  return () => {
    engine ??= isAnonymous(context) ? cachedEngine(context) : createEngine(context);
    return engine;
  };
}

async function createEngine({ services, access, actor }: Files): Promise<QueryEngine> {
  const { createFileEngine } = await loadCode(() => import('./file-engine.ts'));
  return createFileEngine(services, access, actor);
}

/** Others also see files that nothing uses, whose changes do not change the content. */
function isAnonymous({ actor }: Files): boolean {
  return actor === undefined || actor.name === null;
}

const engines = new WeakMap<
  Access,
  { readonly basis: readonly unknown[]; readonly engine: Promise<QueryEngine> }
>();

/** The same engine while the content and its publication stay the same. */
function cachedEngine(context: Files): Promise<QueryEngine> {
  const { services, access } = context;
  const { version, types } = services.store;
  const basis = [version, ...[...types.values()].map((type) => access.visibility(type))];
  const cached = engines.get(access);
  if (cached !== undefined && basis.every((part, at) => part === cached.basis[at])) return cached.engine;
  const engine = createEngine(context);
  engines.set(access, { basis, engine });
  engine.catch(() => engines.delete(access));
  return engine;
}

function engineWithFiles(engine: QueryEngine, files: () => Promise<QueryEngine>): QueryEngine {
  const isFile = (type: ResourceType | readonly ResourceType[]) => [type].flat().includes(FILE_TYPE);
  return {
    run: (type, query, access) =>
      isFile(type) ? files().then((own) => own.run(type, query, access)) : engine.run(type, query, access),
    explain: (type, query, access) =>
      isFile(type)
        ? files().then((own) => own.explain(type, query, access))
        : engine.explain(type, query, access),
    find: (type, id, access) =>
      type === FILE_TYPE_NAME
        ? files().then((own) => own.find(type, id, access))
        : engine.find(type, id, access),
    translations: (type, id, access) =>
      type === FILE_TYPE_NAME ? [] : engine.translations(type, id, access),
  };
}

const accesses = new WeakMap<Access, Access>();

/** Files are found for each actor, so all of them are visible. They change with the content that uses them. */
function accessWithFiles(access: Access): Access {
  const cached = accesses.get(access);
  if (cached !== undefined) return cached;
  const isFile = (type: ResourceType) => type === FILE_TYPE;
  const own: Access = {
    ...access,
    visibility: (type) => (isFile(type) ? null : access.visibility(type)),
    fieldVisible: (type, field) => isFile(type) || access.fieldVisible(type, field),
    filterFor: (action, type) =>
      isFile(type) ? (action === 'view' ? null : false) : access.filterFor(action, type),
    filterForField: (type, field) => !isFile(type) && access.filterForField(type, field),
    allows: (action, entity) =>
      entity.type === FILE_TYPE_NAME ? action === 'view' : access.allows(action, entity),
    couldHaveSeen: (entity) =>
      entity.type === FILE_TYPE_NAME ? entity.published : access.couldHaveSeen(entity),
    fieldWritable: (type, ...rest) => !isFile(type) && access.fieldWritable(type, ...rest),
  };
  accesses.set(access, own);
  return own;
}

function storeWithFiles(store: EntityStore, types: Types): EntityStore {
  return {
    locale: store.locale,
    get version() {
      return store.version;
    },
    types,
    get: store.get,
    translations: store.translations,
    entities: store.entities,
  };
}
