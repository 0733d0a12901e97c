import { lstatSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { WritableDriver } from '../../core/storage/driver.ts';
import { keyOf, undefinedIfMissing } from '../../core/storage/drivers/fs-paths.ts';
import { UnwritableStorageError } from '../../core/storage/errors.ts';
import { requireKey } from '../../core/storage/key.ts';
import { errorMessage } from '../../core/util/text.ts';
import type { Person } from '../../core/write/person.ts';
import type { Change, CommitJournal, JournalFile } from './journal.ts';
import type { Repository } from './repository.ts';

export interface RecorderDeps {
  readonly driver: WritableDriver;
  /** The content folder of the driver. */
  readonly folder: string;
  readonly repository: Pick<Repository, 'top'>;
  readonly journal: CommitJournal;
  readonly log: { warn(message: string): void };
  /** Called when a change is ready for its commit. */
  onChange(): void;
}

/** Milliseconds after a failed change: the command may start again and include its files. */
const RECOVER_AFTER_MS = 2000;

/** Records every change of its driver in the journal, before the change is made. */
export function createRecorder(deps: RecorderDeps) {
  const { driver, folder, repository, journal, log, onChange } = deps;
  let change: Change | undefined;
  let timer: NodeJS.Timeout | undefined;

  const pathInFolder = (key: string) => join(folder, requireKey(key));

  /** The path in the repository. Links are resolved, because git does not follow them. */
  function repositoryPath(key: string): string {
    const top = realpathSync.native(repository.top);
    const file = pathInFolder(key);
    for (let at = file, below: string[] = []; ; below = [basename(at), ...below], at = dirname(at)) {
      const real = undefinedIfMissing(() => realpathSync.native(at));
      if (real === undefined) continue;
      const path = keyOf(top, join(real, ...below));
      if (path === undefined) throw new Error(`${key} leads out of the repository ${top}.`);
      return path;
    }
  }

  /** Removing a link removes the link, not its target. */
  function removedPath(key: string): string {
    const isLink = undefinedIfMissing(() => lstatSync(pathInFolder(key)))?.isSymbolicLink() === true;
    const parent = key.slice(0, key.lastIndexOf('/') + 1);
    return isLink && parent !== '' ? `${repositoryPath(parent)}/${basename(key)}` : repositoryPath(key);
  }

  function present(key: string): string | null {
    return undefinedIfMissing(() => readFileSync(pathInFolder(key), 'base64')) ?? null;
  }

  function record(key: string, toPath: (key: string) => string, bytes: Uint8Array | null): void {
    // Writes outside of a command have no author.
    if (change === undefined) return;
    try {
      const after = bytes && Buffer.from(bytes).toString('base64');
      change = journal.addFile(change, { key, path: toPath(key), before: present(key), after });
    } catch (error) {
      throw new UnwritableStorageError(
        'The change cannot be recorded for its commit. See the server log for the reason.',
        error,
      );
    }
  }

  /** Keeps only the files that the change has written. */
  async function settle(incomplete: Change): Promise<void> {
    const isWritten = ({ key, after }: JournalFile) => present(key) === after;
    const [first, ...others] = incomplete.files.filter(isWritten);
    if (first === undefined) return journal.finish(incomplete.id);
    const subject = `Update ${first.key}${others.length > 0 ? ` and ${others.length} more` : ''}`;
    const dropped = incomplete.files.filter((file) => !isWritten(file)).map(({ path }) => path);
    journal.update(incomplete, { subject, dropped });
  }

  /** Completes changes that failed or whose process died, as far as the files contain them. Never rejects. */
  async function recover(): Promise<void> {
    try {
      await driver.exclusively(async () => {
        journal.sweep();
        for (const each of journal.incomplete()) await settle(each);
      });
      onChange();
    } catch (error) {
      log.warn(`Earlier changes are not committed yet: ${errorMessage(error)}`);
    }
  }

  /** The time in the files themselves, so that `changed` is the same before and after the commit. */
  function writtenAt({ files, at }: Change): number {
    const times = files.flatMap(
      ({ key }) => undefinedIfMissing(() => statSync(pathInFolder(key)).mtimeMs) ?? [],
    );
    return times.length === 0 ? at : Math.max(...times);
  }

  const recordingDriver: WritableDriver = {
    ...driver,
    async write(key, bytes, when) {
      record(key, repositoryPath, bytes);
      await driver.write(key, bytes, when);
    },
    async remove(key, when) {
      record(key, removedPath, null);
      await driver.remove(key, when);
    },
    async writeAll(changes) {
      for (const { key, bytes } of changes) record(key, bytes === null ? removedPath : repositoryPath, bytes);
      await driver.writeAll(changes);
    },
    exclusively: (work) =>
      driver.exclusively(async (changed) => {
        try {
          return await work(changed);
        } finally {
          if (change !== undefined && change.files.length > 0) {
            clearTimeout(timer);
            timer = setTimeout(recover, RECOVER_AFTER_MS).unref();
          }
          change = undefined;
        }
      }),
  };

  return {
    driver: recordingDriver,
    /** Starts a change. Must be called within `driver.exclusively`. */
    begin(account: string | null, author: Person): void {
      change = journal.create(account, author);
    },
    /**
     * Completes the change and returns its id. `keys` are the files that the change is about: those that it did not write
     * are committed with it if the branch does not have them.
     */
    finish(subject: string, keys: readonly string[], about?: Change['about']): string {
      if (change === undefined) throw new Error('finish() without begin().');
      const at = writtenAt(change);
      const written = new Set(change.files.map(({ key }) => key));
      for (const key of keys.filter((each) => !written.has(each))) {
        const after = present(key);
        if (after !== null) {
          const file = { key, path: repositoryPath(key), before: null, after, ifMissing: true };
          change = journal.addFile(change, file);
        }
      }
      journal.update(change, { subject, at, about });
      const { id } = change;
      change = undefined;
      onChange();
      return id;
    },
    recover,
    close: () => clearTimeout(timer),
  };
}
