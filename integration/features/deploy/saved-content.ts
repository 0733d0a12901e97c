import type { Services } from '../../core/api/request.ts';
import { LEDGER_KEY } from '../../core/content/ledger.ts';
import type { Entity } from '../../core/content/model.ts';
import { exitCode, runGit } from '../../core/runtime/run-git.ts';

/** A commit with its date in milliseconds since the Unix epoch; null if the date is not known. */
export interface DatedCommit {
  readonly commit: string;
  readonly at: number | null;
}

/** What version control knows about the content of this server. */
export interface SavedContent {
  /** The newest commit with a change of the content; undefined if it is not known. */
  newest(services: Services): Promise<DatedCommit | undefined>;
  /**
   * The number of content files that differ from those of a commit, without new entries that are not published. Undefined if the
   * server does not have the commit.
   */
  changesSince(services: Services, commit: string): Promise<number | undefined>;
  /** True if a commit is among those that led to another one; undefined if the server does not have both. */
  contains(later: string, earlier: string): Promise<boolean | undefined>;
}

const TIMEOUT = { timeout: 10_000 };

/** `folder` is the content folder, which may be missing on a server whose content is elsewhere. */
export function createSavedContent(folder: string): SavedContent {
  return {
    async newest({ replica, uncommitted }) {
      if ((await uncommitted()) === undefined) {
        const commit = replica?.state()?.commit;
        return commit === undefined ? undefined : { commit, at: null };
      }
      const args = ['log', '-1', '--no-show-signature', '--format=%H %ct', '--', '.'];
      // A new repository has no commit.
      const printed = await runGit(folder, args, TIMEOUT).catch(() => '');
      const [commit = '', seconds = ''] = printed.trim().split(' ');
      return commit === '' ? undefined : { commit, at: Number(seconds) * 1000 };
    },
    async changesSince({ replica, store, uncommitted }, commit) {
      const changed = await uncommitted();
      if (changed === undefined) return replica?.state()?.commit === commit ? 0 : undefined;
      const format = ['--name-status', '-z', '--no-renames', '--relative', '--no-ext-diff', '--no-textconv'];
      const printed = await runGit(
        folder,
        ['diff', ...format, `${commit}^{commit}`, '--', '.'],
        TIMEOUT,
      ).catch(() => undefined);
      if (printed === undefined) return undefined;
      const files = new Map<string, boolean>();
      for (const { key, change } of changed) if (change === 'added') files.set(key, true);
      const parts = printed.split('\0');
      for (let at = 0; at + 1 < parts.length; at += 2) files.set(parts[at + 1] ?? '', parts[at] === 'A');
      const hidden = hiddenKeys([...store.types.keys()].flatMap((type) => store.entities(type)));
      return [...files].filter(([key, isNew]) => isContent(key) && !(isNew && hidden.has(key))).length;
    },
    contains: (later, earlier) =>
      runGit(folder, ['merge-base', '--is-ancestor', earlier, later], TIMEOUT).then(
        () => true,
        (error: unknown) => (exitCode(error) === 1 ? false : undefined),
      ),
  };
}

/** Drafts, deleted entries, templates and the list of removed ids are not on the site. */
function isContent(key: string): boolean {
  return key !== LEDGER_KEY && !key.split('/').some((part) => part.startsWith('.'));
}

function hiddenKeys(entities: readonly Entity[]): ReadonlySet<string> {
  return new Set(entities.filter(({ published }) => !published).map(({ key }) => key));
}
