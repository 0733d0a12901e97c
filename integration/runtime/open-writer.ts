import { editingSettings, type Options } from '../options/options.ts';
import { isWritable, type StorageDriver, type WritableDriver } from '../storage/driver.ts';
import { errorMessage } from '../util/text.ts';

import { createContentWriter } from '../write/create-writer.ts';
import { withWriteLimits } from '../write/write-limits.ts';
import type { ContentWriter, WriterDeps } from '../write/writer.ts';
import { type GitCommits, type GitCommitsDeps, openGitCommits } from './git-commits.ts';

export interface OpenWriterDeps {
  readonly options: Pick<Options, 'editing' | 'limits'>;
  readonly isReadOnly: boolean;
  readonly driver: StorageDriver;
  /** Absolute path of the driver's folder, where what is changed there may be committed. */
  readonly folder: string | undefined;
  readonly accounts: GitCommitsDeps['accounts'];
  readonly log: GitCommitsDeps['log'] & { error(message: string): void };
  /** Whether an entity names a file of the content folder. */
  isNamed(key: string): boolean;
  /** What commands need besides. */
  readonly writing: Omit<WriterDeps, 'driver' | 'options' | 'onBegin' | 'onWritten'>;
}

export interface OpenedWriter {
  /** Null where content can only be read; why, is told. */
  readonly writer: ContentWriter | null;
  /** What commits its changes, where that is wanted. */
  readonly git?: GitCommits | undefined;
}

/** What changes the content of a driver, and commits it if option `editing.git` is set. */
export async function openWriter(deps: OpenWriterDeps): Promise<OpenedWriter> {
  const { options, driver, log, writing } = deps;
  if (deps.isReadOnly || !isWritable(driver)) return { writer: null };
  const obstacle = await driver.obstacle();
  if (obstacle !== undefined) {
    log.warn(`Content can only be read: ${obstacle}`);
    return { writer: null };
  }
  let git: GitCommits | undefined;
  try {
    git = await openGit(deps, driver);
  } catch (error) {
    const reason = errorMessage(error);
    log.error(
      `Content can only be read, because option editing.git is set and nothing can be committed: ${reason}.`,
    );
    return { writer: null };
  }
  const { requireIfMatch, onDelete } = editingSettings(options);
  const writer = createContentWriter({
    ...writing,
    ...(git && { onBegin: git.onBegin, onWritten: git.onWritten }),
    driver: git?.driver ?? driver,
    options: { requireIfMatch, onDelete },
  });
  const { isNamed } = deps;
  return { writer: withWriteLimits(writer, { limits: options.limits, isNamed, now: writing.now }), git };
}

async function openGit(
  { options, folder, accounts, log }: OpenWriterDeps,
  driver: WritableDriver,
): Promise<GitCommits | undefined> {
  const { git } = editingSettings(options);
  if (git === false || folder === undefined) return undefined;
  return openGitCommits({ options: git, driver, folder, accounts, log });
}
