import { isPublishedAt } from '../../core/access/schedule.ts';
import type { Services } from '../../core/api/request.ts';
import { LEDGER_KEY } from '../../core/content/ledger.ts';
import type { Entity } from '../../core/content/model.ts';
import { exitCode, runGit } from '../../core/runtime/run-git.ts';
import type { LiveBuild } from './live-site.ts';

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
   * The number of content files that differ from those of a build. A moved file counts once. Entries that are not published do not
   * count if they are new or only moved. `now` is in milliseconds since the Unix epoch. Undefined if the server does not have the commit.
   */
  changesSince(services: Services, build: LiveBuild, now: number): Promise<number | undefined>;
  /** True if a commit is among those that led to another one; undefined if the server does not have both. */
  contains(later: string, earlier: string): Promise<boolean | undefined>;
}

/** What git says about a file; a moved one has the same text. */
const [ADDED, DELETED, MOVED] = ['A', 'D', 'R100'];
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
    async changesSince({ replica, store, uncommitted }, { commit, time }, now) {
      const changed = await uncommitted();
      if (changed === undefined) return replica?.state()?.commit === commit ? 0 : undefined;
      const format = [
        '--name-status',
        '-z',
        '--find-renames',
        '--relative',
        '--no-ext-diff',
        '--no-textconv',
      ];
      const printed = await runGit(
        folder,
        ['diff', ...format, `${commit}^{commit}`, '--', '.'],
        TIMEOUT,
      ).catch(() => undefined);
      if (printed === undefined) return undefined;
      const files = new Map<string, string>();
      for (const { key, change } of changed) if (change === 'added') files.set(key, ADDED);
      const parts = printed.split('\0').values();
      for (const status of parts) {
        if (status === '') break;
        const key = parts.next().value ?? '';
        const moved = status.startsWith('R') ? parts.next().value : undefined;
        if (moved === undefined || !isContent(moved)) files.set(key, moved === undefined ? status : DELETED);
        else files.set(moved, isContent(key) ? status : ADDED);
      }
      const entities = new Map<string, Entity>();
      for (const type of store.types.keys())
        for (const entity of store.entities(type))
          if (!entities.has(entity.key) || isPublishedAt(entity, now)) entities.set(entity.key, entity);
      /** Neither in the build nor now. */
      const isHidden = (entity: Entity | undefined, status: string) =>
        entity !== undefined &&
        !isPublishedAt(entity, now) &&
        (status === ADDED || (status === MOVED && !isPublishedAt(entity, Date.parse(time))));
      return [...files].filter(([key, status]) => isContent(key) && !isHidden(entities.get(key), status))
        .length;
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
