import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createPastFiles } from '../../../integration/features/git/past-files.ts';
import { createRepository, type TestRepository } from '../../support/repository.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const FIRST = 1_700_000_000;
const SECOND = 1_710_000_000;
const THIRD = 1_720_000_000;
const A = 'article/a.md';

let repository: TestRepository;
beforeEach(() => {
  repository = createRepository();
});

async function textAt(commit: string, key = A): Promise<string | undefined> {
  const file = await createPastFiles(repository.content).read(key, commit);
  return file && new TextDecoder().decode(file.bytes);
}

describe('a file at a commit', () => {
  it('has the bytes and date of its last change up to that commit', async () => {
    const first = repository.commit({ [A]: 'one' }, FIRST);
    const second = repository.commit({ 'article/b.md': 'other' }, SECOND);
    const third = repository.commit({ [A]: 'two' }, THIRD);
    const files = createPastFiles(repository.content);
    const read = async (commit: string) => {
      const { version, bytes } = (await files.read(A, commit)) ?? {};
      return [version, bytes && new TextDecoder().decode(bytes)];
    };
    const by = { author: 'Test', message: 'change' };
    const versions = { one: { commit: first, at: FIRST, ...by }, two: { commit: third, at: THIRD, ...by } };
    expect(await read(first)).toEqual([versions.one, 'one']);
    expect(await read(second)).toEqual([versions.one, 'one']);
    expect(await read(second)).toEqual([versions.one, 'one']);
    expect(await read(third.slice(0, 7))).toEqual([versions.two, 'two']);
    expect(await read(third.toUpperCase())).toEqual([versions.two, 'two']);
    expect(await files.list(A, 5)).toEqual([versions.two, versions.one]);
    expect(await files.list(A, 1)).toEqual([versions.two]);
    expect(await files.list('article/none.md', 5)).toEqual([]);
  });

  it('has the author and the first line of the message, in any encoding', async () => {
    repository.commit({ [A]: 'one' }, FIRST);
    const message = join(repository.folder, 'message');
    writeFileSync(message, Buffer.from('Größer\nals zuvor\n\nText\n', 'latin1'));
    repository.git('config', 'i18n.logOutputEncoding', 'ISO-8859-1');
    const amend = ['commit', '-q', '--amend', '--author=Zoe Low <zoe@example.org>', '-F', message];
    repository.git('-c', 'i18n.commitEncoding=ISO-8859-1', ...amend);
    const [version] = await createPastFiles(repository.content).list(A, 1);
    expect(version).toMatchObject({ author: 'Zoe Low', message: 'Größer als zuvor' });
  });

  it('exists even if it was removed later, but not before it was added', async () => {
    const before = repository.commit({ 'article/b.md': 'other' });
    const there = repository.commit({ [A]: 'one' });
    const removed = repository.commit({ [A]: null });
    const again = repository.commit({ [A]: 'back' });
    expect(await textAt(before)).toBeUndefined();
    expect(await textAt(there)).toBe('one');
    expect(await textAt(removed)).toBeUndefined();
    expect((await createPastFiles(repository.content).list(A, 5)).map(({ commit }) => commit)).toEqual([
      again,
      there,
    ]);
  });

  it('is found through a merge', async () => {
    repository.commit({ [A]: 'one' });
    repository.git('checkout', '-q', '-b', 'side');
    const side = repository.commit({ 'article/b.md': 'side' });
    repository.git('checkout', '-q', 'main');
    repository.commit({ [A]: 'two' });
    repository.git('merge', '-q', '--no-edit', 'side');
    const merge = repository.git('rev-parse', 'HEAD');
    expect(await textAt(side)).toBe('one');
    expect(await textAt(merge)).toBe('two');
    expect(await textAt(merge, 'article/b.md')).toBe('side');
  });

  it.each([
    'article/*.md',
    ':(glob)article/a.md',
    'article',
    '-x',
    '../secret.txt',
    '/etc/passwd',
    'a\n/b.md',
  ])('does not exist under the key %j', async (key) => {
    writeFileSync(join(repository.folder, 'secret.txt'), 'secret');
    const commit = repository.commit({ [A]: 'one' });
    expect(await textAt(commit, key)).toBeUndefined();
  });

  it.each(['odd name/ü [1]*?.md', ':odd.md', '-odd.md', 'a"b\'c.md'])(
    'exists under the unusual key %j',
    async (key) => {
      const commit = repository.commit({ [key]: 'odd' });
      expect(await textAt(commit, key)).toBe('odd');
      expect(await createPastFiles(repository.content).list(key, 2)).toHaveLength(1);
    },
  );

  it('cannot be a symbolic link, which could point anywhere', async () => {
    mkdirSync(join(repository.content, 'article'));
    writeFileSync(join(repository.folder, 'secret.txt'), 'secret');
    symlinkSync('../../secret.txt', join(repository.content, A));
    const commit = repository.commit({});
    expect(await textAt(commit)).toBeUndefined();
  });

  it('cannot be larger than 5 MB', async () => {
    const limit = 5 * 1024 * 1024;
    const largest = repository.commit({ [A]: 'x'.repeat(limit) });
    const larger = repository.commit({ [A]: 'x'.repeat(limit + 1) });
    expect((await textAt(largest))?.length).toBe(limit);
    expect(await textAt(larger)).toBeUndefined();
  });

  it('supports SHA-256 hashes', async () => {
    repository = createRepository('--object-format=sha256');
    const commit = repository.commit({ [A]: 'one' });
    expect(commit).toHaveLength(64);
    expect(await textAt(commit)).toBe('one');
  });
});

describe('a commit that HEAD does not contain', () => {
  it.each(['branch', 'tag', 'amended', 'stash'])('cannot be read: %s', async (kind) => {
    repository.commit({ [A]: 'public' });
    if (kind === 'branch' || kind === 'tag') repository.git('checkout', '-q', '-b', 'private');
    let secret = repository.commit({ [A]: 'private' });
    if (kind === 'tag') repository.git('tag', '-a', 'kept', '-m', 'kept');
    if (kind === 'branch' || kind === 'tag') repository.git('checkout', '-q', 'main');
    else repository.git('reset', '-q', '--hard', 'HEAD~1');
    if (kind === 'stash') {
      writeFileSync(join(repository.content, A), 'stashed');
      repository.git('stash');
      secret = repository.git('rev-parse', 'stash@{0}');
    }
    expect(repository.git('cat-file', '-t', secret)).toBe('commit');
    expect(await textAt(secret)).toBeUndefined();
    expect(await textAt(secret.slice(0, 12))).toBeUndefined();
  });

  it('can be read from the configured branch, from its first commit on', async () => {
    const first = repository.commit({ [A]: 'one' });
    const files = createPastFiles(repository.content, 'drafts');
    const commits = async () => (await files.list(A, 9)).map(({ commit }) => commit);
    expect([(await files.read(A, first))?.version.commit, await commits()]).toEqual([first, [first]]);
    expect(await files.read(A, 'f'.repeat(40))).toBeUndefined();
    repository.git('checkout', '-q', '-b', 'drafts');
    const draft = repository.commit({ [A]: 'two' }, SECOND);
    repository.git('checkout', '-q', '-b', 'other');
    const other = repository.commit({ [A]: 'three' }, THIRD);
    repository.git('checkout', '-q', 'main');
    expect((await files.read(A, draft))?.version.commit).toBe(draft);
    expect(await files.read(A, other)).toBeUndefined();
    expect(await commits()).toEqual([draft, first]);
    expect(await textAt(draft)).toBeUndefined();
  });

  it('cannot be read after it was removed from the history', async () => {
    repository.commit({ [A]: 'one' });
    const taken = repository.commit({ [A]: 'a password' });
    const files = createPastFiles(repository.content);
    expect(await files.read(A, taken)).toBeDefined();
    repository.git('reset', '-q', '--hard', 'HEAD~1');
    expect(await files.read(A, taken)).toBeUndefined();
  });

  it('cannot be another kind of object, a ref name or an option', async () => {
    const commit = repository.commit({ [A]: 'one' });
    repository.git('tag', '-a', 'v1', '-m', 'one');
    const [tree, blob] = ['HEAD^{tree}', `HEAD:content/${A}`].map((name) =>
      repository.git('rev-parse', name),
    );
    const others = [
      tree,
      blob,
      'HEAD',
      'main',
      'v1',
      'HEAD~0',
      `${commit}~0`,
      `${commit}:content`,
      '--all',
      '',
    ];
    for (const name of [...others, '0'.repeat(40), commit.slice(0, 6), `${commit}0`, '0'.repeat(65)]) {
      expect(await textAt(name ?? ''), name).toBeUndefined();
    }
  });
});

describe('without a history', () => {
  it('the error explains that the repository is missing', async () => {
    const folder = temporaryFolder();
    await expect(createPastFiles(folder).read(A, 'abcdef01')).rejects.toMatchObject({
      reason: 'not-found',
      detail: expect.stringContaining('not in a git repository'),
    });
  });

  it('the error explains that git is missing', async () => {
    const { PATH = '' } = process.env;
    try {
      vi.stubEnv('PATH', repository.content);
      await expect(createPastFiles(repository.content).read(A, 'abcdef01')).rejects.toMatchObject({
        reason: 'not-found',
        detail: expect.stringContaining('git is not on the PATH'),
      });
    } finally {
      vi.stubEnv('PATH', PATH);
      vi.unstubAllEnvs();
    }
  });

  it('a repository without commits has no versions', async () => {
    expect(await textAt('abcdef01')).toBeUndefined();
    expect(await createPastFiles(repository.content).list(A, 5)).toEqual([]);
  });
});
