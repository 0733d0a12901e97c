import { resolve } from 'node:path';
import { gitMessage, isMissingProgram, runGit, streamGit } from '../../core/runtime/run-git.ts';
import type { CommitDates, FileHistory, UncommittedFile, VersionControl } from '../../core/storage/driver.ts';
import { findGitFolder } from '../../core/storage/drivers/fs-paths.ts';
import type { CommitLog, HistoryCache } from './history-cache.ts';

/**
 * Commit dates of the files below a folder, from one `git log`. The log is cached until HEAD moves, and extended if HEAD
 * moved forward. Files that differ from HEAD (changed, staged, untracked) have no last commit; that is checked on each
 * call. A file that was moved without a change keeps its dates; a file that was moved and changed at once has new dates.
 */
export function createGitHistory(
  folder: string,
  cache?: HistoryCache,
): Omit<VersionControl, 'past' | 'ignored'> {
  let cachedLog: CommitLog | undefined;
  let isCacheRead = cache === undefined;
  let result: { readonly state: string; readonly history: ReadonlyMap<string, FileHistory> } | undefined;
  let warnings: readonly string[] = [];
  let listing: Promise<readonly UncommittedFile[] | undefined> | undefined;

  async function readAt({ head, prefix, shallow }: Checkout, status: Promise<string>) {
    if (!isCacheRead) {
      isCacheRead = true;
      const stored = await cache?.read();
      // A shallow repository can get older commits without a move of HEAD.
      cachedLog = stored?.prefix === prefix && !shallow ? stored : undefined;
    }
    const former = cachedLog;
    const [dates, printedStatus] = await Promise.all([
      former?.head === head ? former.dates : extendLog(folder, former, head, prefix),
      status,
    ]);
    if (former?.dates !== dates) {
      cachedLog = { head, prefix, dates };
      if (!shallow) void cache?.write(cachedLog);
    }
    const state = `${head}\n${printedStatus}`;
    if (result?.state !== state)
      result = { state, history: withoutChangedFiles(dates, printedStatus, prefix) };
    return result.history;
  }

  return {
    async history() {
      // Starts together with `findCheckout`, whose failure makes it irrelevant.
      const status = readStatus(folder);
      status.catch(() => undefined);
      warnings = [];
      try {
        const checkout = await findCheckout(folder);
        if (checkout.shallow) warnings = [SHALLOW];
        return await readAt(checkout, status).catch((error: unknown) => {
          warnings = [...warnings, `git cannot say when content was committed: ${gitMessage(error)}`];
          return NO_HISTORY;
        });
      } catch (error) {
        warnings = warningsFor(folder, error);
        return NO_HISTORY;
      }
    },
    uncommitted() {
      // Concurrent calls share one git.
      listing ??= readUncommitted(folder).finally(() => {
        listing = undefined;
      });
      return listing;
    },
    async activity() {
      try {
        const paths = ['--git-path', 'logs/HEAD', '--git-path', 'index.lock'];
        const [headLog = '', lock = ''] = (await runGit(folder, ['rev-parse', ...paths])).split('\n');
        return { headLog: resolve(folder, headLog), lock: resolve(folder, lock) };
      } catch {
        return undefined;
      }
    },
    warnings: () => warnings,
  };
}

interface Checkout {
  readonly head: string;
  /** Path of the folder below the repository's root, ending in a slash, or empty. */
  readonly prefix: string;
  readonly shallow: boolean;
}

/** Rejects outside a repository, and in one without a commit. */
async function findCheckout(folder: string): Promise<Checkout> {
  const printed = await runGit(folder, ['rev-parse', '--is-shallow-repository', '--show-prefix', 'HEAD']);
  const [shallow, prefix = '', head = ''] = printed.split('\n');
  return { head, prefix, shallow: shallow === 'true' };
}

/** A missing repository is normal; a repository that git cannot or does not want to read is not. */
function warningsFor(folder: string, error: unknown): readonly string[] {
  if (error instanceof Error && error.message.includes('dubious ownership')) return [DUBIOUS];
  return isMissingProgram(error) && findGitFolder(folder) !== undefined ? [NO_GIT] : [];
}

/** Reads only the new commits if HEAD moved forward, unless they move files into the folder. */
async function extendLog(
  folder: string,
  former: CommitLog | undefined,
  head: string,
  prefix: string,
): Promise<Dates> {
  const added = former && (await readLog(folder, `${former.head}...${head}`, prefix).catch(() => undefined));
  if (former === undefined || added === undefined || added.isRewritten || added.hasArrivals) {
    const { dates, moves } = await readLog(folder, head, prefix);
    return withMoves(dates, moves);
  }
  const dates = new Map<string, CommitDates>();
  for (const [path, each] of former.dates) addDates(dates, added.names.get(path) ?? path, each);
  for (const [path, each] of added.dates) addDates(dates, path, each);
  return withMoves(dates, added.moves);
}

/** A file has the date of its move if its earlier commits are unknown, as in a shallow repository. */
function withMoves(dates: Map<string, CommitDates>, moves: Dates): Dates {
  for (const [path, each] of moves) if (!dates.has(path)) dates.set(path, each);
  return dates;
}

/**
 * `range` is a commit, or `former...later`. A merge counts if it differs from all its parents. Reads the commits of the whole
 * repository, because files can come from anywhere in it. Finding only moves of unchanged files costs git nothing.
 */
async function readLog(folder: string, range: string, prefix: string): Promise<ParsedLog> {
  const format = [`--format=${COMMIT_MARK}%m%ct`, '--name-status', '-z', '-M100%', '--no-rename-empty'];
  const args = [
    'log',
    '-c',
    '--left-right',
    range,
    ...format,
    '--no-relative',
    '--no-ext-diff',
    '--no-textconv',
    '--',
  ];
  const log = createLogParser(prefix);
  await streamGit(folder, args, log.add);
  return log.end();
}

/** Paths are relative to the folder. */
interface ParsedLog {
  readonly dates: Map<string, CommitDates>;
  /** The dates of moves. */
  readonly moves: Dates;
  /** Present names of files by the names they had before the first commit of the log. */
  readonly names: ReadonlyMap<string, string>;
  /** True if a file was moved into the folder. */
  readonly hasArrivals: boolean;
  /** True if `former` has commits that `later` does not have. */
  readonly isRewritten: boolean;
}

const MOVE = /^R\d/;
/** Starts a commit in the log; no status letter starts with it. */
const COMMIT_MARK = '\u0001';

/**
 * Parses the output of `git log`, which may come in any pieces. Newest commit first: `MARK`, `<` or `>` for the side of the range,
 * and seconds; then pairs of status letters and path, or `R100` and two paths for a move; all ended by NUL. A merge has one letter for
 * each parent. Paths start at the repository's root, below which the folder is `prefix`.
 */
function createLogParser(prefix: string): { add(text: string): void; end(): ParsedLog } {
  const dates = new Map<string, CommitDates>();
  const moves = new Map<string, CommitDates>();
  /** By paths from the root of the repository. */
  const present = new Map<string, string>();
  let seconds = 0;
  let isRewritten = false;
  let hasArrivals = false;
  /** The meaning of the next paths, and the action for them. */
  let paths: string[] = [];
  let expected: { readonly count: number; use(paths: readonly string[]): void } | undefined;
  let unfinished = '';

  function addTo(map: Map<string, CommitDates>, path: string): void {
    if (!path.startsWith(prefix)) return;
    const key = path.slice(prefix.length);
    addDates(map, map.has(key) ? key : ownCopy(key), { created: seconds, changed: seconds });
  }

  function addMove([former = '', later = '']: readonly string[]): void {
    const now = present.get(later) ?? ownCopy(later);
    present.set(ownCopy(former), now);
    addTo(moves, now);
    hasArrivals ||= now.startsWith(prefix) && !former.startsWith(prefix);
  }

  function addChange([path = '']: readonly string[]): void {
    addTo(dates, present.get(path) ?? path);
  }

  function addToken(text: string): void {
    if (expected !== undefined) {
      paths.push(text);
      if (paths.length < expected.count) return;
      expected.use(paths);
      expected = undefined;
      paths = [];
      return;
    }
    const token = text.trimStart();
    if (token.startsWith(COMMIT_MARK)) {
      isRewritten ||= token[COMMIT_MARK.length] === '<';
      seconds = Number(token.slice(COMMIT_MARK.length + 1));
    } else if (MOVE.test(token)) {
      expected = { count: 2, use: addMove };
    } else if (token !== '') {
      expected = { count: 1, use: addChange };
    }
  }

  return {
    add(text) {
      const tokens = (unfinished + text).split('\0');
      unfinished = tokens.pop() ?? '';
      tokens.forEach(addToken);
    },
    end() {
      if (unfinished !== '') addToken(unfinished);
      const names = new Map<string, string>();
      for (const [former, now] of present) {
        const isInside = former.startsWith(prefix) && now.startsWith(prefix);
        if (isInside) names.set(former.slice(prefix.length), now.slice(prefix.length));
      }
      return { dates, moves, names, hasArrivals, isRewritten };
    },
  };
}

/** A copy, because a string that was cut from the output would keep all of it in memory. */
function ownCopy(text: string): string {
  return Buffer.from(text).toString('utf8');
}

function addDates(dates: Map<string, CommitDates>, path: string, { created, changed }: CommitDates): void {
  const other = dates.get(path);
  dates.set(path, {
    created: Math.min(other?.created ?? created, created),
    changed: Math.max(other?.changed ?? changed, changed),
  });
}

/** Includes ignored files: the log does not apply to a file that was committed once and is ignored now. */
function readStatus(folder: string): Promise<string> {
  const args = ['status', '--porcelain=v1', '-z', '--no-renames', '--untracked-files=all', '--ignored'];
  return runGit(folder, [...args, '--', '.']);
}

async function readUncommitted(folder: string): Promise<readonly UncommittedFile[] | undefined> {
  try {
    const args = ['status', '--porcelain=v1', '-z', '--no-renames', '--untracked-files=all', '--', '.'];
    const [prefix, status] = await Promise.all([
      runGit(folder, ['rev-parse', '--show-prefix']),
      runGit(folder, args),
    ]);
    const files = statusEntries(status, prefix.replace(/\n$/, '')).map(({ code, key }): UncommittedFile => {
      const change = code.includes('D') ? 'deleted' : /[?A]/.test(code) ? 'added' : 'modified';
      return { key, change };
    });
    return files.sort((one, other) => (one.key < other.key ? -1 : 1));
  } catch {
    // The folder is not in a repository, or git cannot read it: `history` warns about that.
    return undefined;
  }
}

function withoutChangedFiles(dates: Dates, status: string, prefix: string): ReadonlyMap<string, FileHistory> {
  const entries = statusEntries(status, prefix);
  if (entries.length === 0) return dates;
  const history = new Map<string, FileHistory>(dates);
  for (const { code, key } of entries) {
    const each = history.get(key);
    if (code === '!!') history.delete(key);
    else if (each !== undefined) history.set(key, { ...each, changed: null });
  }
  return history;
}

/** `status`: entries `XY path`, ended by NUL, relative to the repository's root. `prefix` is the path of the folder there. */
function statusEntries(status: string, prefix: string) {
  return status.split('\0').flatMap((entry) => {
    const path = entry.slice(3);
    const isInFolder = path !== '' && path.startsWith(prefix);
    return isInFolder ? [{ code: entry.slice(0, 2), key: path.slice(prefix.length) }] : [];
  });
}

const SHALLOW =
  'The git repository is shallow, so the first and last commit dates of content are wrong. ' +
  'Run `git fetch --unshallow`; on a build server, check out the whole history (`fetch-depth: 0`).';
const NO_GIT =
  'The content is in a git repository, but git is not on the PATH, so files have the dates of their last change on ' +
  'this machine instead of commit dates. Install git, or set the option `gitDates: false`.';
const DUBIOUS =
  'git refuses to read this repository because it belongs to another user, so content has no commit dates. ' +
  'Run `git config --global --add safe.directory <repository>`.';

type Dates = ReadonlyMap<string, CommitDates>;
const NO_HISTORY: ReadonlyMap<string, FileHistory> = new Map();
