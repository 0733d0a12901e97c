import type { LimitFunction } from 'p-limit';
import type { FileHistory } from '../../core/storage/driver.ts';
import type { CarriedFiles, ForgeFile } from './carried-files.ts';
import { type Forge, type Head, isText, MAX_VERSIONS, pathBelow } from './forge.ts';

/** When files were created and changed, by key and hash of the blob. */
export interface CommitDates {
  /** Undefined if the dates are not known. */
  of(key: string, sha: string): FileHistory | undefined;
  set(key: string, sha: string, dates: FileHistory): void;
  /** The dates of files at a head. Asks the host for some of those that are not known. */
  all(
    files: ReadonlyMap<string, ForgeFile>,
    head: Head | undefined,
  ): Promise<ReadonlyMap<string, FileHistory>>;
}

export interface CommitDatesDeps {
  readonly forge: Forge;
  readonly folder: string;
  readonly carried: CarriedFiles;
  /** Bounds requests to the host. */
  readonly limit: LimitFunction;
}

/** Changed files whose commit dates are requested at once. */
const MAX_DATED = 200;

export function createCommitDates({ forge, folder, carried, limit }: CommitDatesDeps): CommitDates {
  const dates = new Map<string, FileHistory>();
  const nameOf = (key: string, sha: string) => `${sha} ${key}`;

  function of(key: string, sha: string): FileHistory | undefined {
    const isBuilt = carried.files.get(key)?.sha === sha;
    return dates.get(nameOf(key, sha)) ?? (isBuilt ? carried.dates.get(key) : undefined);
  }

  async function find(key: string, sha: string, { commit, at }: Head): Promise<FileHistory> {
    const versions = await limit(() => forge.versions(pathBelow(folder, key), commit, MAX_VERSIONS));
    const changed = versions[0]?.at ?? Math.floor(at / 1000);
    const created = carried.dates.get(key)?.created ?? versions.at(-1)?.at ?? changed;
    const found = { created, changed };
    dates.set(nameOf(key, sha), found);
    return found;
  }

  return {
    of,
    set: (key, sha, found) => void dates.set(nameOf(key, sha), found),
    async all(files, head) {
      const all = new Map<string, FileHistory>();
      const unknown: [string, string][] = [];
      for (const [key, { sha }] of files) {
        const known = of(key, sha);
        if (known !== undefined) all.set(key, known);
        // A build without the dates of its files, as from a shallow clone, must not cause a request for each file.
        else if (isText(key) && carried.files.get(key)?.sha !== sha) unknown.push([key, sha]);
      }
      if (head === undefined) return all;
      await Promise.all(
        unknown.slice(0, MAX_DATED).map(async ([key, sha]) => {
          const found = await find(key, sha, head).catch(() => undefined);
          if (found !== undefined) all.set(key, found);
        }),
      );
      return all;
    },
  };
}
