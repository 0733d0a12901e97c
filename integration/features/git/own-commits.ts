import { runGit } from '../../core/runtime/run-git.ts';
import type { Person } from '../../core/write/person.ts';
import type { Entry } from './commits.ts';

/** A commit that may be made again. */
export interface OwnCommit {
  readonly commit: string;
  readonly parents: readonly string[];
  readonly author: Person;
  /** Unix seconds. */
  readonly at: number;
  readonly message: string;
}

/** The commits of a range for `git log`, the oldest first. */
export async function readCommits(top: string, range: readonly string[]): Promise<readonly OwnCommit[]> {
  const format = '--format=%H%x1f%P%x1f%an%x1f%ae%x1f%at%x1f%B%x1e';
  const printed = await runGit(top, ['log', '--reverse', '--topo-order', format, ...range, '--']);
  return printed
    .split('\x1e')
    .map((part) => part.trimStart().split('\x1f'))
    .flatMap(([commit = '', parents = '', name = '', mail = '', at = '', message = '']) =>
      commit === ''
        ? []
        : [
            {
              commit,
              parents: parents.split(' ').filter((each) => each !== ''),
              author: { name, mail },
              at: Number(at),
              message,
            },
          ],
    );
}

/** A file before and after a commit; undefined if it does not exist. */
export interface Change {
  readonly path: string;
  readonly before: Entry | undefined;
  readonly after: Entry | undefined;
}

/** The files that a commit changes; none for a merge. */
export async function readChanges(top: string, commit: string): Promise<readonly Change[]> {
  const args = ['diff-tree', '-r', '-z', '--no-renames', '--no-commit-id', '--root', '--full-index', commit];
  const parts = (await runGit(top, args)).split('\0');
  const changes: Change[] = [];
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [mode = '', newMode = '', blob = '', newBlob = ''] = (parts[at] ?? '').slice(1).split(' ');
    const entry = (itsMode: string, itsBlob: string) =>
      /^0+$/.test(itsBlob) ? undefined : { mode: itsMode, blob: itsBlob };
    changes.push({ path: parts[at + 1] ?? '', before: entry(mode, blob), after: entry(newMode, newBlob) });
  }
  return changes;
}
