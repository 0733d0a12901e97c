import { ANONYMOUS } from '../core/access/actor.ts';
import type { UntypedContentApi } from '../core/builder/index.ts';
import type { Reader } from '../core/read/reader.ts';
import type { PreviewedEntry } from './previewed-entries.ts';
import { registeredRuntime } from './runtime-registry.ts';

/** The part of `astro/content/runtime` that answers pages. */
export interface ContentRuntime {
  createGetCollection(deps: never): GetCollection;
  createGetEntry(deps: never): GetEntry;
}

type GetCollection = (
  collection: string,
  filter?: (entry: PreviewedEntry) => unknown,
) => Promise<readonly PreviewedEntry[]>;
type GetEntry = (collection: string | EntryLookup, id?: string) => Promise<PreviewedEntry | undefined>;

interface EntryLookup {
  readonly collection: string;
  readonly id?: string;
  readonly slug?: string;
}

/** The entries of one collection that differ in a preview. */
export interface CollectionChanges {
  /** All entries, in order. */
  readonly entries: readonly PreviewedEntry[];
  /** Undefined for an entry that the preview does not have. */
  readonly changed: ReadonlyMap<string, PreviewedEntry | undefined>;
}

/** The content of a preview, and that of the site. */
export interface PreviewedContent {
  readonly shown: Reader;
  readonly site: Reader;
}

/** Finds the entries of a collection in a preview. Undefined if its loader does not say which files they are from. */
export type PreviewCollection = (
  name: string,
  saved: readonly PreviewedEntry[],
  content: PreviewedContent,
) => Promise<CollectionChanges | undefined>;

/**
 * `getCollection` and `getEntry` of Astro, which answer from the content of a preview in the page of a preview. `load` imports what
 * that needs. All other pages get the entries of Astro.
 */
export function openCollections(
  runtime: ContentRuntime,
  root: string,
  load: () => Promise<PreviewCollection>,
): ContentRuntime {
  const opened = new WeakMap<object, Map<string, Promise<CollectionChanges | undefined>>>();
  let getSaved: GetCollection | undefined;

  async function changesOf(name: string, getCollection: GetCollection) {
    const content = await openedContent(root);
    const previewed = content?.previewed?.(name);
    if (previewed === undefined) return undefined;
    const collections =
      opened.get(previewed.shown.store) ?? new Map<string, Promise<CollectionChanges | undefined>>();
    opened.set(previewed.shown.store, collections);
    const changes =
      collections.get(name) ??
      getCollection(name).then(async (saved) => (await load())(name, saved, previewed));
    collections.set(name, changes);
    if ((await changes) !== undefined) content?.previewed?.();
    return changes;
  }

  /** Runs `read`. The page is recorded with the files of the entries, if pages are. */
  async function observed<T extends PreviewedEntry | readonly PreviewedEntry[] | undefined>(
    code: string,
    read: () => Promise<T>,
  ): Promise<T> {
    const observe = (await openedContent(root))?.observe;
    if (observe === undefined) return read();
    let entries: T | undefined;
    // Texts of entries are large, and have digests.
    await observe({ code, path: '', actor: ANONYMOUS }, async () => {
      entries = await read();
      return [entries ?? []].flat().map(({ id, filePath, digest }) => ({ id, filePath, digest }));
    });
    return entries as T;
  }

  return {
    createGetCollection(deps) {
      const saved = runtime.createGetCollection(deps);
      getSaved = saved;
      return (name, filter) =>
        observed(`getCollection('${name}')`, async () => {
          const changes = await changesOf(name, saved);
          if (!changes?.changed.size) return saved(name, filter);
          const entries = changes.entries.map((entry) => ({ ...entry }));
          return typeof filter === 'function' ? entries.filter(filter) : entries;
        });
    },
    createGetEntry(deps) {
      const saved = runtime.createGetEntry(deps);
      const getCollection = getSaved ?? runtime.createGetCollection(deps);
      return (lookup, id) => {
        const [name, key] =
          typeof lookup === 'string' ? [lookup, id] : [lookup.collection, lookup.id ?? lookup.slug];
        return observed(`getEntry('${name}', '${key}')`, async () => {
          const { changed } = (await changesOf(name, getCollection)) ?? {};
          if (key === undefined || changed?.has(key) !== true) return saved(lookup, id);
          const entry = changed.get(key);
          return entry && { ...entry };
        });
      };
    },
  };
}

/** The content of a project, if it is open. Only then are there previews. */
async function openedContent(root: string): Promise<UntypedContentApi | undefined> {
  const runtime = registeredRuntime<{ readonly content: UntypedContentApi }>(root);
  // A runtime that is not open yet loses the race.
  return (await Promise.race([runtime, undefined]).catch(() => undefined))?.content;
}
