import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { FileChange } from '../../../integration/core/storage/driver.ts';
import { createFsDriver } from '../../../integration/core/storage/drivers/fs.ts';
import { digestBytes } from '../../../integration/core/util/revision.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** Runs before each system call that renames, links or removes. */
const hook = vi.hoisted(() => ({ before: (_path: string): void => {} }));

vi.mock('node:fs', async (original) => {
  const actual = await original<typeof fs>();
  const hooked =
    <Args extends unknown[]>(call: (...args: Args) => void) =>
    (...args: Args) => {
      hook.before(String(args.at(-1)));
      call(...args);
    };
  return {
    ...actual,
    renameSync: hooked(actual.renameSync),
    linkSync: hooked(actual.linkSync),
    unlinkSync: hooked(actual.unlinkSync),
  };
});
afterEach(() => {
  hook.before = () => {};
});

const OLD = { 'article/a.md': 'old a', 'article/sub/b.md': 'old b' };
const NEW = { 'article/a.md': 'new a', 'note/c.md': 'new c' };
const revision = (text: string) => digestBytes(Buffer.from(text));
const CHANGES: readonly FileChange[] = [
  { key: 'article/a.md', bytes: Buffer.from('new a'), ifRevision: revision('old a') },
  { key: 'article/sub/b.md', bytes: null, ifRevision: revision('old b') },
  { key: 'note/c.md', bytes: Buffer.from('new c'), ifRevision: null },
];

/** The files, and the names of journals and temporary files. */
function stateOf(folder: string) {
  const names = fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => fs.statSync(path.join(folder, name)).isFile());
  const isLock = (name: string) => /^\.astro-jsonapi-lock(\.next|\.log)?$/.test(name);
  const own = names.filter((name) => path.basename(name).startsWith('.') && !isLock(name));
  const content = names.filter((name) => !path.basename(name).startsWith('.'));
  const text = (name: string) => fs.readFileSync(path.join(folder, name), 'utf8');
  return { files: Object.fromEntries(content.sort().map((name) => [name, text(name)])), own };
}

const write = (folder: string, changes = CHANGES) => {
  const driver = createFsDriver(folder);
  return driver.exclusively(() => driver.writeAll(changes));
};

it('changes all files and leaves no journal', async () => {
  const folder = temporaryFolder(OLD);
  await write(folder);
  expect(stateOf(folder)).toEqual({ files: NEW, own: [] });
});

it.each<[string, Partial<FileChange>]>([
  ['has other bytes', { ifRevision: revision('older') }],
  ['exists already', { key: 'article/a.md', ifRevision: null }],
  ['does not exist', { key: 'note/none.md', ifRevision: revision('x') }],
  ['has a name that no system allows', { key: 'note/con.md', ifRevision: null }],
  ['differs only in letter case from another one', { key: 'article/A.md', ifRevision: null }],
  ['differs only in letter case from a new one', { key: 'note/C.md', ifRevision: null }],
  ['is a folder', { key: 'article/sub', ifRevision: null }],
  ['is in a file', { key: 'article/a.md/c.md', ifRevision: null }],
])('changes nothing if a file %s', async (_, change) => {
  const folder = temporaryFolder({ ...OLD, 'article/c.md': 'c' });
  const before = stateOf(folder);
  const last = { key: 'article/c.md', bytes: Buffer.from('x'), ifRevision: revision('c'), ...change };
  await expect(write(folder, [...CHANGES, last])).rejects.toThrow();
  expect(stateOf(folder)).toEqual(before);
});

/** The system calls of the batch. */
async function countSteps(): Promise<number> {
  let steps = 0;
  hook.before = () => {
    steps += 1;
  };
  await write(temporaryFolder(OLD));
  return steps;
}

/** Makes the steps that pass the test fail; the first one is 0. */
function failSteps(fails: (step: number) => boolean): void {
  let step = 0;
  hook.before = () => {
    if (fails(step++)) throw Object.assign(new Error('EIO'), { code: 'EIO' });
  };
}

describe('a disk that fails', () => {
  it('in any step, once: leaves all files or none, and the error says so', async () => {
    const steps = await countSteps();
    expect(steps).toBeGreaterThanOrEqual(6);
    const outcomes = new Set<string>();
    for (let step = 0; step < steps; step += 1) {
      const folder = temporaryFolder(OLD);
      failSteps((each) => each === step);
      const failure = await write(folder).catch((error: unknown) => error);
      await createFsDriver(folder).list();
      const { files, own } = stateOf(folder);
      const expected = failure === undefined ? NEW : OLD;
      // Removing the journal is the last step: by then all files have changed.
      expect([step, files]).toEqual([step, step === steps - 1 ? NEW : expected]);
      expect(own).toEqual([]);
      outcomes.add(failure === undefined ? 'written' : 'refused');
    }
    expect([...outcomes]).toEqual(['refused']);
  });

  it('from any step on: the next process finds the rest and leaves all files or none', async () => {
    const steps = await countSteps();
    const outcomes = new Set<string>();
    for (let step = 0; step < steps; step += 1) {
      const folder = temporaryFolder(OLD);
      failSteps((each) => each >= step);
      await expect(write(folder)).rejects.toThrow('EIO');
      hook.before = () => {};
      await createFsDriver(folder).exclusively(async () => undefined);
      const { files } = stateOf(folder);
      expect([OLD, NEW], `step ${step}`).toContainEqual(files);
      outcomes.add(files['note/c.md'] ?? 'old');
    }
    expect([...outcomes].sort()).toEqual(['new c', 'old']);
  });
});

describe('an editor that saves a file during the change', () => {
  it.each([
    ['before its turn', 'note/c.md', 'article/sub/b.md'],
    ['after its turn', 'article/a.md', 'article/a.md'],
  ])('%s keeps its text, and the other files get their old bytes back', async (_, trigger, saved) => {
    const folder = temporaryFolder({ ...OLD });
    const at = path.join(folder, trigger);
    let isSaved = false;
    hook.before = (name) => {
      if (isSaved || (name !== at && !name.endsWith('.batch-undo'))) return;
      isSaved = true;
      fs.writeFileSync(path.join(folder, saved), 'of an editor');
    };
    await expect(write(folder, [...CHANGES].reverse())).rejects.toMatchObject({
      name: 'RevisionConflictError',
      key: saved,
    });
    expect(stateOf(folder)).toEqual({ files: { ...OLD, [saved]: 'of an editor' }, own: [] });
  });

  it('after the death of the process keeps its text, and the other files get their old bytes back', async () => {
    const folder = temporaryFolder(OLD);
    // The journal and the first file are in place.
    failSteps((step) => step >= 3);
    await expect(write(folder)).rejects.toThrow('EIO');
    hook.before = () => {};
    fs.writeFileSync(path.join(folder, 'article/sub/b.md'), 'of an editor');
    const changed = await createFsDriver(folder).exclusively(async (keys) => keys);
    expect(stateOf(folder).files).toEqual({ ...OLD, 'article/sub/b.md': 'of an editor' });
    expect([...new Set(changed)].sort()).toEqual(['article/a.md', 'article/sub/b.md', 'note/c.md']);
  });
});

describe('a journal of a dead process', () => {
  const journal = (folder: string) => path.join(folder, '.astro-jsonapi-lock.batch');
  const entry = { key: 'article/a.md', before: 'b2xkIGE=', after: 'bmV3IGE=' };

  it.each([
    ['that is complete is replayed', JSON.stringify([entry]), 'new a'],
    [
      'that was replayed already changes nothing',
      JSON.stringify([{ ...entry, before: 'eA==', after: entry.before }]),
      'old a',
    ],
    ['that is cut off is removed', JSON.stringify([entry]).slice(0, -9), 'old a'],
    ['of another form is removed', '{"files":[]}', 'old a'],
  ])('%s before the first listing', async (_, text, expected) => {
    const folder = temporaryFolder(OLD);
    fs.writeFileSync(journal(folder), text);
    await createFsDriver(folder).list();
    expect(stateOf(folder)).toEqual({ files: { ...OLD, 'article/a.md': expected }, own: [] });
  });

  it('never changes a file outside the folder', async () => {
    const folder = temporaryFolder({ 'content/article/a.md': 'old a', 'secret.md': 'old a' });
    fs.writeFileSync(
      journal(path.join(folder, 'content')),
      JSON.stringify([{ ...entry, key: '../secret.md' }]),
    );
    const driver = createFsDriver(path.join(folder, 'content'));
    await expect(driver.exclusively(async () => undefined)).rejects.toMatchObject({ name: 'UnsafeKeyError' });
    expect(fs.readFileSync(path.join(folder, 'secret.md'), 'utf8')).toBe('old a');
  });
});

it('a process that is killed before any step leaves all files or none to the next one', {
  timeout: 60_000,
}, async () => {
  const script = path.join(import.meta.dirname, 'fixtures/die-in-batch.ts');
  const outcomes: string[] = [];
  for (let step = 0; ; step += 1) {
    const folder = temporaryFolder(OLD);
    const { signal, status, stderr } = spawnSync(process.execPath, [script, folder, String(step)], {
      encoding: 'utf8',
    });
    await createFsDriver(folder).list();
    const { files, own } = stateOf(folder);
    expect([OLD, NEW], `step ${step}`).toContainEqual(files);
    expect(own.filter((name) => !name.endsWith('.tmp'))).toEqual([]);
    outcomes.push(files['note/c.md'] ?? 'old');
    if (signal === null) {
      expect([status, stderr]).toEqual([0, '']);
      break;
    }
  }
  expect(outcomes.length).toBeGreaterThan(6);
  expect(outcomes.lastIndexOf('old')).toBeLessThan(outcomes.indexOf('new c'));
});
