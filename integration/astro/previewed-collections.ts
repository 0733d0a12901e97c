import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { patternMatcher } from '../core/content/layout.ts';
import { type Entity, referenceKey } from '../core/content/model.ts';
import type { Reader } from '../core/read/reader.ts';
import { referencesOf } from '../core/read/serialize.ts';
import { fileOfKey } from '../core/storage/key.ts';
import { isRecord } from '../core/util/json.ts';
import { filesOf, OWN_LOADER, type ProjectFolders } from './collection-config.ts';
import type { PreviewCollection, PreviewedContent } from './collection-door.ts';
import { openCollection } from './collection-entities.ts';
import type { FolderLoader } from './collection-modules.ts';
import type { EntityLoader } from './preview-modules.ts';
import {
  type EntryData,
  fileData,
  type ParseData,
  type PreviewedEntry,
  previewedEntry,
  schemaParser,
} from './previewed-entries.ts';

/** The collections of a site, with the loaders of `preview-modules.ts`. */
export interface PreviewedCollections {
  readonly collections: unknown;
  /** Of the build. */
  readonly folders: ProjectFolders;
  /** On a server: the revisions of the files from which its build has filled the collections. */
  readonly built?: Readonly<Record<string, string>> | undefined;
}

/** A file whose entry differs from the one in the collection. `after` is undefined for a file that the preview does not have. */
interface Change {
  readonly file: string;
  readonly before?: Entity | undefined;
  readonly after?: Entity | undefined;
}

interface Collection extends PreviewedContent {
  readonly name: string;
  readonly saved: readonly PreviewedEntry[];
  readonly parse: ParseData;
  readonly changes: readonly Change[];
  /** The path of a file relative to the project. */
  filePath(file: string): string;
}

export function createPreviewedCollections(deps: PreviewedCollections): PreviewCollection {
  const { collections, folders, built } = deps;
  const contentPath = path.relative(folders.root, folders.contentDir).replaceAll('\\', '/');

  return async (name, saved, content) => {
    const config = isRecord(collections) ? collections[name] : undefined;
    const { loader, schema } = isRecord(config) ? config : {};
    const changes = changesIn(content, built);
    const parse = schemaParser(name, schema);
    const filePath = (file: string) => path.posix.join(contentPath, file);
    const collection = { name, saved, parse, changes, filePath, ...content };
    const entries = isEntityLoader(loader)
      ? await entityEntries(collection, loader)
      : await fileEntries(collection, loader, folders);
    if (entries === undefined) return undefined;
    const former = new Map(saved.map((entry) => [entry.id, entry]));
    const present = new Map(entries.map((entry) => [entry.id, entry]));
    const ids = [...new Set([...former.keys(), ...present.keys()])];
    const changed = ids.filter((id) => former.get(id) !== present.get(id));
    return { entries, changed: new Map(changed.map((id) => [id, present.get(id)])) };
  };
}

/** The entries of `jsonapiLoader`. */
async function entityEntries(
  { name, saved, parse, changes, filePath, shown, site }: Collection,
  { bundle, options }: EntityLoader,
): Promise<readonly PreviewedEntry[]> {
  const [before, after] = [
    await openCollection(site, bundle, options),
    await openCollection(shown, bundle, options),
  ];
  const stored = new Map(saved.map((entry) => [entry.id, entry]));
  const former = new Map(before.entities.map((entity) => [entity.id, entity]));
  const touched = new Set(
    changes.flatMap((change) => [change.before ?? [], change.after ?? []].flat().map(referenceKey)),
  );
  const fields = [...after.type.fields.values()].filter(({ kind }) => kind === 'reference');
  const isSame = (entity: Entity) =>
    former.get(entity.id) === entity &&
    !touched.has(referenceKey(entity)) &&
    !fields.some((field) =>
      referencesOf(entity.values[field.name]).some((target) => touched.has(referenceKey(target))),
    );
  const entries: PreviewedEntry[] = [];
  for (const entity of after.entities) {
    const own = stored.get(entity.id);
    const base = former.get(entity.id);
    if (own !== undefined && isSame(entity)) {
      entries.push(own);
      continue;
    }
    const source = {
      id: entity.id,
      collection: name,
      filePath: filePath(fileOfKey(entity.key)),
      entity,
      data: after.dataOf(entity),
      frontmatter: entity.values,
      saved: own,
      savedData: base && before.dataOf(base),
    };
    entries.push(await previewedEntry(source, parse, shown));
  }
  return entries;
}

/** The entries of Astro's `glob()`, and those of other loaders that name a file for each entry, unlike `file()`. Undefined for others. */
async function fileEntries(
  collection: Collection,
  loader: unknown,
  folders: ProjectFolders,
): Promise<readonly PreviewedEntry[] | undefined> {
  const { name, saved, parse, changes, filePath, shown, site } = collection;
  const stored = new Map(saved.map((entry) => [entry.filePath, entry]));
  const files = filesOf(name, loader, folders);
  const named = saved.flatMap(({ filePath: file }) => (file?.startsWith(filePath('/')) ? file : []));
  const isNamed = named.length > 0 && new Set(named).size === named.length;
  if (files?.folder.startsWith('..') !== false && !isNamed) return undefined;
  const matches = patternMatcher(files?.patterns ?? []);
  const isMember = (file: string) => {
    const below = files && path.posix.relative(files.folder, file);
    return below !== undefined && !below.startsWith('../') && matches(below);
  };
  const replaced = new Map<PreviewedEntry, PreviewedEntry | undefined>();
  const added: PreviewedEntry[] = [];
  for (const { file, before, after } of changes) {
    const own = stored.get(filePath(file));
    if (after === undefined) {
      if (own !== undefined) replaced.set(own, undefined);
    } else if (own !== undefined || isMember(file)) {
      const [data, savedData] = [await fileData(after, shown), before && (await fileData(before, site))];
      const id = idOf({ loader, file, data, savedData, own, folders, folder: files?.folder ?? '' });
      const source = {
        ...{ id, collection: name, filePath: filePath(file), entity: after },
        ...{ data, frontmatter: data, saved: own, savedData },
      };
      const entry = await previewedEntry(source, parse, shown);
      if (own === undefined) added.push(entry);
      else replaced.set(own, entry);
    }
  }
  const kept = saved.flatMap((entry) => (replaced.has(entry) ? (replaced.get(entry) ?? []) : [entry]));
  return [...kept, ...added];
}

interface EntryFile {
  readonly loader: unknown;
  readonly file: string;
  readonly folders: ProjectFolders;
  /** The folder of the collection, relative to the content folder. */
  readonly folder: string;
  readonly data: EntryData;
  readonly savedData: EntryData | undefined;
  readonly own: PreviewedEntry | undefined;
}

/** The id that Astro's `glob()` gives an entry. An entry keeps the id that does not follow from its data. */
function idOf({ loader, file, folders, folder, data, savedData, own }: EntryFile): string {
  const { base = folder, generateId } = isRecord(loader) ? (loader as Partial<FolderLoader>) : {};
  const absolute =
    base === folder
      ? path.join(folders.contentDir, folder)
      : base.startsWith('file:')
        ? fileURLToPath(base)
        : path.resolve(folders.root, base);
  const entry = path.relative(absolute, path.join(folders.contentDir, file)).replaceAll('\\', '/');
  if (generateId !== undefined) {
    return String(generateId({ entry, base: pathToFileURL(`${absolute}/`), data }));
  }
  if (data.slug) return String(data.slug);
  return own === undefined || savedData?.slug ? slugOf(entry) : own.id;
}

/** Source: `getContentEntryIdAndSlug` of Astro. */
function slugOf(entry: string): string {
  const segments = entry.replace(/\.[^./]+$/, '').split('/');
  const slugs = segments.map((segment) =>
    segment
      .toLowerCase()
      .replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
      .replaceAll(' ', '-'),
  );
  return slugs.join('/').replace(/\/index$/, '');
}

/** The files whose entries differ from those in the collections. */
function changesIn(
  { shown, site }: PreviewedContent,
  built: PreviewedCollections['built'],
): readonly Change[] {
  const changes = new Map<string, Change>();
  const files = new Set<string>();
  for (const after of entitiesIn(shown)) {
    const before = site.store.get(after.type, after.id, after.translation);
    const file = fileOfKey(after.key);
    files.add(file);
    const isBuilt = built === undefined || built[file] === after.revision;
    if (before !== after || !isBuilt) changes.set(file, { file, before, after });
  }
  const former = [...entitiesIn(site)].map(({ key }) => fileOfKey(key));
  for (const file of [...former, ...Object.keys(built ?? {})])
    if (!files.has(file)) changes.set(file, { file });
  return [...changes.values()];
}

function* entitiesIn({ store }: Reader): Iterable<Entity> {
  for (const type of store.types.keys()) yield* store.entities(type);
}

function isEntityLoader(loader: unknown): loader is EntityLoader {
  return isRecord(loader) && loader.name === OWN_LOADER;
}
