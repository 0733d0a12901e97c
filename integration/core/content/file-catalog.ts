import type { FileFacts, FileSource } from '../storage/file-source.ts';
import { closestName } from '../util/closest-name.ts';
import { type FileLocation, fileAt, isOutside, isServable } from './file-location.ts';
import type { Layout } from './layout.ts';

/** Where fields find their files. */
export interface FileSources {
  /** Files in the content folder. */
  readonly content: FileSource;
  readonly public: FileSource;
}

/** A file that exists, or the existing file with the most similar name. */
export type KnownFile =
  | { readonly facts: FileFacts }
  | { readonly facts: undefined; readonly near: FileLocation | undefined };

/** Files by URI. Decoding is synchronous: `find` records unknown files, and `lookUp` reads them. */
export interface FileCatalog {
  /** Undefined if the file has not been looked up yet. */
  find(uri: string): KnownFile | undefined;
  /** Looks up all recorded files. Returns true if there were any. */
  lookUp(): Promise<boolean>;
  /** Drops a file that may have changed, appeared or disappeared. */
  forget(uri: string): void;
  /** Drops all images outside of the content folder, whose changes are not reported. */
  forgetOutside(): void;
  clear(): void;
  /** True if a field or a body may name the file. */
  isServable(location: FileLocation): boolean;
}

export function createFileCatalog(sources: FileSources, layout: Layout): FileCatalog {
  const files = new Map<string, KnownFile>();
  const recorded = new Set<string>();
  const outside = new Set<string>();

  async function lookUpOne(
    uri: string,
    keysOf: (source: FileLocation['source']) => Promise<readonly string[]>,
  ) {
    const location = fileAt(uri);
    const facts = location && (await sources[location.source].facts(location.key));
    const isUnlisted = location !== undefined && location.source === 'content' && isOutside(location.key);
    if (isUnlisted) outside.add(uri);
    const near =
      facts || isUnlisted || !location ? undefined : nearest(location, await keysOf(location.source));
    files.set(uri, facts ? { facts } : { facts, near });
  }

  return {
    find(uri) {
      const file = files.get(uri);
      if (file === undefined) recorded.add(uri);
      return file;
    },
    async lookUp() {
      const uris = [...recorded];
      recorded.clear();
      const listings = new Map<FileLocation['source'], Promise<readonly string[]>>();
      const keysOf = (source: FileLocation['source']) => {
        const keys =
          listings.get(source) ??
          sources[source]
            .list()
            .then((all) => all.map(({ key }) => key).filter((key) => isServable({ source, key }, layout)));
        listings.set(source, keys);
        return keys;
      };
      for (const uri of uris) await lookUpOne(uri, keysOf);
      return uris.length > 0;
    },
    forget: (uri) => void files.delete(uri),
    forgetOutside() {
      for (const uri of outside) files.delete(uri);
      outside.clear();
    },
    clear: () => files.clear(),
    isServable: (location) => isServable(location, layout),
  };
}

/** A file in the same folder with a similar name, else one with a similar path. */
function nearest({ source, key }: FileLocation, keys: readonly string[]): FileLocation | undefined {
  const folder = key.slice(0, key.lastIndexOf('/') + 1);
  const siblings = keys.filter((each) => each.startsWith(folder) && !each.includes('/', folder.length));
  const name = closestName(
    key.slice(folder.length),
    siblings.map((each) => each.slice(folder.length)),
  );
  const near = name === undefined ? closestName(key, keys) : folder + name;
  return near === undefined ? undefined : { source, key: near };
}
