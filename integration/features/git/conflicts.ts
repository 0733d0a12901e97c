import { z } from 'zod';
import type { RetryLog } from '../../core/runtime/retry.ts';
import { gitStderr, runGit, runGitForBytes, withoutSecretsOf } from '../../core/runtime/run-git.ts';
import { formatOf } from '../../core/source/formats.ts';
import { parseAs } from '../../core/util/json.ts';
import type { Repository } from './repository.ts';

/** A change of a content file that is not on the branch, because others have changed the same before. */
export interface StoredConflict {
  readonly id: string;
  /** Has our version of the file. Its parent has the version that is on the branch. */
  readonly commit: string;
  /** Key in the content folder. */
  readonly key: string;
  /** Unix seconds. */
  readonly at: number;
  /** Name of the author of our version. */
  readonly author: string;
  /** First line of the message of our commit. */
  readonly message: string;
  /** Fields that are decided. */
  readonly resolved: readonly string[];
  /** Our version; undefined if it is removed, or is not content. */
  readonly mine: Uint8Array | undefined;
  /** Their version, in the same way. */
  readonly theirs: Uint8Array | undefined;
}

export interface ConflictStore {
  /** The newest conflicts of the branch first, at most MAX_LISTED. */
  list(): Promise<readonly StoredConflict[]>;
  /** Marks fields as decided; undefined removes the conflict, here and on the remote. */
  resolve(conflict: StoredConflict, fields: readonly string[] | undefined): Promise<void>;
}

export interface ConflictRefsDeps {
  readonly repository: Repository;
  /** Name of the branch on the remote; undefined until it is known. */
  branch(): string | undefined;
  readonly log: RetryLog;
}

/** On the remote, and here until they are pushed. Followed by the id. */
const CONFLICTS = 'refs/astro-jsonapi/conflicts/';
/** Those of the remote, as they were fetched last. */
const FETCHED = 'refs/astro-jsonapi/remote-conflicts/';
/** Those that are decided here, and not yet removed from the remote. */
const RESOLVED = 'refs/astro-jsonapi/resolved-conflicts/';
/** All that are not decided, as far as they are here. */
export const CONFLICT_REFS = [CONFLICTS, FETCHED];
/** For `git fetch --prune`. */
export const FETCH_CONFLICTS = `+${CONFLICTS}*:${FETCHED}*`;

const MAX_LISTED = 500;
/** Refs in one push. */
const MAX_REFS = 100;
const PUSH_TIMEOUT_MS = 60_000;

/** Conflicts are refs that all servers of a branch share. They are pushed and fetched like the branch. */
export function createConflictRefs({ repository, branch, log }: ConflictRefsDeps) {
  const { top, prefix } = repository;
  const git = (args: readonly string[]) => runGit(top, args);
  let turn: Promise<void> = Promise.resolve();
  let isPushed = false;
  /** The last reason in the log. */
  let refusal: string | undefined;
  let listed: { readonly refs: string; readonly conflicts: readonly StoredConflict[] } | undefined;

  /** A ref must not change while it is pushed. */
  function inTurn(work: () => Promise<void>): Promise<void> {
    const next = turn.catch(() => undefined).then(work);
    turn = next;
    return next;
  }

  async function readRefs(...patterns: readonly string[]): Promise<readonly ConflictRef[]> {
    const format = ['refname', 'objectname', 'authordate:unix', 'authorname', 'contents'];
    const printed = await git([
      'for-each-ref',
      `--format=${format.map((name) => `%(${name})`).join('%1f')}%1e`,
      ...patterns,
    ]);
    return printed.split('\x1e').flatMap((record) => {
      const [ref = '', commit = '', at = '', author = '', text = ''] = record.trimStart().split('\x1f');
      const about = parseAs(aboutSchema, text.trimEnd().split('\n').at(-1) ?? '');
      if (about === undefined) return [];
      const [subject = ''] = text.split('\n');
      const id = ref.slice(ref.lastIndexOf('/') + 1);
      return [{ id, ref, commit, at: Number(at), author, message: subject.slice(SUBJECT.length), ...about }];
    });
  }

  async function present(): Promise<readonly ConflictRef[]> {
    const refs = await readRefs(CONFLICTS, FETCHED, RESOLVED);
    const byId = new Map<string, ConflictRef>();
    for (const prefixOfRef of [FETCHED, CONFLICTS]) {
      for (const each of refs) if (each.ref.startsWith(prefixOfRef)) byId.set(each.id, each);
    }
    for (const { id, ref } of refs) if (ref.startsWith(RESOLVED)) byId.delete(id);
    return [...byId.values()];
  }

  /** The files of conflicts, by `<commit>:<path>`. */
  async function readFiles(names: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
    const files = new Map<string, Uint8Array>();
    if (names.length === 0) return files;
    const printed = await runGitForBytes(top, ['cat-file', '--batch'], { input: `${names.join('\n')}\n` });
    let at = 0;
    for (const name of names) {
      const end = printed.indexOf('\n', at);
      const [, type, size] = /^\S+ (\w+) (\d+)$/.exec(printed.toString('utf8', at, end)) ?? [];
      at = end + 1;
      if (type === undefined) continue;
      files.set(name, printed.subarray(at, at + Number(size)));
      at += Number(size) + 1;
    }
    return files;
  }

  return {
    /** The message of the commit of a conflict. */
    messageOf: (message: string, path: string): string =>
      `${SUBJECT}${message.trimEnd()}\n\n${JSON.stringify({ conflict: path, branch: branch(), resolved: [] })}`,
    /** Stores new conflicts until `push` has pushed them. */
    async add(conflicts: readonly { readonly id: string; readonly commit: string }[]): Promise<void> {
      if (conflicts.length === 0) return;
      const lines = conflicts.map(({ id, commit }) => `update ${CONFLICTS}${id} ${commit}\n`);
      isPushed = false;
      await runGit(top, ['update-ref', '--stdin'], { input: lines.join('') });
    },
    async list(): Promise<readonly StoredConflict[]> {
      const refs = (await present())
        .filter((each) => each.branch === branch() && each.conflict.startsWith(prefix))
        .sort((a, b) => b.at - a.at || (a.id < b.id ? -1 : 1))
        .slice(0, MAX_LISTED);
      const key = refs.map(({ id, commit }) => `${id} ${commit}`).join('\n');
      if (listed?.refs === key) return listed.conflicts;
      // A name with a line break cannot be asked for.
      const readable = refs.filter(
        ({ conflict }) => formatOf(conflict) !== undefined && !/\n/.test(conflict),
      );
      const files = await readFiles(
        readable.flatMap(({ commit, conflict }) => [`${commit}:${conflict}`, `${commit}^:${conflict}`]),
      );
      const conflicts = refs.map(({ id, commit, at, author, message, conflict, resolved }) => ({
        ...{ id, commit, at, author, message, resolved, key: conflict.slice(prefix.length) },
        mine: files.get(`${commit}:${conflict}`),
        theirs: files.get(`${commit}^:${conflict}`),
      }));
      listed = { refs: key, conflicts };
      return conflicts;
    },
    resolve: ({ id, commit }: StoredConflict, fields: readonly string[] | undefined) =>
      inTurn(async () => {
        isPushed = false;
        if (fields === undefined) {
          await git(['update-ref', RESOLVED + id, commit]);
          await git(['update-ref', '-d', CONFLICTS + id]);
          return;
        }
        const found = (await present()).find((each) => each.id === id);
        if (found === undefined) return;
        const { conflict, branch: name, message } = found;
        const text = `${SUBJECT}${message}\n\n${JSON.stringify({ conflict, branch: name, resolved: fields })}\n`;
        const printed = await git(['log', '-1', '--format=%T%n%P%n%an%n%ae%n%at', found.commit]);
        const [tree = '', parent = '', author = '', mail = '', at = ''] = printed.split('\n');
        const amended = await runGit(top, ['commit-tree', tree, '-p', parent], {
          input: text,
          env: {
            ...{ GIT_AUTHOR_NAME: author, GIT_AUTHOR_EMAIL: mail, GIT_AUTHOR_DATE: `@${at} +0000` },
            ...{ GIT_COMMITTER_NAME: author, GIT_COMMITTER_EMAIL: mail, GIT_COMMITTER_DATE: `@${at} +0000` },
          },
        });
        await git(['update-ref', CONFLICTS + id, amended.trim()]);
      }),
    /** Pushes the conflicts that changed on this server. A remote that refuses such refs is reported once. */
    push: (remote: string) =>
      inTurn(async () => {
        if (isPushed) return;
        isPushed = true;
        try {
          const refs = await readRefs(FETCHED, CONFLICTS, RESOLVED);
          const below = (folder: string) => refs.filter(({ ref }) => ref.startsWith(folder));
          const fetched = new Map(below(FETCHED).map(({ id, commit }) => [id, commit]));
          const own = below(CONFLICTS);
          for (let at = 0; at < own.length; at += MAX_REFS) {
            const some = own.slice(at, at + MAX_REFS);
            const refused = await pushRefs(
              remote,
              some.map(({ id, commit }) => ({ id, commit, lease: fetched.get(id) ?? '' })),
            );
            for (const { id, commit } of some) {
              const reason = refused.get(id);
              if (reason === 'refused') continue;
              // Stale: another server has decided more, and the next fetch has the result.
              if (reason === undefined) await git(['update-ref', FETCHED + id, commit]);
              await git(['update-ref', '-d', CONFLICTS + id, commit]);
            }
          }
          for (const { id } of below(RESOLVED)) {
            if (fetched.has(id)) {
              const refused = await pushRefs(remote, [{ id, commit: '', lease: undefined }]);
              if (refused.get(id) === 'refused') continue;
              await git(['update-ref', '-d', FETCHED + id]);
            }
            await git(['update-ref', '-d', RESOLVED + id]);
          }
        } catch (error) {
          isPushed = false;
          throw error;
        }
      }),
  };

  /** The refs that the remote has not taken, by id. */
  async function pushRefs(
    remote: string,
    refs: readonly { readonly id: string; readonly commit: string; readonly lease: string | undefined }[],
  ): Promise<ReadonlyMap<string, 'stale' | 'refused'>> {
    const leases = refs.flatMap(({ id, lease }) =>
      lease === undefined ? [] : [`--force-with-lease=${CONFLICTS}${id}:${lease}`],
    );
    const specs = refs.map(({ id, commit }) => `${commit}:${CONFLICTS}${id}`);
    try {
      await runGit(top, ['push', '--porcelain', '--no-verify', ...leases, '--', remote, ...specs], {
        trusted: true,
        timeout: PUSH_TIMEOUT_MS,
      });
      return new Map();
    } catch (error) {
      if (gitStderr(error).includes('remote ref does not exist')) {
        return new Map(refs.map(({ id }) => [id, 'stale']));
      }
      const stdout = error instanceof Error && 'stdout' in error ? String(error.stdout) : '';
      const lines = stdout.split('\n').filter((line) => line.startsWith('!'));
      // The remote did not respond.
      if (lines.length === 0) throw error;
      return new Map(
        lines.map((line) => {
          const [, spec = '', summary = ''] = line.split('\t');
          const isStale = /stale info|already exists|fetch first/.test(summary);
          if (!isStale) reportRefusal(withoutSecretsOf(error, summary));
          return [spec.slice(spec.lastIndexOf('/') + 1), isStale ? 'stale' : 'refused'];
        }),
      );
    }
  }

  function reportRefusal(reason: string): void {
    if (refusal === reason) return;
    refusal = reason;
    log.warn(
      `The remote refuses the refs of conflicts (${CONFLICTS}), so other servers do not list them: ${reason}`,
    );
  }
}

interface ConflictRef extends z.output<typeof aboutSchema> {
  readonly id: string;
  readonly ref: string;
  readonly commit: string;
  readonly at: number;
  readonly author: string;
  readonly message: string;
}

const SUBJECT = 'Conflict: ';

/** The last line of the message of a conflict. */
const aboutSchema = z.object({
  /** Path of the file in the repository. */
  conflict: z.string(),
  branch: z.string(),
  resolved: z.array(z.string()),
});
