import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { createCollector } from '../../../integration/core/content/collect.ts';
import {
  createEntityStore,
  type IndexedStore,
  storeTarget,
} from '../../../integration/core/engine/store/entity-store.ts';
import { createProblemLog } from '../../../integration/core/runtime/problem-log.ts';
import { fileStates, watchContent } from '../../../integration/core/runtime/watch.ts';
import { formatDiagnostics } from '../../../integration/core/source/diagnostic.ts';
import type { StorageDriver } from '../../../integration/core/storage/driver.ts';
import { createGitDriver } from '../../../integration/features/git/driver.ts';
import { createHandler } from '../../support/handler.ts';
import { fetchFrom } from '../../support/request.ts';
import { createReadServices } from '../../support/services.ts';
import { temporaryFolder, writeFiles } from '../../support/temporary-folder.ts';

/** A content folder in a git repository on disk. */
export interface Folder {
  /** The absolute path of a file. */
  file(key: string): string;
  write(key: string, text: string): void;
  git(...args: readonly string[]): void;
}

/** The folder with a store that follows its changes. */
export interface FollowedFolder extends Folder {
  readonly store: IndexedStore;
  /** The document of a `/jsonapi` path. */
  get(path: string): Promise<unknown>;
  /** Log lines; problems start with `error: `. */
  readonly lines: readonly string[];
  close(): Promise<void>;
}

export async function follow(
  prepare: (folder: Folder) => void,
  change: (driver: StorageDriver) => StorageDriver = (driver) => driver,
): Promise<FollowedFolder> {
  const root = temporaryFolder();
  const contentDir = path.join(root, 'content');
  mkdirSync(contentDir);
  const file = (key: string) => path.join(contentDir, key);
  const folder: Folder = {
    file,
    write: (key, text) => writeFiles(contentDir, { [key]: text }),
    git(...args) {
      const author = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com'];
      execFileSync('git', [...author, ...args], { cwd: root, stdio: 'ignore' });
    },
  };
  prepare(folder);

  const lines: string[] = [];
  const log = {
    info: (line: string) => void lines.push(line),
    warn: (line: string) => void lines.push(`warning: ${line}`),
    error: (line: string) => void lines.push(`error: ${line}`),
  };
  const driver = change(createGitDriver(contentDir));
  const options = { published: {}, danglingReferences: 'missing', defaultLangcode: 'en' } as const;
  const store = createEntityStore({ locale: 'en' });
  const collector = createCollector({ driver, options, target: storeTarget(store) });
  const before = fileStates(await driver.list());
  await collector.load();
  const { diagnostics } = collector;
  const describe = (list: ReturnType<typeof diagnostics>) => formatDiagnostics(list, { root: 'content' });
  const problems = createProblemLog({ diagnostics, describe, log });
  const onChange = () => undefined;
  const stop = await watchContent({
    driver,
    collector,
    folder: 'content',
    log,
    problems,
    before,
    onChange,
  });
  const handle = createHandler(createReadServices(store));
  return {
    ...folder,
    store,
    async get(address) {
      const response = await fetchFrom(handle, `/jsonapi${address}`);
      return response.json();
    },
    lines,
    async close() {
      await stop();
    },
  };
}
