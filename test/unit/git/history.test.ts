import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createGitHistory } from '../../../integration/features/git/history.ts';
import {
  type CommitLog,
  createHistoryCache,
  type HistoryCache,
} from '../../../integration/features/git/history-cache.ts';
import { temporaryFolder, writeFiles } from '../../support/temporary-folder.ts';

let base: string;
let repository: string;

beforeEach(() => {
  base = temporaryFolder();
  repository = join(base, 'site');
  mkdirSync(repository);
  git('init', '-q', '-b', 'main');
});

function git(...args: string[]): void {
  runGit(repository, 0, ...args);
}

function runGit(cwd: string, seconds: number, ...args: string[]): void {
  const date = `@${seconds} +0000`;
  execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...args], {
    cwd,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      ...process.env,
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_AUTHOR_DATE: date,
      GIT_COMMITTER_DATE: date,
    },
  });
}

function put(path: string, content: string): void {
  writeFiles(repository, { [path]: content });
}

function move(from: string, to: string): void {
  mkdirSync(dirname(join(repository, to)), { recursive: true });
  renameSync(join(repository, from), join(repository, to));
}

function commit(seconds: number): void {
  runGit(repository, seconds, 'add', '-A');
  runGit(repository, seconds, 'commit', '-q', '--no-verify', '-m', 'change');
}

function discardLastCommit(): void {
  git('reset', '-q', '--hard', 'HEAD~1');
  git('reflog', 'expire', '--expire=now', '--all');
  git('update-ref', '-d', 'ORIG_HEAD');
  git('gc', '-q', '--prune=now');
}

async function datesIn(folder: string): Promise<Record<string, readonly [number, number | null]>> {
  const history = await createGitHistory(join(repository, folder)).history();
  return Object.fromEntries(
    [...history].map(([key, { created, changed }]) => [key, [created, changed] as const]),
  );
}

interface MemoryCache extends HistoryCache {
  stored: CommitLog | undefined;
  readonly written: CommitLog[];
}

function createMemoryCache(): MemoryCache {
  return {
    stored: undefined,
    written: [],
    async read() {
      return this.stored;
    },
    async write(history) {
      this.stored = history;
      this.written.push(history);
    },
  };
}

const FIRST = 1_700_000_000;
const SECOND = 1_710_000_000;
const THIRD = 1_720_000_000;

describe('commit dates', () => {
  it('are the first and last commit of each path below the folder, and of no other', async () => {
    put('content/article/a.md', 'one');
    put('content/article/ü  b.md', 'one');
    put('readme.md', 'one');
    commit(FIRST);
    put('content/article/a.md', 'two');
    commit(SECOND);
    put('readme.md', 'two');
    commit(THIRD);
    expect(await datesIn('content')).toEqual({
      'article/a.md': [FIRST, SECOND],
      'article/ü  b.md': [FIRST, FIRST],
    });
  });

  it('lack the last commit if the file differs from HEAD, and are missing for uncommitted files', async () => {
    put('content/a/kept.md', 'one');
    put('content/a/changed.md', 'one');
    put('content/a/staged.md', 'one');
    commit(FIRST);
    put('content/a/changed.md', 'two');
    put('content/a/staged.md', 'two');
    git('add', 'content/a/staged.md');
    put('content/a/new.md', 'one');
    expect(await datesIn('content')).toEqual({
      'a/kept.md': [FIRST, FIRST],
      'a/changed.md': [FIRST, null],
      'a/staged.md': [FIRST, null],
    });
  });

  it.each([
    ['in the folder', 'content/a/old.md', 'content'],
    ['from outside of the folder', 'pages/old.md', 'content'],
    ['in the repository', 'content/a/old.md', '.'],
  ])('stay those of a file that moves %s', async (_name, old, folder) => {
    const key = folder === '.' ? 'content/b/new.md' : 'b/new.md';
    put(old, 'one');
    put('content/c/empty.md', '');
    commit(FIRST);
    const history = createGitHistory(join(repository, folder));
    await history.history();
    move(old, 'content/b/between.md');
    commit(SECOND);
    const between = key.replace('new', 'between');
    expect((await history.history()).get(between)).toEqual({ created: FIRST, changed: FIRST });
    move('content/b/between.md', 'content/b/new.md');
    move('content/c/empty.md', 'content/c/other.md');
    commit(THIRD);
    const dates = await datesIn(folder);
    expect(dates[key]).toEqual([FIRST, FIRST]);
    expect(dates[key.replace('b/new', 'c/other')]).toEqual([THIRD, THIRD]);
    expect((await history.history()).get(key)).toEqual({ created: FIRST, changed: FIRST });
    put(folder === '.' ? key : join('content', key), 'two');
    commit(THIRD + 1);
    expect((await datesIn(folder))[key]).toEqual([FIRST, THIRD + 1]);
    expect((await history.history()).get(key)).toEqual({ created: FIRST, changed: THIRD + 1 });
  });

  it('of a new file at the place of a moved one are its own', async () => {
    put('content/a/x.md', 'one');
    commit(FIRST);
    move('content/a/x.md', 'content/a/y.md');
    commit(SECOND);
    put('content/a/x.md', 'three');
    commit(THIRD);
    expect(await datesIn('content')).toEqual({ 'a/x.md': [THIRD, THIRD], 'a/y.md': [FIRST, FIRST] });
  });

  it('of a file that moves and changes in one commit start with it', async () => {
    put('content/a/old.md', 'one\n'.repeat(5));
    commit(FIRST);
    move('content/a/old.md', 'content/a/new.md');
    put('content/a/new.md', 'one\n'.repeat(6));
    commit(SECOND);
    expect((await datesIn('content'))['a/new.md']).toEqual([SECOND, SECOND]);
  });

  it('of a file added by a merge commit are those of the merge, and other files keep theirs', async () => {
    put('content/a/x.md', 'one');
    commit(FIRST);
    git('checkout', '-q', '-b', 'side');
    put('content/a/side.md', 'one');
    commit(SECOND);
    git('checkout', '-q', 'main');
    put('content/a/main.md', 'one');
    commit(SECOND);
    git('merge', '-q', '--no-commit', 'side');
    put('content/a/merged.md', 'one');
    commit(THIRD);
    expect(await datesIn('content')).toEqual({
      'a/x.md': [FIRST, FIRST],
      'a/side.md': [SECOND, SECOND],
      'a/main.md': [SECOND, SECOND],
      'a/merged.md': [THIRD, THIRD],
    });
  });

  it('are missing for an ignored file, even if it was tracked before', async () => {
    put('content/a/x.md', 'one');
    put('content/a/y.md', 'one');
    commit(FIRST);
    git('rm', '-q', '--cached', 'content/a/y.md');
    put('.gitignore', 'y.md');
    commit(SECOND);
    expect(Object.keys((await datesIn('content')) ?? {})).toEqual(['a/x.md']);
  });

  it('support names with any characters', async () => {
    const names = [
      'a/line\nbreak.md',
      'a/"quoted".md',
      'a/tab\t.md',
      'a/ü 😀.md',
      'a/ blank .md',
      'a/\u0001.md',
    ];
    for (const name of names) put(join('content', name), 'one');
    commit(FIRST);
    put('content/a/"quoted".md', 'two');
    expect(await datesIn('content')).toEqual(
      Object.fromEntries(names.map((name) => [name, [FIRST, name.includes('quoted') ? null : FIRST]])),
    );
  });

  it('are complete if the log is much longer than one chunk of output', async () => {
    const names = Array.from({ length: 3000 }, (_, at) => `a/${'ü'.repeat(at % 40)} 名前 ${at}.md`);
    for (const name of names) put(`content/${name}`, name);
    commit(FIRST);
    move('content/a', 'content/b');
    commit(SECOND);
    const dates = await datesIn('content');
    const expected = names.map((name) => [name.replace('a/', 'b/'), [FIRST, FIRST]]);
    expect(dates).toEqual(Object.fromEntries(expected));
  });

  it('belong to the content even if a hook of another repository is running', async () => {
    put('content/a/x.md', 'one');
    commit(FIRST);
    const other = join(base, 'other');
    runGit(base, 0, 'init', '-q', other);
    vi.stubEnv('GIT_DIR', join(other, '.git'));
    vi.stubEnv('GIT_INDEX_FILE', join(other, '.git/index'));
    vi.stubEnv('GIT_WORK_TREE', other);
    try {
      expect(await datesIn('content')).toEqual({ 'a/x.md': [FIRST, FIRST] });
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it('work if the content folder is the repository itself', async () => {
    put('a/x.md', 'one');
    commit(FIRST);
    expect(await datesIn('.')).toEqual({ 'a/x.md': [FIRST, FIRST] });
  });

  it('follow new commits, and are the same map without changes', async () => {
    put('content/a/x.md', 'one');
    commit(FIRST);
    const history = createGitHistory(join(repository, 'content'));
    const first = await history.history();
    expect(await history.history()).toBe(first);
    put('content/a/x.md', 'two');
    expect((await history.history()).get('a/x.md')).toEqual({ created: FIRST, changed: null });
    commit(SECOND);
    expect((await history.history()).get('a/x.md')).toEqual({ created: FIRST, changed: SECOND });
  });

  it('follow rewritten history', async () => {
    put('content/a/x.md', 'one');
    commit(FIRST);
    put('content/a/x.md', 'two');
    put('content/a/y.md', 'one');
    commit(SECOND);
    const history = createGitHistory(join(repository, 'content'));
    expect((await history.history()).get('a/x.md')).toEqual({ created: FIRST, changed: SECOND });
    git('reset', '-q', '--hard', 'HEAD~1');
    put('content/a/z.md', 'one');
    commit(THIRD);
    expect(Object.fromEntries(await history.history())).toEqual({
      'a/x.md': { created: FIRST, changed: FIRST },
      'a/z.md': { created: THIRD, changed: THIRD },
    });
  });

  it('are cached by commit and folder, and extended from there', async () => {
    put('content/a/x.md', 'one');
    commit(FIRST);
    const cache = createMemoryCache();
    await createGitHistory(join(repository, 'content'), cache).history();
    expect(cache.written).toMatchObject([{ prefix: 'content/' }]);
    // The cache is trusted, which shows if git was asked again.
    const dates = { created: 1, changed: 2 };
    cache.stored = { ...cache.stored!, dates: new Map([['a/x.md', dates]]) };
    const again = createGitHistory(join(repository, 'content'), cache);
    expect(Object.fromEntries(await again.history())).toEqual({ 'a/x.md': dates });
    expect(cache.written).toHaveLength(1);
    put('content/a/y.md', 'one');
    commit(THIRD);
    const later = createGitHistory(join(repository, 'content'), cache);
    expect(Object.fromEntries(await later.history())).toEqual({
      'a/x.md': dates,
      'a/y.md': { created: THIRD, changed: THIRD },
    });
    expect(cache.written).toHaveLength(2);
    const inside = createGitHistory(join(repository, 'content/a'), cache);
    expect((await inside.history()).get('x.md')).toEqual({ created: FIRST, changed: FIRST });
  });

  it.each([
    ['moved forward', () => undefined],
    ['was rewritten', () => git('reset', '-q', '--hard', 'HEAD~1')],
    ['was rewritten, and its former commits are gone', discardLastCommit],
    ['moved forward, and the cache was damaged', () => truncateSync(join(base, 'history.cache'), 200)],
  ])('from a cache file are right at the next start if HEAD %s', async (name, happen) => {
    const warnings: string[] = [];
    const folder = join(repository, 'content');
    const start = () => {
      const log = { warn: (message: string) => void warnings.push(message) };
      const file = createHistoryCache({ path: join(base, 'history.cache'), version: '1', log });
      const written: Promise<void>[] = [];
      const cache: HistoryCache = {
        read: file.read,
        write: (each) => written[written.push(file.write(each)) - 1]!,
      };
      const history = createGitHistory(folder, cache).history();
      return history.then(async (dates) => {
        await Promise.all(written);
        return Object.fromEntries(dates);
      });
    };
    put('content/a/x.md', 'one');
    put('content/a/old.md', 'moved');
    commit(FIRST);
    put('content/a/x.md', 'two');
    put('content/a/y.md', 'one');
    commit(SECOND);
    expect((await start())['a/y.md']).toEqual({ created: SECOND, changed: SECOND });
    happen();
    put('content/a/z.md', 'one');
    move('content/a/old.md', 'content/a/new.md');
    commit(THIRD);
    const isRewritten = name.includes('rewritten');
    const expected = {
      'a/x.md': { created: FIRST, changed: isRewritten ? FIRST : SECOND },
      'a/new.md': { created: FIRST, changed: FIRST },
      'a/z.md': { created: THIRD, changed: THIRD },
      ...(!isRewritten && { 'a/y.md': { created: SECOND, changed: SECOND } }),
    };
    expect(await start()).toEqual(expected);
    expect(await start()).toEqual(expected);
    expect(warnings).toEqual(
      name.includes('damaged') ? [expect.stringContaining('It will be rewritten.')] : [],
    );
  });

  it('cause a warning if git is missing or the repository is broken', async () => {
    put('content/a/x.md', 'one');
    commit(FIRST);
    const history = createGitHistory(join(repository, 'content'));
    rmSync(join(repository, '.git/objects'), { recursive: true });
    mkdirSync(join(repository, '.git/objects'));
    expect(await history.history()).toEqual(new Map());
    expect(history.warnings()).toEqual([expect.stringMatching(/^git cannot say .*: (fatal|error): [^\n]*$/)]);
    vi.stubEnv('PATH', base);
    try {
      expect(await history.history()).toEqual(new Map());
      expect(history.warnings()).toEqual([expect.stringContaining('Install git')]);
      const outside = createGitHistory(base);
      expect(await outside.history()).toEqual(new Map());
      expect(outside.warnings()).toEqual([]);
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it('are missing without a repository, a commit or the folder, without a warning', async () => {
    expect(await datesIn('.')).toEqual({});
    const outside = createGitHistory(base);
    expect(await outside.history()).toEqual(new Map());
    expect(outside.warnings()).toEqual([]);
    const nowhere = createGitHistory(join(repository, 'nowhere'));
    expect(await nowhere.history()).toEqual(new Map());
    expect(nowhere.warnings()).toEqual([]);
  });

  it('of a shallow clone come with one warning that contains the fix', async () => {
    put('content/a/x.md', 'one');
    commit(FIRST);
    put('content/a/x.md', 'two');
    commit(SECOND);
    const clone = join(base, 'clone');
    runGit(base, 0, 'clone', '-q', '--depth', '1', `file://${repository}`, clone);
    const history = createGitHistory(join(clone, 'content'));
    expect((await history.history()).get('a/x.md')).toEqual({ created: SECOND, changed: SECOND });
    await history.history();
    const cache = createMemoryCache();
    await createGitHistory(join(clone, 'content'), cache).history();
    expect(cache.written).toEqual([]);
    expect(history.warnings()).toHaveLength(1);
    expect(history.warnings()[0]).toContain('git fetch --unshallow');
    expect(history.warnings()[0]).toContain('fetch-depth: 0');
  });

  it.skipIf(process.platform === 'win32')('start no program that the repository configures', async () => {
    put('content/a/x.md', 'one');
    put('content/.gitattributes', '*.md diff=evil\n');
    commit(FIRST);
    const trace = join(base, 'trace');
    const script = join(base, 'evil.sh');
    writeFileSync(script, `#!/bin/sh\ntouch ${trace}\n`);
    chmodSync(script, 0o755);
    git('config', 'core.fsmonitor', script);
    git('config', 'core.pager', script);
    git('config', 'diff.evil.textconv', script);
    git('config', 'diff.external', script);
    put('content/a/y.md', 'one');
    expect(Object.keys((await datesIn('content')) ?? {})).toContain('a/x.md');
    expect(existsSync(trace)).toBe(false);
  });
});
