import type { FileFacts, FileSource } from '../storage/file-source.ts';
import { closestName } from '../util/closest-name.ts';
import { type FilePlace, fileAt, isServable } from './file-place.ts';

/** Where fields find their files. */
export interface FileSources {
  /** Files in the content folder. */
  readonly content: FileSource;
  readonly public: FileSource;
}

/** What is known of a file: its facts; or that there is none, with the name of the one most like it. */
export type KnownFile =
  | { readonly facts: FileFacts }
  | { readonly facts: undefined; readonly near: FilePlace | undefined };

/** Files by URI. Decoding asks without waiting; what is not known yet is noted, and found by `lookUp`. */
export interface FileCatalog {
  /** Undefined where nothing is known yet. */
  find(uri: string): KnownFile | undefined;
  /** Looks up all that was asked for in vain. Answers whether there was anything. */
  lookUp(): Promise<boolean>;
  /** The file may have changed, or come or gone. */
  forget(uri: string): void;
  clear(): void;
}

export function createFileCatalog(sources: FileSources): FileCatalog {
  const known = new Map<string, KnownFile>();
  const wanted = new Set<string>();

  async function lookUpOne(uri: string, keysOf: KeysOf): Promise<void> {
    const place = fileAt(uri);
    const facts = place && (await sources[place.source].facts(place.key));
    known.set(uri, facts ? { facts } : { facts, near: place && nearest(place, await keysOf(place.source)) });
  }

  async function servableKeys(source: FilePlace['source']): Promise<readonly string[]> {
    return (await sources[source].keys()).filter((key) => isServable({ source, key }));
  }

  return {
    find(uri) {
      const file = known.get(uri);
      if (file === undefined) wanted.add(uri);
      return file;
    },
    async lookUp() {
      const uris = [...wanted];
      wanted.clear();
      const listed = new Map<FilePlace['source'], Promise<readonly string[]>>();
      const keysOf: KeysOf = (source) => {
        const keys = listed.get(source) ?? servableKeys(source);
        listed.set(source, keys);
        return keys;
      };
      for (const uri of uris) await lookUpOne(uri, keysOf);
      return uris.length > 0;
    },
    forget: (uri) => void known.delete(uri),
    clear: () => known.clear(),
  };
}

type KeysOf = (source: FilePlace['source']) => Promise<readonly string[]>;

/** A file of the same folder with a similar name, else one with a similar path. */
function nearest({ source, key }: FilePlace, keys: readonly string[]): FilePlace | undefined {
  const folder = key.slice(0, key.lastIndexOf('/') + 1);
  const siblings = keys.filter((each) => each.startsWith(folder) && !each.includes('/', folder.length));
  const name = closestName(
    key.slice(folder.length),
    siblings.map((each) => each.slice(folder.length)),
  );
  const near = name === undefined ? closestName(key, keys) : folder + name;
  return near === undefined ? undefined : { source, key: near };
}
