import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { link, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { createBundledDriver } from '../../../integration/astro/bundled-content.ts';
import { isWritable, type WritableDriver } from '../../../integration/core/storage/driver.ts';
import { createFsDriver } from '../../../integration/core/storage/drivers/fs.ts';
import { temporaryName } from '../../../integration/core/storage/drivers/fs-temporary.ts';
import {
  RevisionConflictError,
  UnsafeKeyError,
  UnwritableStorageError,
} from '../../../integration/core/storage/errors.ts';
import { MAX_NAME_BYTES } from '../../../integration/core/storage/file-name.ts';
import { digestBytes } from '../../../integration/core/util/revision.ts';
import { eventually } from '../../support/eventually.ts';
import { forgeDrivers, PROTOCOLS } from '../../support/forge-host.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const FILES = { 'article/a.md': 'old', 'article/deep/er/b.md': 'b', 'person/p.md': 'p' };

async function onDisk(): Promise<WritableDriver> {
  return createFsDriver(temporaryFolder(FILES));
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const revision = (text: string): string => digestBytes(bytes(text));

async function text(driver: WritableDriver, key: string): Promise<string | undefined> {
  const read = await driver.read(key);
  return read && new TextDecoder().decode(read);
}

async function keysOf(driver: WritableDriver): Promise<readonly string[]> {
  const { files, skipped } = await driver.list();
  expect(skipped).toEqual([]);
  return files.map(({ key }) => key);
}

const FORGES = PROTOCOLS.map((protocol) => [protocol, forgeDrivers(protocol, FILES)] as const);

describe.each([['memory', async () => createMemoryDriver(FILES)], ['files', onDisk], ...FORGES] as const)(
  'every writable driver: %s',
  (_name, create) => {
    let driver: WritableDriver;
    beforeEach(async () => {
      driver = await create();
    });

    it('reports that it is writable and that nothing prevents it', async () => {
      expect(isWritable(driver)).toBe(true);
      expect(await driver.obstacle()).toBeUndefined();
    });

    it.each<[string, string, { ifRevision: string | null } | undefined]>([
      ['replaces a file', 'article/a.md', undefined],
      ['replaces a file of the expected revision', 'article/a.md', { ifRevision: revision('old') }],
      ['creates a file', 'article/new.md', undefined],
      ['creates a file that must be new, with its folders', 'note/x/y/index.md', { ifRevision: null }],
      ['normalizes the key', 'article//./c.md', { ifRevision: null }],
      ['creates a hidden bundle file', '_gone.jsonl', { ifRevision: null }],
      ['accepts names in every script', 'article/Ćwierć 日本 (2) 🌊.md', { ifRevision: null }],
      ['accepts the longest name', `article/${'x'.repeat(MAX_NAME_BYTES)}`, { ifRevision: null }],
    ])('%s', async (_behaviour, key, when) => {
      const before = await keysOf(driver);
      await driver.write(key, bytes('new'), when);
      expect(await text(driver, key)).toBe('new');
      const normalized = key.replace('//./', '/');
      expect(await keysOf(driver)).toEqual([...new Set([...before, normalized])].sort());
    });

    it.each<[string, string, string | null, string | null]>([
      ['changed since', 'article/a.md', revision('older'), revision('old')],
      ['already created', 'article/a.md', null, revision('old')],
      ['already removed', 'article/none.md', revision('old'), null],
    ])(
      'does not write a file that is %s, and reports its revision',
      async (_state, key, ifRevision, present) => {
        const before = await text(driver, key);
        const refused = driver.write(key, bytes('new'), { ifRevision });
        await expect(refused).rejects.toThrow(RevisionConflictError);
        await expect(refused).rejects.toMatchObject({ key, revision: present, reason: 'conflict' });
        expect(await text(driver, key)).toBe(before);
        expect(await keysOf(driver)).toEqual(Object.keys(FILES));
      },
    );

    it('lets only one of several writers with the same expected revision win', async () => {
      const writes = ['one', 'two', 'three'].map((each) =>
        driver.write('article/a.md', bytes(each), { ifRevision: revision('old') }),
      );
      const outcomes = await Promise.allSettled(writes);
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      const creations = ['one', 'two'].map((each) =>
        driver.write('article/n.md', bytes(each), { ifRevision: null }),
      );
      const made = await Promise.allSettled(creations);
      expect(made.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    });

    it('removes a file and its empty folders below the bundle', async () => {
      await driver.remove('article/deep/er/b.md', { ifRevision: revision('b') });
      await driver.remove('person/p.md');
      expect(await keysOf(driver)).toEqual(['article/a.md']);
      await driver.write('article/deep', bytes('a folder that became a file'));
      await driver.remove('article/never-there.md');
    });

    it.each<[string, string, string | null]>([
      ['article/a.md', 'older', revision('old')],
      ['article/none.md', 'old', null],
    ])('does not remove %s of another revision', async (key, expected, present) => {
      const refused = driver.remove(key, { ifRevision: revision(expected) });
      await expect(refused).rejects.toMatchObject({ name: 'RevisionConflictError', key, revision: present });
      expect(await keysOf(driver)).toEqual(Object.keys(FILES));
    });

    it.each([
      ['../x.md', 'content folder'],
      ['article/../../x.md', 'content folder'],
      ['/etc/passwd', 'content folder'],
      ['C:/x.md', 'content folder'],
      ['article\\x.md', 'content folder'],
      ['article/x\0.md', 'content folder'],
      ['', 'content folder'],
      ['.git/config', 'dot'],
      ['article/.GIT/hooks/post-commit', 'dot'],
      ['article/git~1/config', 'dot'],
      ['article/\u200c.git/config', 'dot'],
      ['article/.g\u200cit/config', 'dot'],
      ['.gitattributes', 'dot'],
      ['article/.astro-jsonapi-lock', 'dot'],
    ])('neither writes nor removes %j', async (key, reason) => {
      await expect(driver.write(key, bytes('x'))).rejects.toThrow(UnsafeKeyError);
      await expect(driver.write(key, bytes('x'))).rejects.toThrow(reason);
      await expect(driver.remove(key)).rejects.toThrow(reason);
      expect(await keysOf(driver)).toEqual(Object.keys(FILES));
    });

    it.each([
      ['article/con.md', 'Windows reserves'],
      ['article/CON', 'Windows reserves'],
      ['article/nul.tar.gz', 'Windows reserves'],
      ['article/com1 .md', 'Windows reserves'],
      ['article/LPT².md', 'Windows reserves'],
      ['aux/x.md', 'Windows reserves'],
      ['article/x.', 'ends with a dot or a space'],
      ['article/x /y.md', 'ends with a dot or a space'],
      ['article/what?.md', 'Windows does not allow'],
      ['article/a:b.md', 'Windows does not allow'],
      ['article/line\nbreak.md', 'control characters'],
      ['article/\u0085.md', 'control characters'],
      ['article/\ud800.md', 'not valid Unicode'],
      [`article/${'x'.repeat(MAX_NAME_BYTES + 1)}`, 'more than 255 bytes'],
      [`article/${'ü'.repeat(MAX_NAME_BYTES / 2 + 1)}`, 'more than 255 bytes'],
      ['article/A.md', 'only in upper and lower case'],
      ['Article/z.md', 'only in upper and lower case'],
      ['article/Deep/er/z.md', 'only in upper and lower case'],
      ['article/a.md/x.md', '"a.md" is a file'],
      ['article', '"article" is a folder'],
      ['article/deep', '"deep" is a folder'],
    ])('rejects the new file %j', async (key, reason) => {
      await expect(driver.write(key, bytes('x'), { ifRevision: null })).rejects.toThrow(UnsafeKeyError);
      await expect(driver.write(key, bytes('x'))).rejects.toThrow(reason);
      expect(await keysOf(driver)).toEqual(Object.keys(FILES));
    });

    it.each([['article/console.md'], ['article/com10.md'], ['article/x.y.z.md'], ['article/ leading.md']])(
      'accepts the new file %j',
      async (key) => {
        await driver.write(key, bytes('x'), { ifRevision: null });
        expect(await text(driver, key)).toBe('x');
      },
    );

    it('treats names that differ only in Unicode composition as equal', async () => {
      await driver.write('article/é.md', bytes('x'));
      await expect(driver.write('article/e\u0301.md', bytes('y'))).rejects.toThrow(
        'only in upper and lower case',
      );
    });

    it('reports its own writes and removals to watchers, and nothing else', async () => {
      const reported: string[] = [];
      const stop = await driver.watch?.((keys) => reported.push(...keys));
      await driver.write('article/a.md', bytes('new'), { ifRevision: revision('old') });
      await driver.write('article/n.md', bytes('new'), { ifRevision: null });
      await driver.remove('person/p.md', { ifRevision: revision('p') });
      await eventually(() =>
        expect(new Set(reported)).toEqual(new Set(['article/a.md', 'article/n.md', 'person/p.md'])),
      );
      await stop?.();
    });
  },
);

describe('a read-only driver', () => {
  it('is not writable', () => {
    expect(isWritable(createBundledDriver({ version: 1, files: {}, html: {} }))).toBe(false);
  });
});

describe.skipIf(process.platform === 'win32')('replaced files', () => {
  let root: string;
  let driver: WritableDriver;
  beforeEach(async () => {
    const base = temporaryFolder();
    root = join(base, 'content');
    mkdirSync(join(root, 'article'), { recursive: true });
    writeFileSync(join(root, 'article/a.md'), 'old');
    writeFileSync(join(base, 'secret.md'), 'secret');
    driver = createFsDriver(root);
  });

  it.each([0o600, 0o640, 0o755, 0o666])('keep mode %o', async (mode) => {
    chmodSync(join(root, 'article/a.md'), mode);
    await driver.write('article/a.md', bytes('new'), { ifRevision: revision('old') });
    expect(statSync(join(root, 'article/a.md')).mode & 0o777).toBe(mode);
  });

  it('stay the same file if nothing changes', async () => {
    const { ino, mtimeMs } = statSync(join(root, 'article/a.md'));
    await driver.write('article/a.md', bytes('old'), { ifRevision: revision('old') });
    expect(statSync(join(root, 'article/a.md'))).toMatchObject({ ino, mtimeMs });
  });

  it('leave open readers the old bytes', async () => {
    await link(join(root, 'article/a.md'), join(root, '..', 'same.md'));
    await driver.write('article/a.md', bytes('new'));
    expect(await readFile(join(root, '..', 'same.md'), 'utf8')).toBe('old');
  });

  it('are the link targets, and links stay; a removal removes the link', async () => {
    symlinkSync('a.md', join(root, 'article/alias.md'));
    symlinkSync('article', join(root, 'story'));
    await driver.write('article/alias.md', bytes('one'), { ifRevision: revision('old') });
    await driver.write('story/a.md', bytes('two'), { ifRevision: revision('one') });
    await driver.write('story/b.md', bytes('b'), { ifRevision: null });
    expect(lstatSync(join(root, 'article/alias.md')).isSymbolicLink()).toBe(true);
    expect(await text(driver, 'article/a.md')).toBe('two');
    expect(await text(driver, 'article/b.md')).toBe('b');
    await driver.remove('article/alias.md', { ifRevision: revision('two') });
    expect(readdirSync(join(root, 'article')).sort()).toEqual(['a.md', 'b.md']);
  });

  it.each([
    ['a file outside', '../../secret.md', 'article/l.md'],
    ['a folder outside', '../..', 'article/l.md/secret.md'],
    ['a new file outside', '../..', 'article/l.md/new.md'],
    ['nothing', 'none.md', 'article/l.md'],
    ['nothing outside', '../../none.md', 'article/l.md'],
    ['the repository', '../.git', 'article/l.md/config'],
  ])('are never reached through a link to %s', async (_what, target, key) => {
    mkdirSync(join(root, '.git'));
    writeFileSync(join(root, '.git/config'), '[core]');
    symlinkSync(target, join(root, 'article/l.md'));
    await expect(driver.write(key, bytes('x'))).rejects.toThrow(UnsafeKeyError);
    await expect(driver.remove(key)).rejects.toThrow('through a link');
    expect(await readFile(join(root, '../secret.md'), 'utf8')).toBe('secret');
    expect(await readFile(join(root, '.git/config'), 'utf8')).toBe('[core]');
    expect(readdirSync(dirname(root)).sort()).toEqual(['content', 'secret.md']);
  });

  it.runIf(process.getuid?.() !== 0)(
    'that are not writable give a clear error, and nothing is left behind',
    async () => {
      chmodSync(join(root, 'article'), 0o500);
      await expect(driver.write('article/a.md', bytes('x'))).rejects.toThrow(
        'article/a.md cannot be written: the server process has no permission to (EACCES).',
      );
      await expect(driver.write('article/n/x.md', bytes('x'))).rejects.toThrow(UnwritableStorageError);
      await expect(driver.remove('article/a.md')).rejects.toMatchObject({ reason: 'unavailable' });
      chmodSync(join(root, 'article'), 0o700);
      chmodSync(join(root, 'article/a.md'), 0o400);
      await expect(driver.write('article/a.md', bytes('x'))).rejects.toThrow('EACCES');
      chmodSync(root, 0o500);
      expect(await driver.obstacle()).toContain('no permission');
      expect(readdirSync(join(root, 'article'))).toEqual(['a.md']);
    },
  );

  it('are not created in a missing content folder', async () => {
    const gone = createFsDriver(join(root, 'nowhere'));
    await expect(gone.write('article/a.md', bytes('x'))).rejects.toThrow('does not exist any more');
    await expect(gone.exclusively(async () => 1)).rejects.toThrow(UnwritableStorageError);
    expect(await gone.obstacle()).toContain('nowhere/ cannot be written');
  });

  it('leave no temporary files, whatever happens', async () => {
    await driver.write('article/a.md', bytes('one'), { ifRevision: revision('old') });
    await driver.write('article/a.md', bytes('x'), { ifRevision: revision('?') }).catch(() => undefined);
    await driver.write('article/a.md', bytes('x'), { ifRevision: null }).catch(() => undefined);
    await driver.write('article/n.md', bytes('n'), { ifRevision: null });
    await driver.remove('article/n.md');
    expect(readdirSync(join(root, 'article'))).toEqual(['a.md']);
  });

  it('lose the temporary files of dead writers at the next listing, but not those of live ones', async () => {
    const [dead, alive] = [temporaryName(Date.now() - 61_000), temporaryName(Date.now() - 1000)];
    const foreign = ['.astro-jsonapi-1-abc.tmp', '.keep.tmp', 'x.tmp'];
    for (const name of [dead, alive, ...foreign]) writeFileSync(join(root, 'article', name), 'x');
    const { files, skipped } = await driver.list();
    expect(files.map(({ key }) => key).filter((key) => key.includes(alive) || key.includes(dead))).toEqual(
      [],
    );
    expect(skipped).toEqual([]);
    expect(existsSync(join(root, 'article', dead))).toBe(false);
    expect(readdirSync(join(root, 'article')).sort()).toEqual(['a.md', alive, ...foreign].sort());
    expect(await driver.read(`article/${alive}`)).toBeUndefined();
  });
});
