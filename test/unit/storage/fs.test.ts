import { execFileSync } from 'node:child_process';
import { mkdir, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { createFsDriver } from '../../../integration/core/storage/drivers/fs.ts';
import { WATCH_LONGEST_MS } from '../../../integration/core/storage/drivers/fs-bursts.ts';
import { createGitDriver } from '../../../integration/features/git/driver.ts';
import { eventually } from '../../support/eventually.ts';
import { IN_TIME } from '../../support/in-time.ts';
import { temporaryFolder, writeFiles } from '../../support/temporary-folder.ts';

let base: string;
let root: string;

beforeEach(() => {
  base = temporaryFolder({ 'content/article/a.md': 'a', 'secret.md': 'secret' });
  root = join(base, 'content');
});

const put = (key: string, content: string) => writeFiles(root, { [key]: content });

async function listed(): Promise<{ files: string[]; skipped: Record<string, string> }> {
  const { files, skipped } = await createFsDriver(root).list();
  return {
    files: files.map((file) => file.key),
    skipped: Object.fromEntries(skipped.map(({ key, reason }) => [key, reason])),
  };
}

describe('an entry that is not a regular file', () => {
  it.skipIf(process.platform === 'win32')('is skipped with a reason, without blocking', async () => {
    execFileSync('mkfifo', [join(root, 'article/pipe.md')]);
    await symlink('pipe.md', join(root, 'article/linked.md'));
    const { files, skipped } = await listed();
    expect(files).toEqual(['article/a.md']);
    expect(skipped['article/pipe.md']).toBe('It is neither a file nor a folder.');
    expect(skipped['article/linked.md']).toBe('It is neither a file nor a folder.');
    expect(await createFsDriver(root).read('article/pipe.md')).toBeUndefined();
    expect(await createFsDriver(root).stat('article/pipe.md')).toBeUndefined();
  });

  it.skipIf(process.platform !== 'linux')('is skipped if its name is not valid UTF-8', async () => {
    await writeFile(
      Buffer.concat([Buffer.from(join(root, 'article/')), Buffer.from([0xff]), Buffer.from('.md')]),
      'x',
    );
    expect((await listed()).skipped['article/\ufffd.md']).toBe('Its name is not valid UTF-8.');
  });
});

describe('links in the content folder', () => {
  it('never lead outside: a linked file is skipped with a reason and cannot be read', async () => {
    await symlink('../../secret.md', join(root, 'article/secret.md'));
    const { files, skipped } = await listed();
    expect(files).toEqual(['article/a.md']);
    expect(skipped['article/secret.md']).toContain('leads out of the content folder');
    expect(await createFsDriver(root).read('article/secret.md')).toBeUndefined();
    expect(await createFsDriver(root).stat('article/secret.md')).toBeUndefined();
  });

  it('never lead outside: a linked folder is skipped and its files cannot be read', async () => {
    await mkdir(join(base, 'elsewhere'));
    await writeFile(join(base, 'elsewhere/x.md'), 'x');
    await symlink(join(base, 'elsewhere'), join(root, 'article/elsewhere'));
    const { files, skipped } = await listed();
    expect(files).toEqual(['article/a.md']);
    expect(Object.keys(skipped)).toEqual(['article/elsewhere']);
    expect(await createFsDriver(root).read('article/elsewhere/x.md')).toBeUndefined();
  });

  it('to a folder whose name starts with the name of the content folder lead outside', async () => {
    await mkdir(join(base, 'content-private'));
    await writeFile(join(base, 'content-private/x.md'), 'x');
    await symlink(join(base, 'content-private/x.md'), join(root, 'article/x.md'));
    expect((await listed()).files).toEqual(['article/a.md']);
    expect(await createFsDriver(root).read('article/x.md')).toBeUndefined();
  });

  it('are followed inside the folder', async () => {
    put('shared/s.md', 's');
    await symlink('../shared', join(root, 'article/shared'));
    await symlink('a.md', join(root, 'article/alias.md'));
    expect((await listed()).files).toEqual([
      'article/a.md',
      'article/alias.md',
      'article/shared/s.md',
      'shared/s.md',
    ]);
    const bytes = await createFsDriver(root).read('article/shared/s.md');
    expect(new TextDecoder().decode(bytes)).toBe('s');
  });

  it('are ignored if they are circular or broken', async () => {
    await symlink('.', join(root, 'article/self'));
    await symlink('..', join(root, 'article/up'));
    await symlink('loop-b.md', join(root, 'article/loop-a.md'));
    await symlink('loop-a.md', join(root, 'article/loop-b.md'));
    await symlink('none.md', join(root, 'article/nothing.md'));
    const { files, skipped } = await listed();
    expect(files).toEqual(['article/a.md']);
    expect(Object.keys(skipped)).toEqual([
      'article/loop-a.md',
      'article/loop-b.md',
      'article/nothing.md',
      'article/self',
      'article/up',
    ]);
  });

  it('cannot multiply each other indefinitely', async () => {
    for (const name of ['one', 'two', 'three', 'four']) {
      put(`x/${name}/f.md`, name);
      for (const other of ['one', 'two', 'three', 'four'].filter((each) => each !== name)) {
        await symlink(`../${other}`, join(root, `x/${name}/${other}`));
      }
    }
    const { files } = await listed();
    expect(files.filter((key) => key.startsWith('x/'))).toHaveLength(4 + 12);
  });
});

describe('the content folder', () => {
  it('skips a git repository inside it', async () => {
    put('.git/config', '[core]');
    expect((await listed()).files).toEqual(['article/a.md']);
  });

  it('skips packages and the settings of Obsidian, without a warning for a link to them', async () => {
    await put('guide/node_modules/x/readme.md', 'x');
    await put('.obsidian/plugins/y.json', '{}');
    await symlink(base, join(root, 'node_modules'));
    expect(await listed()).toEqual({ files: ['article/a.md'], skipped: {} });
  });

  it('causes a clear error if it does not exist', async () => {
    const driver = createFsDriver(join(base, 'nowhere'));
    expect(await driver.list()).toEqual({
      files: [],
      skipped: [
        {
          key: '',
          reason: 'There is no folder nowhere/. Create it, or set the option contentDir.',
        },
      ],
    });
    expect(await driver.stat('article/a.md')).toBeUndefined();
  });

  it.skipIf(process.platform === 'win32')('skips names that cannot be keys', async () => {
    put('article/back\\slash.md', 'x');
    const { files, skipped } = await listed();
    expect(files).toEqual(['article/a.md']);
    expect(Object.keys(skipped)).toEqual(['article/back\\slash.md']);
  });
});

describe('watching', () => {
  // How events become bursts is tested with a clock in fs-bursts.test.ts.
  async function watching(change: () => unknown, expected: readonly string[]): Promise<void> {
    const driver = createFsDriver(root);
    await driver.list();
    const bursts: (readonly string[])[] = [];
    const stop = await driver.watch?.((keys) => bursts.push(keys));
    await change();
    await eventually(() => expect([...new Set(bursts.flat())].sort()).toEqual(expected));
    await stop?.();
  }

  it('reports new and changed files, but no others', () =>
    watching(
      () => writeFiles(root, { 'article/b.md': 'b', 'article/c.md': 'c', 'article/a.md': 'changed' }),
      ['article/a.md', 'article/b.md', 'article/c.md'],
    ));

  it('reports both names of a moved file', () =>
    watching(
      () => rename(join(root, 'article/a.md'), join(root, 'article/z.md')),
      ['article/a.md', 'article/z.md'],
    ));

  it('reports the files of a renamed folder', () =>
    watching(() => rename(join(root, 'article'), join(root, 'story')), ['article/a.md', 'story/a.md']));

  it('reports a link when its target changes', async () => {
    await symlink('a.md', join(root, 'article/alias.md'));
    await watching(() => put('article/a.md', 'changed'), ['article/a.md', 'article/alias.md']);
  });

  it('reports a new link, then changes of its target', async () => {
    const bursts: (readonly string[])[] = [];
    const driver = createFsDriver(root);
    await driver.list();
    const stop = await driver.watch?.((keys) => bursts.push(keys));
    await symlink('a.md', join(root, 'article/alias.md'));
    await eventually(() => expect(bursts).toEqual([['article/alias.md']]));
    put('article/a.md', 'changed');
    await eventually(() => expect(bursts[1]).toEqual(['article/a.md', 'article/alias.md']));
    await stop?.();
  });

  it('reports the files of a linked folder when the link is created, its files change and it is removed', async () => {
    const bursts: (readonly string[])[] = [];
    const driver = createFsDriver(root);
    await driver.list();
    const stop = await driver.watch?.((keys) => bursts.push(keys));
    await symlink('article', join(root, 'story'));
    await eventually(() => expect(bursts[0]).toContain('story/a.md'));
    expect(await driver.stat('story/a.md')).toMatchObject({ key: 'story/a.md' });
    put('article/a.md', 'changed');
    await eventually(() => expect(bursts[1]).toEqual(['article/a.md', 'story/a.md']));
    await rm(join(root, 'story'));
    await eventually(() => expect(bursts[2]).toContain('story/a.md'));
    put('article/a.md', 'changed again');
    await eventually(() => expect(bursts[3]).toEqual(['article/a.md']));
    await stop?.();
  });

  it('reports commits without keys', async () => {
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...args], {
        cwd: base,
      });
    git('init', '-q');
    git('add', '-A');
    git('commit', '-q', '--no-verify', '-m', 'first');
    put('article/a.md', 'changed');
    const driver = createGitDriver(root);
    const bursts: (readonly string[])[] = [];
    const stop = await driver.watch?.((keys) => bursts.push(keys));
    expect((await driver.history?.())?.get('article/a.md')?.changed).toBe(null);
    git('commit', '-q', '--no-verify', '-a', '-m', 'second');
    await eventually(() => expect(bursts).toEqual([[]]));
    expect((await driver.history?.())?.get('article/a.md')?.changed).toEqual(expect.any(Number));
    await stop?.();
  });

  it('waits while git changes files, but not for a stale lock', IN_TIME, async () => {
    execFileSync('git', ['init', '-q'], { cwd: base });
    const lock = join(base, '.git/index.lock');
    const bursts: (readonly string[])[] = [];
    const stop = await createGitDriver(root).watch?.((keys) => bursts.push(keys));
    await writeFile(lock, '');
    put('article/b.md', 'b');
    put('article/c.md', 'c');
    await new Promise((done) => setTimeout(done, WATCH_LONGEST_MS + 100));
    expect(bursts).toEqual([]);
    await rm(lock);
    await eventually(() => expect(bursts).toEqual([['article/b.md', 'article/c.md']]));
    await writeFile(lock, '');
    await utimes(lock, new Date(0), new Date(0));
    put('article/e.md', 'e');
    put('article/f.md', 'f');
    await eventually(() => expect(bursts.slice(1).flat()).toEqual(['article/e.md', 'article/f.md']));
    await stop?.();
  });

  it('follows a content folder that is a link', async () => {
    await symlink(root, join(base, 'linked'));
    const bursts: (readonly string[])[] = [];
    const stop = await createFsDriver(join(base, 'linked')).watch?.((keys) => bursts.push(keys));
    put('article/b.md', 'b');
    await eventually(() => expect(bursts).toEqual([['article/b.md']]));
    await stop?.();
  });

  async function moveAwayAndBack(bursts: unknown[]): Promise<void> {
    await rename(root, join(base, 'away'));
    await eventually(() => expect(bursts).toEqual([['article/a.md']]));
    await new Promise((done) => setTimeout(done, 1500));
    bursts.length = 0;
    await rename(join(base, 'away'), root);
  }

  describe.each([
    {
      replaced: 'is moved away and back',
      path: 'content',
      replace: moveAwayAndBack,
      reported: ['article/a.md'],
    },
    {
      replaced: 'is a link to a folder that is moved away and back',
      path: 'linked',
      replace: moveAwayAndBack,
      reported: ['article/a.md'],
    },
    {
      replaced: 'is created later',
      path: 'later',
      replace: () => rename(root, join(base, 'later')),
      reported: ['article/a.md'],
    },
    {
      replaced: 'is exchanged for another one',
      path: 'content',
      async replace() {
        await rename(root, join(base, 'away'));
        await rename(join(base, 'next'), root);
      },
      reported: ['article/a.md', 'article/next.md'],
    },
    {
      replaced: 'is a link that gets another target',
      path: 'linked',
      async replace() {
        await symlink(join(base, 'next'), join(base, 'new-link'));
        await rename(join(base, 'new-link'), join(base, 'linked'));
      },
      reported: ['article/a.md', 'article/next.md'],
    },
  ])('a content folder that $replaced', ({ path, replace, reported }) => {
    it('is read again, and followed', async () => {
      writeFiles(base, { 'next/article/next.md': 'next' });
      await symlink(root, join(base, 'linked'));
      const bursts: (readonly string[])[] = [];
      const stop = await createFsDriver(join(base, path)).watch?.((keys) => bursts.push(keys));
      await replace(bursts);
      await eventually(() => expect([...new Set(bursts.flat())].sort()).toEqual(reported));
      writeFiles(join(base, path), { 'article/later.md': 'later' });
      await eventually(() => expect(bursts.flat()).toContain('article/later.md'));
      await stop?.();
    });
  });

  it('is silent after it stops', async () => {
    const driver = createFsDriver(root);
    const bursts: (readonly string[])[] = [];
    const stop = await driver.watch?.((keys) => bursts.push(keys));
    await stop?.();
    put('article/b.md', 'b');
    await new Promise((done) => setTimeout(done, 150));
    expect(bursts).toEqual([]);
  });
});
