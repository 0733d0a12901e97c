import type { LimitFunction } from 'p-limit';
import { LruMap } from '../../core/util/lru-map.ts';
import type { CarriedFiles } from './carried-files.ts';
import { type Forge, pathBelow } from './forge.ts';

/** The bytes of files by the hash of their blob. */
export interface Blobs {
  /** The bytes of a file in a commit: from memory, from the build, or from the host. */
  read(key: string, sha: string, commit: string): Promise<Uint8Array>;
  add(sha: string, bytes: Uint8Array): void;
  /** Undefined if it is not known. */
  sizeOf(sha: string): number | undefined;
}

export interface BlobsDeps {
  readonly forge: Forge;
  readonly folder: string;
  readonly carried: CarriedFiles;
  /** Sizes of blobs that are known. */
  readonly sizes?: ReadonlyMap<string, number> | undefined;
  /** Bounds requests to the host. */
  readonly limit: LimitFunction;
}

/** Memory for the bytes of files. */
const CACHE_BYTES = 64e6;

export function createBlobs({ forge, folder, carried, sizes: known, limit }: BlobsDeps): Blobs {
  const blobs = new LruMap<string, Uint8Array>(CACHE_BYTES);
  const reads = new Map<string, Promise<Uint8Array>>();
  const sizes = new Map(known);

  function add(sha: string, bytes: Uint8Array): void {
    sizes.set(sha, bytes.length);
    blobs.set(sha, bytes.slice(), bytes.length + 1);
  }

  return {
    add,
    sizeOf: (sha) => sizes.get(sha),
    async read(key, sha, commit) {
      const cached = blobs.get(sha);
      if (cached !== undefined) return cached;
      const builtKey = carried.keys.get(sha);
      const built = builtKey === undefined ? undefined : await carried.read(builtKey);
      if (built !== undefined) return built;
      const reading =
        reads.get(sha) ??
        limit(async () => {
          const bytes = await forge.blob({ path: pathBelow(folder, key), sha, commit });
          add(sha, bytes);
          return bytes;
        }).finally(() => reads.delete(sha));
      reads.set(sha, reading);
      return reading;
    },
  };
}
