import { ServiceUnavailableError } from '../../core/util/errors.ts';
import {
  createSnapshotFiles,
  MissingFileError,
  type ReadFile,
  readFile,
  type SnapshotFiles,
  untilLoaded,
} from './files.ts';
import { FORMAT, MANIFEST, readManifest } from './format.ts';
import { createSnapshotServices, type SnapshotServices } from './services.ts';

/** The current snapshot of a site, which each deployment replaces. */
export interface OpenSnapshot {
  /** False without a manifest: the site has a server, or its build does not write a snapshot. */
  exists(): Promise<boolean>;
  /**
   * Runs until all files that it needs are loaded, and once more if files were replaced in the meantime. Throws
   * ServiceUnavailableError if a file is missing, damaged or unreadable.
   */
  use<T>(run: (services: SnapshotServices) => T | Promise<T>): Promise<T>;
  /** The next use reads the manifest again. */
  refresh(): void;
}

/** Milliseconds after which the manifest is read again. */
const MANIFEST_LIFETIME = 60_000;

/** Bytes of loaded files after which memory is freed: a worker at the edge often has 128 MB. */
const MAX_SIZE = 64_000_000;

/** The manifest is read at the first use, after a minute, and if a file of it does not exist any more. */
export function openSnapshot(read: ReadFile, now: () => number = Date.now, maxSize = MAX_SIZE): OpenSnapshot {
  let opened: { readonly snapshot: Promise<Snapshot | undefined>; readonly until: number } | undefined;

  function reopen(): Promise<Snapshot | undefined> {
    const snapshot = readSnapshot(read, opened?.snapshot);
    const current = { snapshot, until: now() + MANIFEST_LIFETIME };
    opened = current;
    snapshot.catch(() => {
      if (opened === current) opened = undefined;
    });
    return snapshot;
  }

  const open = () => (opened !== undefined && now() < opened.until ? opened.snapshot : reopen());

  async function useOnce<T>(
    run: (services: SnapshotServices) => T | Promise<T>,
    isReopened = false,
  ): Promise<T> {
    const snapshot = await (isReopened ? reopen() : open());
    if (snapshot === undefined) throw new MissingFileError(MANIFEST, 'is missing');
    const { files, services } = snapshot;
    const result = await untilLoaded(files, () => run(services));
    if (files.size > maxSize) opened = undefined;
    return result;
  }

  return {
    exists: async () => (await open()) !== undefined,
    refresh() {
      if (opened !== undefined) opened = { ...opened, until: 0 };
    },
    async use(run) {
      try {
        try {
          return await useOnce(run);
        } catch (error) {
          if (!(error instanceof MissingFileError)) throw error;
          return await useOnce(run, true);
        }
      } catch (error) {
        if (!(error instanceof MissingFileError)) throw error;
        throw new ServiceUnavailableError(`${error.detail} Build and deploy the site again.`, 60, error);
      }
    },
  };
}

interface Snapshot {
  /** The text of the manifest. */
  readonly text: string;
  readonly files: SnapshotFiles;
  readonly services: SnapshotServices;
}

/** The previous snapshot if its manifest has not changed, or cannot be read at the moment. */
async function readSnapshot(
  read: ReadFile,
  previous?: Promise<Snapshot | undefined>,
): Promise<Snapshot | undefined> {
  const last = await previous?.catch(() => undefined);
  let bytes: Uint8Array | undefined;
  try {
    bytes = await readFile(read, MANIFEST);
    // Another try passes caches.
    if (bytes !== undefined && readManifest(bytes) === undefined)
      bytes = await readFile(read, MANIFEST, true);
  } catch (error) {
    if (last !== undefined) return last;
    throw error;
  }
  const text = new TextDecoder().decode(bytes);
  // Many hosts answer requests for missing files with a page.
  if (bytes === undefined || text.trimStart().startsWith('<')) return undefined;
  if (last?.text === text) return last;
  const manifest = readManifest(bytes);
  if (manifest === undefined) throw new MissingFileError(MANIFEST, 'is damaged');
  if (!('tables' in manifest)) {
    throw new ServiceUnavailableError(
      `The snapshot has the format ${manifest.format}, but this page reads the format ${FORMAT}. Reload the page.`,
      1,
    );
  }
  const files = createSnapshotFiles(read, manifest.packed);
  return { text, files, services: createSnapshotServices(manifest, files) };
}
