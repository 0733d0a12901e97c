import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import type { WritableDriver } from '../../../integration/core/storage/driver.ts';
import { createFsDriver } from '../../../integration/core/storage/drivers/fs.ts';
import { createChangeLog } from '../../../integration/core/storage/drivers/fs-change-log.ts';
import { lockPathOf } from '../../../integration/core/storage/drivers/fs-lock.ts';
import { LockTimeoutError } from '../../../integration/core/storage/errors.ts';
import { createLockedQueue } from '../../../integration/core/storage/locked-queue.ts';
import { createMemoryDriver, FREE_LOCK } from '../../support/memory-driver.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let base: string;
let folder: string;

beforeEach(() => {
  base = temporaryFolder({ 'content/article/a.md': 'a' });
  folder = join(base, 'content');
});

const WORKS = 5000;

describe.each([
  ['memory', (): WritableDriver => createMemoryDriver()],
  ['files', (): WritableDriver => createFsDriver(folder)],
] as const)('exclusive tasks: %s', (_name, create) => {
  it(`run one at a time in call order, even ${WORKS} of them`, async () => {
    const driver = create();
    const order: number[] = [];
    let running = 0;
    const results = await Promise.all(
      Array.from({ length: WORKS }, (_, number) =>
        driver.exclusively(async () => {
          running += 1;
          expect(running).toBe(1);
          await Promise.resolve();
          order.push(number);
          running -= 1;
          return number;
        }),
      ),
    );
    expect(order).toEqual(results);
    expect(results).toEqual(Array.from({ length: WORKS }, (_, number) => number));
  });

  it('return their result or error, and the next one runs', async () => {
    const driver = create();
    const failed = driver.exclusively(async () => {
      throw new TypeError('wrong');
    });
    const next = driver.exclusively(async () => 'right');
    await expect(failed).rejects.toThrow(new TypeError('wrong'));
    expect(await next).toBe('right');
  });
});

describe('a task that waits too long', () => {
  it('is never run: a 503 with Retry-After; later tasks run once the lock is free', async () => {
    const exclusively = createLockedQueue(FREE_LOCK, 30);
    const ran: string[] = [];
    const long = exclusively(() => sleep(80, 'long'));
    const waiting = exclusively(async () => ran.push('waiting'));
    await expect(waiting).rejects.toThrow(LockTimeoutError);
    await expect(waiting).rejects.toMatchObject({ reason: 'unavailable', details: { retryAfterSeconds: 2 } });
    expect(await long).toBe('long');
    await exclusively(async () => ran.push('next'));
    expect(ran).toEqual(['next']);
  });

  it('waits no longer for a holder in another process', async () => {
    const [holder, other] = [createFsDriver(folder), createFsDriver(folder, { lockTimeoutMs: 50 })];
    let release = (): void => {};
    const running = holder.exclusively(() => new Promise<void>((done) => (release = done)));
    await sleep(10);
    await expect(other.exclusively(async () => 1)).rejects.toThrow(LockTimeoutError);
    release();
    await running;
    expect(await other.exclusively(async () => 2)).toBe(2);
  });
});

describe('the lock of a folder', () => {
  async function areExclusive(one: WritableDriver, two: WritableDriver): Promise<boolean> {
    let running = 0;
    let most = 0;
    const work = async (): Promise<void> => {
      running += 1;
      most = Math.max(most, running);
      await sleep(25);
      running -= 1;
    };
    await Promise.all([one.exclusively(work), two.exclusively(work)]);
    return most === 1;
  }

  it('is the same for every path to the folder, and differs between folders', async () => {
    symlinkSync(folder, join(base, 'linked'));
    mkdirSync(join(base, 'other'));
    const driver = createFsDriver(folder);
    expect(await areExclusive(driver, createFsDriver(join(base, 'linked')))).toBe(true);
    expect(await areExclusive(driver, createFsDriver(relative(process.cwd(), folder)))).toBe(true);
    expect(await areExclusive(driver, createFsDriver(join(base, 'other')))).toBe(false);
  });

  it('is in the git folder if there is one, hidden from git status', async () => {
    execFileSync('git', ['init', '-q'], { cwd: base });
    expect(lockPathOf(folder)).toMatch(`${join(base, '.git')}/.astro-jsonapi-lock.`);
    await createFsDriver(folder).exclusively(async () => undefined);
    expect(existsSync(lockPathOf(folder))).toBe(true);
    const status = execFileSync('git', ['status', '--porcelain', '-uall'], { cwd: base, encoding: 'utf8' });
    expect(status).toBe('?? content/article/a.md\n');
    expect(lockPathOf(join(folder, 'article'))).not.toBe(lockPathOf(folder));
  });

  it('follows a .git file in submodules and linked worktrees', () => {
    mkdirSync(join(base, 'elsewhere'));
    writeFileSync(join(base, 'elsewhere/HEAD'), 'ref: refs/heads/main\n');
    writeFileSync(join(base, '.git'), 'gitdir: elsewhere\n');
    expect(lockPathOf(folder)).toContain(join(base, 'elsewhere/'));
  });

  it('is hidden in a folder without git: not listed, read or watched', async () => {
    const driver = createFsDriver(folder);
    const changed: string[] = [];
    const stop = await driver.watch?.((keys) => changed.push(...keys));
    await driver.exclusively(() => driver.write('article/a.md', Buffer.from('b')));
    expect(readdirSync(folder)).toEqual(
      ['', '.log', '.next'].map((end) => `.astro-jsonapi-lock${end}`).concat('article'),
    );
    expect(statSync(lockPathOf(folder)).size).toBe(0);
    expect(await driver.list()).toMatchObject({ files: [{ key: 'article/a.md' }], skipped: [] });
    expect(await driver.read('.astro-jsonapi-lock')).toBeUndefined();
    await sleep(100);
    await stop?.();
    expect(changed).toEqual(['article/a.md']);
  });

  it('works again after its file is deleted', async () => {
    const [one, two] = [createFsDriver(folder), createFsDriver(folder)];
    await one.exclusively(async () => undefined);
    rmSync(lockPathOf(folder));
    expect(await areExclusive(one, two)).toBe(true);
  });

  it('that cannot be created gives an error, whose path only the operator sees', async () => {
    mkdirSync(lockPathOf(folder));
    const driver = createFsDriver(folder);
    expect(await driver.obstacle()).toContain(lockPathOf(folder));
    const refused = driver.exclusively(async () => 1);
    await expect(refused).rejects.toMatchObject({ name: 'UnwritableStorageError', reason: 'unavailable' });
    await expect(refused).rejects.not.toThrow(base);
  });

  it('alternates between two processes that compete for it', async () => {
    const holders: string[] = [];
    const work = async (name: string, driver: WritableDriver): Promise<void> => {
      for (let batch = 0; batch < 8; batch += 1) {
        await Promise.all(
          Array.from({ length: 10 }, () =>
            driver.exclusively(async () => {
              holders.push(name);
              await sleep(2);
            }),
          ),
        );
      }
    };
    await Promise.all([work('one', createFsDriver(folder)), work('two', createFsDriver(folder))]);
    const changes = holders.filter((name, index) => index > 0 && name !== holders[index - 1]).length;
    expect(changes).toBeGreaterThan(4);
  });
});

describe('the holder of the lock', () => {
  const bytes = Buffer.from('new');
  const changesOf = (driver: WritableDriver): Promise<readonly string[]> =>
    driver.exclusively(async (changed) => changed);

  it('receives the changes of other processes once, and none of its own', async () => {
    const [one, two] = [createFsDriver(folder), createFsDriver(folder)];
    await one.exclusively(async () => {
      await one.write('article/a.md', bytes);
      await one.write('article/a.md', Buffer.from('newer'));
      await one.write("article/it's ünusual.md", bytes, { ifRevision: null });
      await one.remove('article/a.md');
    });
    expect(await changesOf(one)).toEqual([]);
    expect(await changesOf(two)).toEqual(['article/a.md', "article/it's ünusual.md"]);
    expect(await changesOf(two)).toEqual([]);
    await two.exclusively(() => two.write('article/c.md', bytes));
    expect(await changesOf(one)).toEqual(['article/c.md']);
  });

  it('receives them even if an earlier task timed out', async () => {
    const [one, two] = [createFsDriver(folder), createFsDriver(folder, { lockTimeoutMs: 40 })];
    await one.exclusively(async () => {
      await one.write('article/a.md', bytes);
      await expect(changesOf(two)).rejects.toThrow(LockTimeoutError);
    });
    expect(await changesOf(two)).toEqual(['article/a.md']);
  });

  it('receives only the newest of very many changes', async () => {
    const path = join(base, 'journal');
    const [one, two] = [createChangeLog(path), createChangeLog(path)];
    expect(two.readNew()).toEqual([]);
    const keys = Array.from({ length: 1000 }, (_, number) => `article/${'x'.repeat(1200)}-${number}.md`);
    for (const key of keys) one.add(key);
    expect(one.readNew()).toEqual([]);
    expect(statSync(path).size).toBeLessThan(70_000);
    one.add('article/last.md');
    const news = two.readNew();
    expect(news.length).toBeGreaterThan(40);
    expect(news).toEqual([...keys, 'article/last.md'].slice(-news.length));
  });

  it('does not receive old changes', () => {
    const path = join(base, 'journal');
    createChangeLog(path).add('article/a.md');
    expect(createChangeLog(path, Date.now()).readNew()).toEqual(['article/a.md']);
    expect(createChangeLog(path, Date.now() + 60_000).readNew()).toEqual([]);
  });
});
