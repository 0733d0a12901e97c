import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ERRORS_AFTER_MS } from '../../../integration/core/runtime/watch.ts';
import type { StorageDriver } from '../../../integration/core/storage/driver.ts';
import { eventually } from '../../support/eventually.ts';
import { IN_TIME } from '../../support/in-time.ts';
import { follow } from './follow.ts';
import { NEW, OLD, SAVES } from './saves.ts';

const TEXT = `---\ntitle: ${OLD} title\n---\n${OLD} text.\n`;

/** A watcher that reports files only when the test says so. */
function controlledWatcher() {
  let report: WatchListener | undefined;
  return {
    control: (driver: StorageDriver): StorageDriver => ({
      ...driver,
      async watch(listener) {
        report = listener;
        return async () => undefined;
      },
    }),
    report: async (...change: Parameters<WatchListener>) => report?.(...change),
  };
}

type WatchListener = Parameters<NonNullable<StorageDriver['watch']>>[0];

describe('a saved file', IN_TIME, () => {
  it.concurrent.each(Object.entries(SAVES))('%s', async (_how, save) => {
    const following = await follow(({ write }) => write('article/a.md', TEXT));
    const { store, file, lines } = following;
    const title = () => store.get('node--article', 'a')?.values.title ?? null;
    const seen: unknown[] = [title()];
    const sampling = setInterval(() => {
      if (seen.at(-1) !== title()) seen.push(title());
    }, 1);
    await save(file('article/a.md'), TEXT.replaceAll(OLD, NEW));
    await eventually(() => expect(title()).toBe(`${NEW} title`));
    await wait(ERRORS_AFTER_MS + 100);
    clearInterval(sampling);
    await following.close();
    expect(seen).toEqual([`${OLD} title`, `${NEW} title`]);
    expect(store.entities('node--article')).toHaveLength(1);
    for (const line of lines) expect(line).toMatch(/^content\/article\/a\.md: \d+ entit/);
  });

  it('with a lasting error is reported', async () => {
    const following = await follow(({ write }) => write('article/a.md', TEXT));
    following.write('article/a.md', `---\ntitle: [${NEW}\n---\n`);
    await eventually(() => expect(following.lines).toHaveLength(2));
    expect(following.lines[0]).toMatch(
      /^content\/article\/a\.md: nothing changes until its errors are fixed/,
    );
    expect(following.lines[1]).toMatch(/^error: content\/article\/a\.md:\d:\d+ /);
    expect(following.store.get('node--article', 'a')?.values.title).toBe(`${OLD} title`);
    await following.close();
  });

  it('that is completed before its errors are reported, and one that is reported twice, have one line', async () => {
    const watcher = controlledWatcher();
    const following = await follow(({ write }) => write('article/a.md', TEXT), watcher.control);
    following.write('article/a.md', `---\ntitle: [${NEW}\n---\n`);
    await watcher.report(['article/a.md'], undefined);
    following.write('article/a.md', TEXT.replaceAll(OLD, NEW));
    await watcher.report(['article/a.md'], undefined);
    await wait(ERRORS_AFTER_MS + 100);
    const line = expect.stringMatching(/^content\/article\/a\.md: 1 entity updated/);
    expect(following.lines).toEqual([line]);
    // The watcher names a moved file, and so does the listing.
    following.write('article/a.md', `${TEXT}More.\n`);
    await watcher.report(['article/a.md'], 'moved');
    expect(following.lines).toEqual([line, line]);
    await following.close();
  });

  it('beside a temporary file of an editor is reported alone', async () => {
    const following = await follow(({ write }) => write('article/a.md', TEXT));
    for (const name of ['.#a.md', '#a.md#', 'a.md~', '.a.md.swp', '4913', 'a.md___jb_tmp___', 'sedXyZ12a']) {
      following.write(`article/${name}`, readFileSync(following.file('article/a.md'), 'utf8'));
    }
    following.write('article/b.md', TEXT);
    await eventually(() => expect(following.store.get('node--article', 'b')).toBeDefined());
    await wait(100);
    expect(following.lines).toEqual([expect.stringMatching(/^content\/article\/b\.md: 1 entity updated/)]);
    await following.close();
  });
});
