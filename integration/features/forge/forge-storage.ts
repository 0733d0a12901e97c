import { type Environment, optionValue, variableIn } from '../../core/options/fields.ts';
import type { Options } from '../../core/options/options.ts';
import type { RuntimeLog } from '../../core/runtime/site.ts';
import type { StorageDriver } from '../../core/storage/driver.ts';
import {
  type CarriedFolder,
  createCarriedFileSource,
  createFileSource,
  type FileSource,
} from '../../core/storage/file-source.ts';
import { type ForgeDriver, openForgeDriver } from './driver.ts';
import type { Forge } from './forge.ts';
import { openGitRemote } from './git-remote.ts';
import { openForge } from './open-forge.ts';
import type { Storage } from './options.ts';

export interface ForgeStorageDeps {
  readonly storage: Storage;
  readonly options: Pick<Options, 'contentDir'>;
  /** The content of the build. */
  readonly carried: StorageDriver;
  /** The files of the build that entities name. */
  readonly files: CarriedFolder;
  readonly environment: Environment;
  readonly log: RuntimeLog;
}

/** Opens the repository of option `storage`. Files that are the same in the build are not requested. */
export async function openForgeStorage(deps: ForgeStorageDeps): Promise<{
  readonly driver: StorageDriver;
  readonly files: FileSource;
}> {
  const { storage, options, carried, files, environment, log } = deps;
  const { forge, token: option = `env:${forge.toUpperCase()}_TOKEN` } = storage;
  const token = optionValue(option, environment);
  const sizes = new Map(
    Object.values(files.facts).flatMap(({ blob, size }) => (blob === undefined ? [] : [[blob, size]])),
  );
  const driver = await openForgeDriver({
    forge: openRepository(storage, token),
    branch: storage.branch,
    folder: storage.folder ?? options.contentDir.replace(/^\.\//, '').replace(/(?:^\.|\/)$/, ''),
    carried,
    sizes,
    log,
  });
  return {
    driver:
      token === undefined && storage.forge !== 'git'
        ? withObstacle(driver, variableIn(option) ?? '')
        : driver,
    files: withBuiltFiles(driver, files),
  };
}

function openRepository({ forge, ...address }: Storage, token: string | undefined): Forge {
  return forge === 'git' ? openGitRemote(address.repository) : openForge({ forge, ...address }, { token });
}

function withObstacle(driver: ForgeDriver, variable: string): ForgeDriver {
  return { ...driver, obstacle: async () => `the environment variable ${variable} is not set.` };
}

/** The files of the repository. Those that are the same in the build come from there. */
function withBuiltFiles(driver: ForgeDriver, carried: CarriedFolder): FileSource {
  const current = createFileSource(driver);
  const built = createCarriedFileSource(carried);
  const blobs = new Map(Object.entries(carried.facts).map(([key, { blob }]) => [key, blob]));
  const sourceOf = (key: string) => {
    const blob = driver.blobOf(key);
    return blob !== undefined && blobs.get(key) === blob ? built : current;
  };
  return {
    ...current,
    facts: (key) => sourceOf(key).facts(key),
    read: (key) => sourceOf(key).read(key),
    open: (key) => sourceOf(key).open(key),
  };
}
