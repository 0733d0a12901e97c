import pLimit from 'p-limit';
import type {
  CommitDescription,
  FileChange,
  FollowedBranch,
  PastFiles,
  SkippedFile,
  StorageDriver,
  StoredFile,
  WritableDriver,
} from '../../core/storage/driver.ts';
import { RevisionConflictError } from '../../core/storage/errors.ts';
import { requireNewKey, requireWritableKey } from '../../core/storage/file-name.ts';
import { normalizeKey } from '../../core/storage/key.ts';
import { createLockedQueue } from '../../core/storage/locked-queue.ts';
import { blobHash } from '../../core/util/blob-hash.ts';
import { DomainError, ServiceUnavailableError } from '../../core/util/errors.ts';
import { digestBytes } from '../../core/util/revision.ts';
import { errorMessage } from '../../core/util/text.ts';
import { createBlobs } from './blobs.ts';
import { type ForgeFile, openCarried } from './carried-files.ts';
import { ForgeNotFoundError, ForgeUnconfirmedError } from './client.ts';
import { createCommitDates } from './commit-dates.ts';
import { type Forge, type Head, isText, MAX_VERSIONS, pathBelow, type TreeFile } from './forge.ts';

export interface ForgeDriverDeps {
  readonly forge: Forge;
  /** Undefined for the default branch of the repository. */
  readonly branch: string | undefined;
  /** The content folder in the repository; `''` for its top. */
  readonly folder: string;
  /** Files of the build. Those that are the same in the repository are not requested. */
  readonly carried?: StorageDriver | undefined;
  /** Sizes of other blobs of the build. */
  readonly sizes?: ReadonlyMap<string, number>;
  readonly log: { info(message: string): void; warn(message: string): void };
  /** Milliseconds between two looks at the branch. Default: POLL_MS. */
  readonly pollMs?: number | undefined;
}

/** Files in a repository on a git host. Every write is a commit on the branch. */
export interface ForgeDriver extends WritableDriver {
  readonly followed: FollowedBranch;
  /** The hash of the blob of a file; undefined if there is no such file. */
  blobOf(key: string): string | undefined;
}

const POLL_MS = 10_000;
/** Requests for files at the same time. */
const MAX_REQUESTS = 16;
/** Attempts to commit, if the host does not confirm the first one. */
const COMMIT_ATTEMPTS = 2;
const LINK_MODE = '120000';
const SUBMODULE_MODE = '160000';

/**
 * Opens the content folder of a repository. The files are those of one commit: a new commit replaces all of them at once, when
 * its changed texts are here. If the host does not respond, the files of the build are used until it does.
 */
export async function openForgeDriver(deps: ForgeDriverDeps): Promise<ForgeDriver> {
  const { forge, folder, log } = deps;
  const carried = await openCarried(deps.carried);
  const limit = pLimit(MAX_REQUESTS);
  const inTurn = pLimit(1);
  const shared = { forge, folder, carried, limit };
  const blobs = createBlobs({ ...shared, sizes: deps.sizes });
  const dates = createCommitDates(shared);
  const watchers = new Set<(keys: readonly string[]) => void>();
  /** Keys that others changed since the last exclusive work. */
  const unreported = new Set<string>();
  /** Keys that changed since the last `takeChanges`. */
  const untaken = new Set<string>();
  const moveListeners: (() => void)[] = [];
  /** Our commit is on the branch, and so are others that are not known yet. */
  let isAhead = false;
  /** The newest commits of the branch, listed once for a head. */
  let newest: { readonly of: Head; readonly commits: Promise<ReadonlySet<string>> } | undefined;
  const { branch: chosen } = deps;
  let branch = chosen;
  let head: Head | undefined;
  let files = carried.files;
  let skipped: readonly SkippedFile[] = [];
  let description: CommitDescription | undefined;
  let failure: string | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function findHead(): Promise<Head> {
    const known = branch ?? (await forge.access()).defaultBranch;
    branch = known;
    try {
      return await forge.head(known);
    } catch (error) {
      if (!(error instanceof ForgeNotFoundError)) throw error;
      const { defaultBranch } = chosen === undefined ? await forge.access() : { defaultBranch: known };
      if (defaultBranch === known)
        throw new ForgeNotFoundError(forge.label, error.cause, `the branch ${known}`);
      log.info(`The default branch of ${forge.repository} is ${defaultBranch} now.`);
      branch = defaultBranch;
      return forge.head(defaultBranch);
    }
  }

  /** Looks at the branch, and takes over the files of its newest commit. Returns the changed keys. */
  async function refresh(): Promise<readonly string[]> {
    const next = await findHead();
    if (next.commit === head?.commit) return [];
    const listed = await forge.tree(next, folder);
    const nextFiles = new Map<string, ForgeFile>();
    const nextSkipped: SkippedFile[] = [];
    if (listed === undefined) {
      const reason = `There is no folder ${folder}/ on the branch ${next.branch} of ${forge.repository}.`;
      nextSkipped.push({ key: '', reason });
    }
    for (const entry of listed ?? []) {
      const reason = skipReason(entry);
      if (reason !== undefined) nextSkipped.push({ key: entry.path, reason });
      else nextFiles.set(entry.path, describeFile(entry, next));
    }
    const changed = [...new Set([...files.keys(), ...nextFiles.keys()])].filter(
      (key) => files.get(key)?.sha !== nextFiles.get(key)?.sha,
    );
    await Promise.all(
      changed.flatMap((key) => {
        const file = nextFiles.get(key);
        return file !== undefined && isText(key) ? [blobs.read(key, file.sha, next.commit)] : [];
      }),
    );
    head = next;
    isAhead = false;
    branch = next.branch;
    files = nextFiles;
    skipped = nextSkipped;
    for (const key of changed) unreported.add(key);
    announce(changed);
    return changed;
  }

  function describeFile({ path, sha, mode, size }: TreeFile, { at }: Head): ForgeFile {
    const former = files.get(path);
    if (former?.sha === sha) return { ...former, mode };
    const built = carried.files.get(path);
    if (built?.sha === sha) return { ...built, mode };
    // Caches compare size and time, and commit dates are whole seconds.
    return { sha, mode, size, mtimeMs: Math.max(at, (former?.mtimeMs ?? 0) + 1) };
  }

  async function readFile(key: string, { sha }: ForgeFile): Promise<Uint8Array> {
    if (head === undefined && !carried.keys.has(sha)) throw notOpened();
    return blobs.read(key, sha, head?.commit ?? '');
  }

  function notOpened(): Error {
    return new ServiceUnavailableError(`${forge.label} has not responded yet. Try again soon.`, 5);
  }

  function find(key: string): readonly [string, ForgeFile] | undefined {
    const normalized = normalizeKey(key);
    const file = normalized === undefined ? undefined : files.get(normalized);
    return normalized === undefined || file === undefined ? undefined : [normalized, file];
  }

  async function describe(key: string, file: ForgeFile): Promise<StoredFile> {
    const size = file.size ?? blobs.sizeOf(file.sha) ?? (await readFile(key, file)).length;
    return { key, size, mtimeMs: file.mtimeMs };
  }

  function announce(keys: readonly string[]): void {
    for (const key of keys) untaken.add(key);
    if (keys.length > 0) for (const watcher of watchers) watcher(keys);
    for (const listener of moveListeners) listener();
  }

  async function revisionOf(key: string): Promise<string | null> {
    const file = files.get(key);
    return file === undefined ? null : digestBytes(await readFile(key, file));
  }

  /** The changes that make a difference. Throws RevisionConflictError and UnsafeKeyError. */
  async function plan(changes: readonly RequestedChange[]): Promise<readonly PlannedChange[]> {
    const planned: PlannedChange[] = [];
    const keys = new Set(files.keys());
    for (const { key: written, bytes, ifRevision } of changes) {
      const key = requireWritableKey(written);
      const before = files.get(key);
      if (ifRevision !== undefined) {
        const revision = await revisionOf(key);
        if (revision !== ifRevision) throw new RevisionConflictError(key, revision);
      }
      if (bytes === null) {
        if (keys.delete(key)) planned.push({ key, bytes, before, sha: undefined });
        continue;
      }
      if (!keys.has(key)) requireNewKey(key, keys);
      keys.add(key);
      const sha = await blobHash(bytes, head?.commit.length);
      if (sha !== before?.sha) planned.push({ key, bytes, before, sha });
    }
    return planned;
  }

  /** Commits changes. Throws RevisionConflictError if the branch has moved, so that the caller can look at its content. */
  async function change(changes: readonly RequestedChange[]): Promise<void> {
    const planned = await plan(changes);
    const [first] = planned;
    if (first === undefined) return;
    const { message = defaultMessage(planned), author } = description ?? {};
    const changedFiles = planned.map(({ key, bytes, before }) => ({
      ...{ path: pathBelow(folder, key), bytes, before },
    }));
    for (let attempt = 1; ; attempt++) {
      const parent = head;
      if (parent === undefined) throw notOpened();
      try {
        const next = await forge.commit({ head: parent, files: changedFiles, message, author });
        // If others committed in between, their changes are found by the next look at the branch.
        if (next.parent === parent.commit) head = next;
        else isAhead = true;
        return apply(planned, next.at);
      } catch (error) {
        await refresh().catch(() => {
          throw error;
        });
        if (head?.commit !== parent.commit) {
          if (planned.every(({ key, sha }) => files.get(key)?.sha === sha)) return;
          const { key } = planned.find((each) => files.get(each.key)?.sha !== each.before?.sha) ?? first;
          throw new RevisionConflictError(key, await revisionOf(key));
        }
        if (!(error instanceof ForgeUnconfirmedError) || attempt === COMMIT_ATTEMPTS) throw error;
      }
    }
  }

  function apply(planned: readonly PlannedChange[], at: number): void {
    const next = new Map(files);
    for (const { key, bytes, before, sha } of planned) {
      if (bytes === null || sha === undefined) {
        next.delete(key);
        continue;
      }
      const seconds = Math.floor(at / 1000);
      const created = before === undefined ? seconds : dates.of(key, before.sha)?.created;
      if (created !== undefined) dates.set(key, sha, { created, changed: seconds });
      const mtimeMs = Math.max(at, (before?.mtimeMs ?? 0) + 1);
      next.set(key, { sha, mode: before?.mode ?? '100644', size: bytes.length, mtimeMs });
      blobs.add(sha, bytes);
    }
    files = next;
    announce(planned.map(({ key }) => key));
  }

  async function look(): Promise<void> {
    try {
      await inTurn(refresh);
      if (failure !== undefined) log.info(`${forge.label} responds again.`);
      failure = undefined;
    } catch (error) {
      warnOnce(error);
      throw error;
    }
  }

  function newestCommits(of: Head): Promise<ReadonlySet<string>> {
    if (newest?.of !== of) {
      const listed = forge.versions('', of.commit, MAX_VERSIONS);
      newest = { of, commits: listed.then((all) => new Set(all.map(({ commit }) => commit))) };
      newest.commits.catch(() => {
        newest = undefined;
      });
    }
    return newest.commits;
  }

  async function poll(): Promise<void> {
    await look().catch(() => undefined);
    // A stopped server does not wait for it.
    if (watchers.size > 0) timer = unrefed(setTimeout(poll, deps.pollMs ?? POLL_MS));
  }

  function warnOnce(error: unknown): void {
    const cause =
      error instanceof DomainError && error.cause instanceof Error ? ` ${error.cause.message}` : '';
    const reason = errorMessage(error) + cause;
    if (reason !== failure) {
      log.warn(`The content in ${forge.repository} cannot be read, so it stays as it is. ${reason}`);
    }
    failure = reason;
  }

  function past(): PastFiles {
    const list = async (key: string, most: number) => {
      const normalized = normalizeKey(key);
      if (normalized === undefined || head === undefined) return [];
      return forge.versions(pathBelow(folder, normalized), head.commit, Math.min(most, MAX_VERSIONS));
    };
    return {
      list,
      async read(key, commit) {
        const hash = commit.toLowerCase();
        // Other commits can be on other branches, which not everyone may see.
        const versions = (await list(key, MAX_VERSIONS)).filter((each) => each.commit.startsWith(hash));
        const [version, second] = versions;
        if (version === undefined || second !== undefined || hash.length < 7) return undefined;
        const path = pathBelow(folder, normalizeKey(key) ?? '');
        const bytes = await forge.fileAt(path, version.commit).catch((error) => {
          if (error instanceof ForgeNotFoundError) return undefined;
          throw error;
        });
        return bytes && { version, bytes };
      },
    };
  }

  const exclusively = createLockedQueue({
    async take() {
      await inTurn(refresh);
      const changed = [...unreported];
      unreported.clear();
      return { changed, release: () => undefined };
    },
  });

  await inTurn(refresh).catch((error: unknown) => {
    if (deps.carried === undefined) throw error;
    warnOnce(error);
  });
  unreported.clear();
  untaken.clear();

  return {
    name: `${forge.repository} on ${forge.label}`,
    async list() {
      const keys = [...files.keys()].sort();
      const listed = await Promise.all(
        keys.map((key) => {
          const file = files.get(key);
          // A size that the host does not list must not prevent the start.
          return file && describe(key, file).catch(() => ({ key, size: 0, mtimeMs: file.mtimeMs }));
        }),
      );
      return { files: listed.filter((file) => file !== undefined), skipped };
    },
    async stat(key) {
      const entry = find(key);
      return entry === undefined ? undefined : describe(...entry);
    },
    async read(key) {
      const entry = find(key);
      return entry === undefined ? undefined : readFile(...entry);
    },
    blobOf: (key) => find(key)?.[1].sha,
    write: (key, bytes, when) => inTurn(() => change([{ key, bytes, ifRevision: when?.ifRevision }])),
    remove: (key, when) => inTurn(() => change([{ key, bytes: null, ifRevision: when?.ifRevision }])),
    writeAll: (changes) => inTurn(() => change(changes)),
    exclusively: (work) =>
      exclusively(async (changed) => {
        try {
          return await work(changed);
        } finally {
          description = undefined;
        }
      }),
    describe(next) {
      description = next;
    },
    async obstacle() {
      try {
        return (await forge.access()).obstacle;
      } catch (error) {
        warnOnce(error);
        return undefined;
      }
    },
    async watch(onChange) {
      watchers.add(onChange);
      timer ??= unrefed(setTimeout(poll, deps.pollMs ?? POLL_MS));
      return async () => {
        watchers.delete(onChange);
        if (watchers.size > 0) return;
        clearTimeout(timer);
        timer = undefined;
      };
    },
    history: () => dates.all(files, head),
    past,
    followed: {
      name: () => branch,
      commit: () => (isAhead ? undefined : head?.commit),
      takeChanges() {
        const keys = [...untaken];
        untaken.clear();
        return { commit: head?.commit, keys };
      },
      look,
      async has(commit) {
        const present = head;
        if (present === undefined) return false;
        return present.commit === commit || (await newestCommits(present)).has(commit);
      },
      async written() {
        if (isAhead) await look().catch(() => undefined);
        return isAhead ? undefined : head?.commit;
      },
      onMove: (listener) => void moveListeners.push(listener),
    },
  };
}

interface RequestedChange extends Omit<FileChange, 'ifRevision'> {
  /** Undefined for any bytes. */
  readonly ifRevision: string | null | undefined;
}

interface PlannedChange {
  readonly key: string;
  readonly bytes: Uint8Array | null;
  readonly before: ForgeFile | undefined;
  /** The hash of the new blob; undefined for a removed file. */
  readonly sha: string | undefined;
}

function defaultMessage([first, ...others]: readonly PlannedChange[]): string {
  if (first === undefined) return 'Change content';
  const action = first.bytes === null ? 'Remove' : first.before === undefined ? 'Create' : 'Update';
  return `${action} ${first.key}${others.length > 0 ? ` and ${others.length} more` : ''}`;
}

function skipReason({ path, mode }: TreeFile): string | undefined {
  if (mode === LINK_MODE) return 'It is a link, which cannot be followed in a repository on a git host.';
  if (mode === SUBMODULE_MODE) return 'It is a submodule, which is not read from a git host.';
  return normalizeKey(path) === path
    ? undefined
    : 'Its name contains a character that is not allowed in content paths.';
}

/** A timer that does not keep the process alive, on systems with processes. */
function unrefed<T>(timer: T): T {
  if (typeof timer === 'object' && timer !== null && 'unref' in timer && typeof timer.unref === 'function') {
    timer.unref();
  }
  return timer;
}
