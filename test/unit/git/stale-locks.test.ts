import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openRepository } from '../../../integration/features/git/repository.ts';
import { clearStaleLock, type Machine } from '../../../integration/features/git/stale-locks.ts';
import { eventually } from '../../support/eventually.ts';
import { createGitSite, type GitSite, type OpenSite } from '../../support/git-site.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const FILES = { 'article/moon.md': '---\ntitle: Moon\n---\n' };

let site: GitSite;
let folder: string;
const children = new Set<ChildProcess>();
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
  await site.remove();
});

/** Seconds. In a container, where processes elsewhere may hold a lock, only a lock of more than an hour is removed. */
const LONG = 7200;

/** A lock file that was last changed some seconds ago. */
function lock(name: string, seconds: number): string {
  const file = path.join(site.root, '.git', name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, '');
  const at = Date.now() / 1000 - seconds;
  utimesSync(file, at, at);
  return file;
}

const subjects = () => site.git('log', '--format=%s').split('\n');
const retitle = ({ send }: OpenSite, title: string) => send('PATCH', '/api/content/articles/moon', { title });
const committed = (title: string) =>
  eventually(() => expect(subjects()).toContain(`Update article "${title}"`));

/** Git takes the lock again shortly after a commit becomes visible. */
const unlocked = (file: string) => eventually(() => expect(existsSync(file)).toBe(false));

describe('a lock of a dead git process', () => {
  it.each(['index.lock', 'HEAD.lock', 'refs/heads/main.lock'])('is removed: %s', async (name) => {
    site = await createGitSite(FILES);
    const before = lock(name, LONG);
    const open = await site.open();
    expect((await retitle(open, 'New moon')).status).toBe(201);
    await committed('New moon');
    await unlocked(before);
    expect(open.lines).toContain(`warn Removed ${before}: the git process that held it died.`);

    const later = lock(name, LONG);
    await retitle(open, 'Half moon');
    await committed('Half moon');
    await unlocked(later);
    expect(site.git('status', '--porcelain')).toBe('');
  });

  it('is removed in a linked worktree', async () => {
    site = await createGitSite(FILES);
    site.git('worktree', 'add', '-q', '-b', 'edits', '../tree');
    const left = lock('worktrees/tree/index.lock', LONG);
    const branch = lock('refs/heads/edits.lock', LONG);
    const repository = await openRepository(path.join(site.root, '../tree/content'));
    for (const file of [left, branch]) {
      expect(clear(failure(file), repository)).toBe(true);
      expect(existsSync(file)).toBe(false);
    }
  });
});

describe('a lock', () => {
  it('of an open `git commit --all` is never removed, at any age', async () => {
    site = await createGitSite(FILES);
    site.write('content/article/moon.md', '---\ntitle: By hand\n---\n');
    const marker = path.join(site.root, '../edited');
    const editor = path.join(site.root, '../editor.sh');
    const wait = `for _ in $(seq 200); do [ -e '${marker}' ] && break; sleep 0.1; done`;
    writeFileSync(editor, `#!/bin/sh\n${wait}\necho By hand > "$1"\n`, { mode: 0o755 });
    const commit = spawn('git', ['commit', '--all'], {
      cwd: site.root,
      env: { ...process.env, GIT_EDITOR: editor },
      stdio: 'ignore',
    });
    children.add(commit);
    const ended = once(commit, 'close');
    const lock = path.join(site.root, '.git/index.lock');
    await eventually(() => expect(existsSync(lock)).toBe(true));
    const old = Date.now() / 1000 - LONG;
    utimesSync(lock, old, old);
    const repository = await openRepository(path.join(site.root, 'content'));
    expect(clear(failure(lock), repository)).toBe(false);
    expect(existsSync(lock)).toBe(true);
    writeFileSync(marker, '');
    expect((await ended)[0]).toBe(0);
    expect(subjects()).toContain('By hand');
  });

  const CASES: readonly (readonly [
    string,
    { age: number; unseen?: true; used?: true; note?: number },
    boolean,
  ])[] = [
    ['of 60 seconds is removed', { age: 60 }, true],
    ['of 5 seconds stays', { age: 5 }, false],
    ['stays while a process has it open', { age: 60, used: true }, false],
    ['stays for an hour if another container may hold it', { age: 3500, unseen: true }, false],
    ['is removed after an hour if another container may hold it', { age: 3700, unseen: true }, true],
    [
      'is removed if our own git created it, even if other processes are hidden',
      { age: 60, unseen: true, note: 61 },
      true,
    ],
    ['stays if it is older than our last git command', { age: 60, unseen: true, note: 30 }, false],
    ['stays if it is newer than our last git command', { age: 60, unseen: true, note: 90 }, false],
  ];
  it.each(CASES)('%s', async (_title, { age, unseen = false, used = false, note }, isRemoved) => {
    const gitDir = path.join(folder, '.git');
    const file = path.join(gitDir, 'index.lock');
    mkdirSync(gitDir);
    writeFileSync(file, '');
    const at = Date.now() / 1000 - age;
    utimesSync(file, at, at);
    const lockingSince = note === undefined ? undefined : Date.now() - note * 1000;
    const machine: Machine = { seesAllWriters: () => !unseen, isInUse: () => used };
    const repository = { top: folder, gitDir, commonDir: gitDir };
    const deps = { repository, lockingSince, log: { warn: vi.fn() }, machine };
    expect(clearStaleLock(failure(file), deps)).toBe(isRemoved);
    expect(existsSync(file)).toBe(!isRemoved);
  });

  it('outside the repository or not named by an error stays', () => {
    const gitDir = path.join(folder, '.git');
    mkdirSync(gitDir);
    const file = path.join(folder, 'mine.lock');
    writeFileSync(file, '');
    utimesSync(file, 0, 0);
    const repository = { top: folder, gitDir, commonDir: gitDir };
    expect(clear(failure(file), repository)).toBe(false);
    expect(clear(new Error('fatal: something else'), repository)).toBe(false);
    expect(existsSync(file)).toBe(true);
  });
});

describe('two servers over one working tree', () => {
  it('with different branches: the second one is read-only until the first one has ended', async () => {
    site = await createGitSite(FILES);
    const first = await site.open({ git: { branch: 'edits-a' } });
    const second = await site.open({ git: { branch: 'edits-b' } });
    expect((await retitle(second, 'B')).status).toBe(405);
    expect(second.lines.join()).toContain(
      'another server over this working tree commits to branch "edits-a", and this one is set to branch "edits-b"',
    );
    expect((await retitle(first, 'A')).status).toBe(201);
    const same = await site.open({ git: { branch: 'edits-a' } });
    expect((await retitle(same, 'AA')).status).toBe(201);
    await first.close();
    const still = await site.open({ git: true });
    expect(still.lines.join()).toContain('this one is set to the branch that is checked out');
    await same.close();
    const later = await site.open({ git: { branch: 'edits-b' } });
    expect((await retitle(later, 'B')).status).toBe(201);
  });
});

describe('files of a killed server', () => {
  it('beside content are ignored by git', async () => {
    site = await createGitSite(FILES);
    await retitle(await site.open(), 'New moon');
    site.write('content/article/.astro-jsonapi-1700000000000-0123456789ab.tmp', 'x');
    site.write('content/.astro-jsonapi-lock', '');
    site.write('content/.astro-jsonapi-lock.log', '');
    await committed('New moon');
    site.git('add', '-A');
    expect(site.git('status', '--porcelain')).toBe('');
    const exclude = readFileSync(path.join(site.root, '.git/info/exclude'), 'utf8');
    await retitle(await site.open(), 'Half moon');
    expect(readFileSync(path.join(site.root, '.git/info/exclude'), 'utf8')).toBe(exclude);
  });

  it('in the journal are removed at the next start', async () => {
    site = await createGitSite(FILES);
    const first = await site.open();
    await retitle(first, 'New moon');
    await committed('New moon');
    await first.close();
    const top = path.join(site.root, '.git/astro-jsonapi');
    const [folder = ''] = readdirSync(top);
    const draft = path.join(top, folder, 'committed.json.4711.new');
    const fresh = path.join(top, folder, 'pushed.json.4712.new');
    for (const file of [draft, fresh]) writeFileSync(file, '[]');
    utimesSync(draft, 0, 0);
    await site.open();
    expect([existsSync(draft), existsSync(fresh)]).toEqual([false, true]);
    rmSync(fresh);
  });
});

describe('the health route', () => {
  it('reports pending changes with the reason, and returns 503 after five minutes', async () => {
    site = await createGitSite(FILES);
    const open = await site.open();
    const health = async () => {
      const { status, json } = await open.send('GET', '/healthz', undefined, null);
      return { status, state: json.status, git: json.git };
    };
    const none = { changes: 0, oldestSeconds: 0 };
    expect(await health()).toEqual({ status: 200, state: 'ok', git: { commits: 'ok', backlog: none } });
    lock('index.lock', 1);
    await retitle(open, 'New moon');
    await eventually(async () => {
      expect(await health()).toEqual({
        status: 200,
        state: 'ok',
        git: {
          commits: 'waiting',
          backlog: { changes: 1, oldestSeconds: expect.any(Number) },
          waitsFor: 'lock',
        },
      });
    });
    const now = Date.now();
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => now + 301_000);
    try {
      const { status, state, git } = await health();
      expect([status, state, git.commits, git.backlog.changes]).toEqual([503, 'error', 'behind', 1]);
      expect(git.backlog.oldestSeconds).toBeGreaterThan(300);
    } finally {
      clock.mockRestore();
    }
    rmSync(path.join(site.root, '.git/index.lock'), { force: true });
    await committed('New moon');
    await eventually(async () => expect((await health()).git).toEqual({ commits: 'ok', backlog: none }));
  });
});

function clear(error: Error, repository: Parameters<typeof clearStaleLock>[1]['repository']): boolean {
  return clearStaleLock(error, { repository, lockingSince: undefined, log: { warn: vi.fn() } });
}

function failure(file: string): Error {
  return Object.assign(new Error('git failed'), {
    stderr: `fatal: Unable to create '${file}': File exists.\n\nmore`,
  });
}
