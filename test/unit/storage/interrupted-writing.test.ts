import * as fs from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { WritableDriver } from '../../../integration/core/storage/driver.ts';
import { createFsDriver } from '../../../integration/core/storage/drivers/fs.ts';
import { digestBytes } from '../../../integration/core/util/revision.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** Actions that run before or after the system calls of the writer. */
const hooks = vi.hoisted(() => ({ beforeRename: () => {}, afterRename: () => {}, beforeLink: () => {} }));

vi.mock('node:fs', async (original) => {
  const actual = await original<typeof fs>();
  return {
    ...actual,
    renameSync(from: string, to: string) {
      hooks.beforeRename();
      actual.renameSync(from, to);
      hooks.afterRename();
    },
    linkSync(from: string, to: string) {
      hooks.beforeLink();
      actual.linkSync(from, to);
    },
  };
});

let base: string;
let file: string;
let driver: WritableDriver;

beforeEach(() => {
  base = temporaryFolder();
  fs.mkdirSync(join(base, 'article'));
  file = join(base, 'article/a.md');
  fs.writeFileSync(file, 'old');
  driver = createFsDriver(base);
});

afterEach(() => {
  Object.assign(hooks, { beforeRename: () => {}, afterRename: () => {}, beforeLink: () => {} });
});

const revision = (text: string): string => digestBytes(Buffer.from(text));

function once(hook: keyof typeof hooks, action: () => void): void {
  hooks[hook] = () => {
    hooks[hook] = () => {};
    action();
  };
}

function fail(code: string): () => never {
  return () => {
    throw Object.assign(new Error(code), { code });
  };
}

function saveInPlace(): void {
  fs.writeFileSync(file, 'of an editor');
}

function saveByMoving(): void {
  fs.writeFileSync(`${base}/draft`, 'of an editor');
  // `fs.renameSync` would run the hooks.
  fs.rmSync(file, { force: true });
  fs.copyFileSync(`${base}/draft`, file);
}

/** An editor with the file open, which saves after the writer has renamed. */
function saveInOpenFile(): void {
  const open = fs.openSync(file, 'r+');
  once('afterRename', () => {
    fs.writeSync(open, 'of an editor', 0);
    fs.closeSync(open);
  });
}

async function expectTextOfEditor(refused: Promise<unknown>): Promise<void> {
  await expect(refused).rejects.toMatchObject({
    name: 'RevisionConflictError',
    revision: revision('of an editor'),
  });
  expect(fs.readFileSync(file, 'utf8')).toBe('of an editor');
}

describe('an editor that saves during a write', () => {
  it.each([
    ['in place, before the link', 'beforeLink', saveInPlace],
    ['by rename, before the link', 'beforeLink', saveByMoving],
    ['in place, just before the rename', 'beforeRename', saveInPlace],
    ['in place, into the replaced file', 'beforeRename', saveInOpenFile],
    ['in place, just after the rename', 'afterRename', saveInPlace],
    ['by rename, just after the rename', 'afterRename', saveByMoving],
  ] as const)('%s: keeps its text, and the writer gets a conflict', async (_how, hook, save) => {
    once(hook, save);
    const refused = driver.write('article/a.md', Buffer.from('new'), { ifRevision: revision('old') });
    await expectTextOfEditor(refused);
    expect(fs.readdirSync(join(base, 'article'))).toEqual(['a.md']);
  });

  it.each([
    ['in place, just before the removal', 'beforeRename', saveInPlace],
    ['by rename, just before the removal', 'beforeRename', saveByMoving],
    ['in place, into the removed file', 'beforeRename', saveInOpenFile],
  ] as const)('%s: keeps its text, and the removal fails with a conflict', async (_how, hook, save) => {
    once(hook, save);
    const refused = driver.remove('article/a.md', { ifRevision: revision('old') });
    await expectTextOfEditor(refused);
    expect(fs.readdirSync(join(base, 'article'))).toEqual(['a.md']);
  });

  it('and creates the same new file keeps its text', async () => {
    file = join(base, 'article/n.md');
    once('beforeLink', saveInPlace);
    const refused = driver.write('article/n.md', Buffer.from('new'), { ifRevision: null });
    await expectTextOfEditor(refused);
  });

  it('and removes the file causes a conflict', async () => {
    once('beforeLink', () => fs.rmSync(file));
    const refused = driver.write('article/a.md', Buffer.from('new'), { ifRevision: revision('old') });
    await expect(refused).rejects.toMatchObject({ name: 'RevisionConflictError', revision: null });
    expect(fs.readdirSync(join(base, 'article'))).toEqual([]);
  });
});

describe('a file system without hard links', () => {
  it.each(['EPERM', 'ENOTSUP', 'ENOSYS', 'EMLINK'])('can be written to (%s)', async (code) => {
    hooks.beforeLink = fail(code);
    await driver.write('article/a.md', Buffer.from('new'), { ifRevision: revision('old') });
    await driver.write('article/n.md', Buffer.from('n'), { ifRevision: null });
    await expect(driver.write('article/n.md', Buffer.from('x'), { ifRevision: null })).rejects.toThrow(
      'changed',
    );
    expect(fs.readFileSync(file, 'utf8')).toBe('new');
    await driver.remove('article/n.md', { ifRevision: revision('n') });
    expect(fs.readdirSync(join(base, 'article'))).toEqual(['a.md']);
  });
});

describe('a failing file system', () => {
  it.each([
    ['EROFS', 'unavailable', 'the file system is read-only'],
    ['EACCES', 'unavailable', 'the server process has no permission to'],
    ['ENOSPC', 'out-of-space', 'no space is left'],
    ['EIO', 'unavailable', 'the file system refuses'],
  ])('with %s gives a readable error with the reason %s and changes nothing', async (code, reason, text) => {
    hooks.beforeRename = fail(code);
    const refused = driver.write('article/a.md', Buffer.from('new'), { ifRevision: revision('old') });
    await expect(refused).rejects.toMatchObject({
      name: 'UnwritableStorageError',
      reason,
      message: `article/a.md cannot be written: ${text} (${code}).`,
      cause: { code },
    });
    await expect(driver.remove('article/a.md')).rejects.toMatchObject({ reason });
    expect(fs.readFileSync(file, 'utf8')).toBe('old');
    expect(fs.readdirSync(join(base, 'article'))).toEqual(['a.md']);
  });

  it('leaves no folder that was created for the file', async () => {
    hooks.beforeLink = fail('EIO');
    await expect(driver.write('note/x/n.md', Buffer.from('n'), { ifRevision: null })).rejects.toThrow('EIO');
    expect(fs.readdirSync(base).filter((name) => !name.startsWith('.'))).toEqual(['article']);
  });
});
