import { globSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { runGit } from '../../support/git-site.ts';
import { writeFiles } from '../../support/temporary-folder.ts';
import { openServers as openServersOver, type Server } from '../../support/two-servers.ts';

const MOON = 'content/article/moon.md';
const FILES = {
  'article/moon.md': '---\ntitle: Moon\ncolor: pale\n---\n\nRises.\n\nSets.\n',
  'article/sea.md': '---\ntitle: Sea\n---\n',
};

const FULL_MOON = FILES['article/moon.md'].replace('Moon', 'Full moon');

const openServers = (
  acknowledge: 'file' | 'push' = 'push',
  files: Readonly<Record<string, string>> = FILES,
) => openServersOver(files, { acknowledge });

describe('working trees that follow a remote', () => {
  it('acknowledge a change when it is pushed, with its commit', async () => {
    const { one, git } = await openServers();
    const changed = await one.patch({ title: 'New moon' });
    expect([changed.status, changed.headers.get('content-commit')]).toEqual([200, git('rev-parse', 'main')]);
    expect(git('show', `main:${MOON}`)).toContain('title: New moon');
    expect(git('log', '-1', '--format=%an %s', 'main')).toBe('Jane Low Update article "New moon"');
    await eventually(async () => {
      expect((await one.get()).headers.get('content-commit')).toBe(git('rev-parse', 'main'));
    });
  });

  it.each([
    ['some files', () => undefined],
    [
      'some files, with the lock of git',
      (root: string) => {
        const lock = path.join(root, '.git/index.lock');
        writeFileSync(lock, '');
        const seconds = Date.now() / 1000 - 20;
        utimesSync(lock, seconds, seconds);
      },
    ],
    [
      'all files and the index, but not the branch',
      (root: string) => {
        runGit(root, ['checkout', '-q', '-f', 'HEAD', '--', 'content']);
        rmSync(path.join(root, 'content/article/new.md'));
        runGit(root, ['read-tree', '-m', '-u', 'HEAD', 'FETCH_HEAD']);
      },
    ],
  ])('are repaired if a process died after it had moved %s', async (_, die) => {
    const { one, openAt, push, git } = await openServers();
    await eventually(async () => {
      expect((await one.get()).headers.get('content-commit')).toBe(git('rev-parse', 'main'));
    });
    const { root } = one;
    await one.close();
    const added = '---\ntitle: New\n---\n';
    push({ [MOON]: FULL_MOON, 'content/article/new.md': added, 'content/article/sea.md': null });
    one.git('fetch', '-q', 'origin', 'main');
    const [folder = ''] = globSync('.git/astro-jsonapi/*/', { cwd: root });
    const [from, to] = [one.git('rev-parse', 'HEAD'), one.git('rev-parse', 'FETCH_HEAD')];
    writeFiles(root, {
      [path.join(folder, 'move.json')]: JSON.stringify({ lockingSince: Date.now() - 20_000, from, to }),
      [MOON]: FULL_MOON,
      'content/article/new.md': added,
      'note.txt': 'Mine.',
    });
    rmSync(path.join(root, 'content/article/sea.md'));
    die(root);
    push({ [MOON]: FULL_MOON.replace('pale', 'dark'), 'content/article/new.md': null });
    const again = await openAt(root);
    await eventually(async () => {
      expect((await again.get()).headers.get('content-commit')).toBe(git('rev-parse', 'main'));
    });
    expect((await again.get()).json.data.attributes).toMatchObject({ title: 'Full moon', color: 'dark' });
    expect((await again.get('/jsonapi/node/article')).json.data).toHaveLength(1);
    expect(again.git('status', '--porcelain')).toBe('?? note.txt');
    expect((await again.patch({ title: 'New moon' })).status).toBe(200);
  });

  it('merge changes of different fields of a file, and push both', async () => {
    const { one, other, git } = await openServers();
    const answers = await Promise.all([one.patch({ title: 'New moon' }), other.patch({ color: 'dark' })]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(git('show', `main:${MOON}`)).toBe('---\ntitle: New moon\ncolor: dark\n---\n\nRises.\n\nSets.');
    for (const { status, headers } of answers) {
      expect(status).toBe(200);
      git('merge-base', '--is-ancestor', headers.get('content-commit') ?? '', 'main');
    }
  });

  it('respond with 412 if others have changed the same field, and keep their change', async () => {
    const { one, pushMeanwhile, git } = await openServers();
    pushMeanwhile(one, { [MOON]: FULL_MOON });
    const changed = await one.patch({ title: 'New moon' });
    expect(changed.status).toBe(412);
    expect(git('show', `main:${MOON}`)).toContain('title: Full moon');
    await eventually(async () => expect(await one.titles()).toBe('Full moon'));
    expect(one.git('status', '--porcelain')).toBe('');
    expect(one.lines.join('\n')).toContain(
      `someone else has changed the same field of ${MOON} as "Update article "New moon"", and that change stays.`,
    );
  });

  it('make no commit for a change that others have made too', async () => {
    const { one, pushMeanwhile, git } = await openServers();
    pushMeanwhile(one, { [MOON]: FULL_MOON });
    const changed = await one.patch({ title: 'Full moon' });
    expect([changed.status, changed.headers.get('content-commit')]).toEqual([200, git('rev-parse', 'main')]);
    expect(git('log', '--format=%s', 'main').split('\n')).toEqual(['By hand', 'Begin']);
    expect(git('for-each-ref', 'refs/astro-jsonapi')).toBe('');
  });

  it('take over commits of others, and leave other edits in the working tree as they are', async () => {
    const { one, push, git } = await openServers();
    await eventually(async () => expect((await one.get()).headers.get('content-commit')).not.toBeNull());
    writeFiles(one.root, { 'content/article/sea.md': '---\ntitle: By hand\n---\n', 'notes.txt': 'Mine' });
    push({ [MOON]: FULL_MOON, 'content/article/sun.md': '---\ntitle: Sun\n---\n' });
    one.look();
    await eventually(async () => expect(await one.titles()).toBe('Full moon'));
    expect((await one.get('/jsonapi/node/article/sun')).status).toBe(200);
    expect(one.git('rev-parse', 'HEAD')).toBe(git('rev-parse', 'main'));
    expect(one.git('status', '--porcelain').split('\n')).toEqual([
      ' M content/article/sea.md',
      '?? notes.txt',
    ]);
    // The content is not that of the commit.
    expect((await one.get('/jsonapi/node/article/sea')).headers.get('content-commit')).toBeNull();
  });

  it('wait if others have changed a file with uncommitted edits', async () => {
    const { one, push } = await openServers();
    await eventually(async () => expect((await one.get()).headers.get('content-commit')).not.toBeNull());
    writeFiles(one.root, { [MOON]: '---\ntitle: By hand\n---\n' });
    push({ [MOON]: FULL_MOON });
    one.look();
    await eventually(() =>
      expect(one.lines).toContain(
        `warn The branch of the remote is not followed now. ${MOON} has changes that are not committed, and the remote has changed it too: commit or stash them.`,
      ),
    );
    expect(one.git('diff', 'HEAD', '--', MOON)).toContain('+title: By hand');
    one.git('checkout', '-q', '--', MOON);
    one.look();
    await eventually(async () => expect(await one.titles()).toBe('Full moon'));
    await eventually(() => expect(one.lines).toContain('info The branch of the remote is followed again.'));
  });

  it('push commits made while the remote was unreachable, on top of the commits of others', async () => {
    const { one, other, git } = await openServers('file');
    const url = one.git('config', 'remote.origin.url');
    one.git('config', 'remote.origin.url', `${url}.away`);
    await one.patch({ title: 'New moon' });
    await one.patch({ body: { value: 'Rises late.\n\nSets.' } });
    await eventually(() => expect(one.git('log', '--format=%s').split('\n')).toHaveLength(3));
    await other.patch({ color: 'dark' });
    await other.patch({ body: { value: 'Rises.\n\nSets early.' } });
    await eventually(() => expect(git('log', '--format=%s', 'main').split('\n')).toHaveLength(3));
    one.git('config', 'remote.origin.url', url);
    one.look();
    await eventually(() => expect(git('log', '--format=%s', 'main').split('\n')).toHaveLength(5));
    expect(git('show', `main:${MOON}`)).toBe(
      '---\ntitle: New moon\ncolor: dark\n---\n\nRises late.\n\nSets early.',
    );
    other.look();
    await eventually(async () => expect(await other.titles()).toBe('New moon'));
  });

  it('push commits that were made by hand', async () => {
    const { one, git } = await openServers();
    await eventually(async () => expect((await one.get()).headers.get('content-commit')).not.toBeNull());
    writeFiles(one.root, { [MOON]: FULL_MOON });
    one.git('commit', '-q', '-a', '-m', 'By hand');
    one.look();
    await eventually(() => expect(git('rev-parse', 'main')).toBe(one.git('rev-parse', 'HEAD')));
  });

  it('follow a forced push, and make only those commits again that the remote has never had', async () => {
    const { one, other, git } = await openServers();
    expect((await one.patch({ title: 'Removed' })).status).toBe(200);
    other.look();
    await eventually(async () => expect(await other.titles()).toBe('Removed'));
    const url = one.git('config', 'remote.origin.url');
    one.git('config', 'remote.origin.url', '/nowhere.git');
    const change = one.patch({ color: 'dark' });
    await eventually(() => expect(one.git('log', '--format=%s').split('\n')).toHaveLength(3));
    git('update-ref', 'refs/heads/main', 'main~1');
    // The first push after it is of the other server, which has not looked yet.
    expect((await other.patch({ color: 'red' })).status).toBe(200);
    expect(git('log', '--format=%s', 'main').split('\n')).toHaveLength(2);
    expect(git('show', `main:${MOON}`)).toContain('title: Moon\ncolor: red\n');
    expect(other.lines.join('\n')).toContain('main was rewritten on the remote (a forced push)');
    git('update-ref', 'refs/heads/main', 'main~1');
    one.git('config', 'remote.origin.url', url);
    one.look();
    expect((await change).status).not.toBe(412);
    await eventually(() =>
      expect(git('show', `main:${MOON}`)).toBe('---\ntitle: Moon\ncolor: dark\n---\n\nRises.\n\nSets.'),
    );
    other.look();
    for (const server of [one, other]) {
      await eventually(async () => {
        expect(await server.titles()).toBe('Moon');
        expect(server.git('rev-parse', 'HEAD')).toBe(git('rev-parse', 'main'));
        expect(server.git('status', '--porcelain')).toBe('');
      });
    }
    expect(git('log', '--format=%s', 'main').split('\n')).toHaveLength(2);
  });

  it('create a branch again that was removed, with their next change', async () => {
    const { one, git } = await openServers();
    expect((await one.patch({ title: 'First' })).status).toBe(200);
    git('update-ref', '-d', 'refs/heads/main');
    expect((await one.patch({ title: 'Second' })).status).toBe(200);
    expect(git('log', '--format=%s', 'main').split('\n')).toHaveLength(3);
  });

  it('follow a branch that removes all content and brings it back', async () => {
    const { one, push } = await openServers('file', { 'article/moon.md': FILES['article/moon.md'] });
    await eventually(async () => expect((await one.get()).status).toBe(200));
    push({ [MOON]: null, 'notes.txt': 'Nothing' });
    one.look();
    await eventually(async () => expect((await one.get()).status).toBe(404));
    push({ [MOON]: FULL_MOON });
    one.look();
    await eventually(async () => expect(await one.titles()).toBe('Full moon'));
  });

  it('merge the lists of removed ids', async () => {
    const { one, other, git } = await openServers();
    const remove = (server: Server, id: string) => server.send('DELETE', `/jsonapi/node/article/${id}`);
    const answers = await Promise.all([remove(one, 'moon'), remove(other, 'sea')]);
    expect(answers.map(({ status }) => status)).toEqual([204, 204]);
    const files = git('ls-tree', '-r', '--name-only', 'main').split('\n');
    expect(files.filter((file) => !file.startsWith('content/.bin/node--article/'))).toEqual([
      'content/.bin/entries.jsonl',
      'content/_gone.jsonl',
    ]);
    expect(files).toHaveLength(4);
    expect(git('show', 'main:content/_gone.jsonl').split('\n')).toHaveLength(2);
    expect(git('show', 'main:content/.bin/entries.jsonl').split('\n')).toHaveLength(2);
  });

  it('respond with a job if the remote does not respond in time', async () => {
    const { one } = await openServers();
    one.git('config', 'remote.origin.url', '/nowhere.git');
    const { commits } = one;
    vi.spyOn(commits, 'pushed').mockImplementation(async (id) => commits.find(id));
    const changed = await one.patch({ title: 'New moon' });
    expect([changed.status, changed.json.meta.job.status]).toEqual([202, 'pending']);
    const job = new URL(changed.headers.get('content-location') ?? '').pathname;
    await eventually(async () => {
      const { attributes } = (await one.get(job)).json.data;
      expect(attributes).toMatchObject({ status: 'committed', pushed: false });
    });
  });
});
