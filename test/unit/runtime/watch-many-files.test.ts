import { renameSync, rmSync, utimesSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { StorageDriver } from '../../../integration/core/storage/driver.ts';
import { WATCH_LONGEST_MS } from '../../../integration/core/storage/drivers/fs-bursts.ts';
import { eventually } from '../../support/eventually.ts';
import { IN_TIME } from '../../support/in-time.ts';
import { type Folder, follow } from './follow.ts';

const FILES = 600;

/**
 * Of every three files, one changes and one is removed between the branches. A third more are added, and one bundle
 * replaces another.
 */
function twoBranches({ write, file, git }: Folder): void {
  git('init', '-q', '-b', 'winter');
  const key = (number: number) => `article/${number % 20}/a${number}.md`;
  for (let number = 0; number < FILES; number++) {
    write(key(number), `---\ntitle: Winter ${number}\nseason: winter\n---\n`);
  }
  for (let number = 0; number < 20; number++) write(`ski/s${number}.md`, '---\nseason: winter\n---\n');
  git('add', '-A');
  git('commit', '-q', '--no-verify', '-m', 'Winter');
  git('checkout', '-q', '-b', 'summer');
  for (let number = 0; number < FILES; number += 3) {
    write(key(number), `---\ntitle: Summer ${number}\nseason: summer\nwarm: true\n---\n`);
    rmSync(file(key(number + 1)));
    write(`article/new/n${number}.md`, '---\nseason: summer\n---\n');
  }
  rmSync(file('ski'), { recursive: true });
  for (let number = 0; number < 20; number++) write(`swim/s${number}.md`, '---\nseason: summer\n---\n');
  git('add', '-A');
  git('commit', '-q', '--no-verify', '-m', 'Summer');
  git('checkout', '-q', 'winter');
}

describe('a branch switch', () => {
  it(
    'of hundreds of files is applied in one step, without results from the old branch',
    IN_TIME,
    async () => {
      const following = await follow(twoBranches);
      const count = async (query: string) => {
        const answer = await following.get(`/node/${query}`);
        const { meta, errors } = answer as {
          meta?: { count: number };
          errors?: readonly { status: string }[];
        };
        return meta?.count ?? errors?.[0]?.status;
      };
      const counts = () =>
        Promise.all(
          [
            'article',
            'article?filter[season]=winter',
            'article?filter[title][value]=Winter&filter[title][operator]=STARTS_WITH',
            'ski',
            'swim',
          ].map(count),
        );
      expect(await counts()).toEqual([600, 600, 600, 20, '404']);
      following.git('checkout', '-q', 'summer');
      await eventually(() => expect(following.lines).not.toEqual([]));
      expect(await counts()).toEqual([600, 200, 200, '404', 20]);
      expect(await count('article?filter[warm]=1')).toBe(200);
      expect(following.lines).toHaveLength(1);
      following.git('checkout', '-q', 'winter');
      await eventually(async () => expect(await counts()).toEqual([600, 600, 600, 20, '404']));
      await wait(WATCH_LONGEST_MS);
      // One step per branch; updates of commit dates may follow.
      expect(following.lines.filter((line) => !line.startsWith('Commits of '))).toHaveLength(2);
      expect(following.lines.filter((line) => line.startsWith('error: '))).toEqual([]);
      await following.close();
    },
  );
});

describe('a move of HEAD', () => {
  it('lists the files again after a checkout, but not after a commit', async () => {
    let lists = 0;
    const following = await follow(
      ({ write, git }) => {
        git('init', '-q', '-b', 'main');
        write('article/a.md', '---\ntitle: First\n---\n');
        git('add', '-A');
        git('commit', '-q', '--no-verify', '-m', 'First');
      },
      (driver) => ({
        ...driver,
        list() {
          lists += 1;
          return driver.list();
        },
      }),
    );
    const values = () => following.store.entities('node--article')[0]?.values;
    const listsBefore = lists;
    following.write('article/a.md', '---\ntitle: Second\n---\n');
    // Not the time of the commit.
    utimesSync(following.file('article/a.md'), 1_000_000_000, 1_000_000_000);
    await eventually(() => expect(values()?.title).toBe('Second'));
    following.git('commit', '-q', '--no-verify', '-a', '-m', 'Second');
    await eventually(() => expect(following.lines.some((line) => line.startsWith('Commits of '))).toBe(true));
    expect(lists).toBe(listsBefore);
    following.git('checkout', '-q', 'HEAD~1');
    await eventually(() => expect(values()?.title).toBe('First'));
    await eventually(() => expect(lists).toBe(listsBefore + 1));
    await following.close();
  });
});

describe('a watcher that reports a branch switch in pieces', () => {
  it('is not awaited, and its later reports cause no second read', async () => {
    const { driver, tell } = manualWatcher();
    const following = await follow(({ write }) => {
      for (const name of ['a', 'b', 'c']) write(`article/${name}.md`, `---\ntitle: Winter ${name}\n---\n`);
    }, driver);
    const titles = () => following.store.entities('node--article').map(({ values }) => values.title);
    following.write('article/a.md', '---\ntitle: Summer a\n---\n');
    rmSync(following.file('article/b.md'));
    following.write('article/d.md', '---\ntitle: Summer d\n---\n');
    tell(['article/a.md'], 'moved');
    await eventually(() => expect(titles()).toEqual(['Summer a', 'Winter c', 'Summer d']));
    tell(['article/b.md', 'article/d.md']);
    following.write('article/c.md', '---\ntitle: Summer c\n---\n');
    tell(['article/c.md']);
    await eventually(() => expect(titles()).toEqual(['Summer a', 'Summer c', 'Summer d']));
    await wait(50);
    expect(following.lines).toEqual([
      expect.stringMatching(/^content\/article\/a\.md and 2 more: 2 entities updated, 1 entity removed/),
      expect.stringMatching(/^content\/article\/c\.md: 1 entity updated/),
    ]);
    await following.close();
  });
});

describe('a folder', () => {
  it.each<[string, (folder: Folder) => void, readonly string[]]>([
    [
      'that is renamed',
      ({ file }) => renameSync(file('article'), file('story')),
      ['page/p', 'story/deep/b', 'story/deep/c', 'story/kept'],
    ],
    [
      'with fixed ids that is renamed',
      ({ file }) => renameSync(file('article/deep'), file('article/deeper')),
      ['article/deeper/b', 'article/deeper/c', 'article/kept', 'page/p'],
    ],
    [
      'that is deleted',
      ({ file }) => rmSync(file('article/deep'), { recursive: true }),
      ['article/kept', 'page/p'],
    ],
    [
      'of a whole bundle that is deleted',
      ({ file }) => rmSync(file('article'), { recursive: true }),
      ['page/p'],
    ],
    [
      'of a new bundle',
      ({ write }) => write('place/bay.md', 'A bay.'),
      ['article/deep/b', 'article/deep/c', 'article/kept', 'page/p', 'place/bay'],
    ],
    [
      'that is moved out',
      ({ file }) => renameSync(file('article/deep'), file('../deep')),
      ['article/kept', 'page/p'],
    ],
  ])('%s is applied in one step', async (_what, change, expected) => {
    const { driver, tell, list } = manualWatcher();
    const following = await follow(({ write }) => {
      write('article/deep/b.md', 'B');
      write('article/deep/c.md', 'C');
      write('article/kept.md', '---\nid: kept\n---\n');
      write('page/p.md', 'P');
    }, driver);
    const ids = () =>
      [...following.store.types.keys()]
        .flatMap((type) =>
          following.store.entities(type).map(({ id }) => `${type.slice('node--'.length)}/${id}`),
        )
        .sort();
    const before = await list();
    change(following);
    const after = await list();
    tell([...before.symmetricDifference(after)]);
    await eventually(() => expect(following.lines).not.toEqual([]));
    expect(ids()).toEqual(expected);
    expect(following.lines).toHaveLength(1);
    expect(following.lines[0]).not.toContain('error');
    await following.close();
  });
});

/** A watcher that reports the changes that the test passes to it. `list` returns the keys of the files. */
function manualWatcher() {
  let onChange: Parameters<NonNullable<StorageDriver['watch']>>[0] = () => undefined;
  let list: StorageDriver['list'];
  return {
    driver(driver: StorageDriver): StorageDriver {
      list = driver.list;
      return {
        ...driver,
        async watch(listener) {
          onChange = listener;
          return async () => undefined;
        },
      };
    },
    tell: (keys: readonly string[], moved?: 'moved') => onChange(keys, moved),
    list: async () => new Set((await list()).files.map(({ key }) => key)),
  };
}
