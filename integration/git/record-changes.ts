import { lstatSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { WritableDriver } from '../storage/driver.ts';
import { keyOf, whereFound } from '../storage/drivers/fs-paths.ts';
import { UnwritableStorageError } from '../storage/errors.ts';
import { requireKey } from '../storage/key.ts';
import type { CommitJob, CommitJournal } from './commit-journal.ts';
import type { Person } from './person.ts';
import type { Repository } from './repository.ts';

export interface RecorderDeps {
  readonly driver: WritableDriver;
  /** The content folder of the driver. */
  readonly folder: string;
  readonly repository: Pick<Repository, 'top'>;
  readonly journal: CommitJournal;
  /** A job is ready to be committed. */
  onJob(): void;
  /** A change has failed after it had begun: `recover` is to be called before long. */
  onRemains(): void;
}

/** Has everything that is changed through its driver noted in the journal, before it is changed. */
export interface ChangeRecorder {
  readonly driver: WritableDriver;
  /** Whose the next changes are. To be called within `driver.exclusively`. */
  begin(account: string | null, author: Person): void;
  /**
   * What has been changed since `begin` was one change; answers its job. `keys` are the files it is about: those that it
   * but names are committed with it where the branch does not have them.
   */
  finish(subject: string, keys: readonly string[], about?: CommitJob['about']): string;
  /** Takes up changes that nobody finished, such as those of a process that died, as far as the files still say so. */
  recover(): Promise<void>;
}

export function createRecorder(deps: RecorderDeps): ChangeRecorder {
  const { driver, folder, journal } = deps;
  let job: CommitJob | undefined;
  let isKept = false;

  /** Where git has the file of a key. Links are followed: git goes through none. */
  function pathOf(key: string): string {
    const top = realpathSync.native(deps.repository.top);
    const file = join(folder, requireKey(key));
    for (let at = file, below: string[] = []; ; below = [basename(at), ...below], at = dirname(at)) {
      const real = whereFound(() => realpathSync.native(at));
      if (real === undefined) continue;
      const path = keyOf(top, join(real, ...below));
      if (path === undefined) throw new Error(`${key} leads out of the repository ${top}.`);
      return path;
    }
  }

  /** Of a link, the link itself is removed. */
  function removedPath(key: string): string {
    const isLink = whereFound(() => lstatSync(join(folder, requireKey(key))))?.isSymbolicLink() === true;
    const parent = key.slice(0, key.lastIndexOf('/') + 1);
    return isLink && parent !== '' ? `${pathOf(parent)}/${basename(key)}` : pathOf(key);
  }

  function note(key: string, path: string, bytes: Parameters<CommitJournal['keepBytes']>[1] | null): void {
    // What is changed outside of a command is nobody's.
    if (job === undefined) return;
    const known = job.files.find((file) => file.path === path);
    const before = known === undefined ? keepPresent(job, key) : known.before;
    const kept = bytes === null ? null : journal.keepBytes(job, bytes);
    job = {
      ...job,
      files: [...job.files.filter((file) => file.path !== path), { key, path, bytes: kept, before }],
    };
    journal.put(job);
    isKept = true;
  }

  /** Answers null where there is no file. */
  function keepPresent(of: CommitJob, key: string): string | null {
    const copyOf = whereFound(() => realpathSync.native(join(folder, requireKey(key))));
    return copyOf === undefined ? null : journal.keepBytes(of, { copyOf });
  }

  function orUnwritable<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw new UnwritableStorageError(
        'What is to be committed cannot be noted. The log of the server says why.',
        error,
      );
    }
  }

  /** As the files themselves say it, so that they say the same once it is the time of the commit. */
  function writtenAt({ files }: CommitJob): number | undefined {
    const times = files.flatMap(({ key }) => whereFound(() => statSync(join(folder, requireKey(key)))) ?? []);
    return times.length === 0 ? undefined : Math.max(...times.map(({ mtimeMs }) => mtimeMs));
  }

  /** Whether a file is as a job has it. */
  function isAsNoted({ key, bytes }: CommitJob['files'][number]): boolean {
    const present = whereFound(() => readFileSync(join(folder, requireKey(key))));
    const noted = bytes === null ? undefined : whereFound(() => readFileSync(journal.bytesPath(bytes)));
    if (bytes === null || present === undefined) return bytes === null && present === undefined;
    return noted !== undefined && present.equals(noted);
  }

  return {
    driver: {
      ...driver,
      async write(key, bytes, when) {
        orUnwritable(() => note(key, pathOf(key), bytes));
        await driver.write(key, bytes, when);
      },
      async remove(key, when) {
        orUnwritable(() => note(key, removedPath(key), null));
        await driver.remove(key, when);
      },
      exclusively: (work) =>
        driver.exclusively(async (changed) => {
          try {
            return await work(changed);
          } finally {
            if (isKept) deps.onRemains();
            job = undefined;
            isKept = false;
          }
        }),
    },
    begin(account, author) {
      job = journal.create({ account, author });
    },
    finish(subject, keys, about) {
      if (job === undefined) throw new Error('A change is finished that nobody has begun.');
      const files = [...job.files];
      for (const key of keys) {
        if (files.some((file) => file.key === key)) continue;
        const bytes = keepPresent(job, key);
        if (bytes !== null) files.push({ key, path: pathOf(key), bytes, ifNew: true });
      }
      const at = writtenAt(job) ?? job.at;
      const finished = { ...job, subject, files, at, ...(about && { about }) };
      journal.put(finished);
      job = undefined;
      isKept = false;
      deps.onJob();
      return finished.id;
    },
    recover: () =>
      driver.exclusively(async () => {
        for (const left of journal.pending().filter(({ subject }) => subject === undefined)) {
          const files = left.files.filter(isAsNoted);
          if (files.length === 0) {
            await journal.finish(left, undefined);
            continue;
          }
          const [first] = files;
          const others = files.length > 1 ? ` and ${files.length - 1} more` : '';
          journal.put({ ...left, subject: `Update ${first?.key}${others}`, files });
        }
        journal.sweep();
        deps.onJob();
      }),
  };
}
