import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import {
  createBursts,
  WATCH_LONGEST_MS,
  WATCH_QUIET_MS,
} from '../../../integration/core/storage/drivers/fs-bursts.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** An event, `change a.md` or `change a.md 0` with a size in bytes, and the milliseconds until the next one. */
type Step = readonly [event: string, ms: number];

/** The bursts that the events cause, each with the milliseconds since the first event. */
function burstsOf(
  steps: readonly Step[],
  mustWait: (waitedMs: number, files: number) => boolean = () => false,
) {
  const start = performance.now();
  const bursts: string[] = [];
  const { add, stop } = createBursts({
    mustWait,
    report: (keys) => bursts.push(`${performance.now() - start}: ${keys.join(' ')}`),
  });
  for (const [event, ms] of steps) {
    const [name = '', key = '', size] = event.split(' ');
    add(name, key, size === undefined ? undefined : Number(size));
    vi.advanceTimersByTime(ms);
  }
  vi.advanceTimersByTime(60_000);
  stop();
  return bursts;
}

it.each<[string, readonly Step[], readonly string[]]>([
  ['one file after a moment', [['change a', 0]], ['10: a']],
  [
    'the only file once, however often it changes',
    [
      ['change a', 5],
      ['change a', 5],
      ['change a', 0],
    ],
    ['20: a'],
  ],
  [
    'two distant changes apart',
    [
      ['change a', 50],
      ['change b', 0],
    ],
    ['10: a', '60: b'],
  ],
  [
    'several files after a longer quiet',
    [
      ['add b', 0],
      ['add a', 20],
      ['change c', 0],
    ],
    ['50: a b c'],
  ],
  [
    'a renamed folder at once',
    [
      ['unlink a/1', 2],
      ['unlink a/2', 2],
      ['unlinkDir a', 40],
      ['addDir b', 2],
      ['add b/1', 2],
      ['add b/2', 0],
    ],
    ['148: a/1 a/2 b/1 b/2'],
  ],
  [
    'no folders',
    [
      ['addDir a', 0],
      ['unlinkDir a', 0],
    ],
    [],
  ],
  [
    'a removed file later, because an editor may write it again',
    [['unlink a', 0]],
    [`${WATCH_QUIET_MS.missing}: a`],
  ],
  [
    'a file that was removed for a moment once',
    [
      ['unlink a', 90],
      ['add a 5', 0],
    ],
    ['100: a'],
  ],
  ['an empty file last, because an editor may write it', [['change a 0', 0]], [`${WATCH_LONGEST_MS}: a`]],
  [
    'a file that was empty for a moment once',
    [
      ['change a 0', 90],
      ['change a 5', 0],
    ],
    ['100: a'],
  ],
  [
    'no file that was only there for a moment',
    [
      ['add a 5', 5],
      ['unlink a', 0],
      ['change b', 0],
    ],
    ['15: b'],
  ],
])('a watcher reports %s', (_, steps, expected) => {
  expect(burstsOf(steps)).toEqual(expected);
});

it('a watcher does not wait for the end of continuous changes', () => {
  const steps = Array.from({ length: 120 }, (_, at): Step => [`change noise-${at % 3}`, 5]);
  const all = 'noise-0 noise-1 noise-2';
  expect(burstsOf(steps)).toEqual([`${WATCH_LONGEST_MS}: ${all}`, `625: ${all}`]);
});

it('a watcher waits as long as it must', () => {
  const asked: string[] = [];
  const bursts = burstsOf(
    [
      ['change a', 100],
      ['change b', 0],
    ],
    (waitedMs, files) => {
      asked.push(`${waitedMs} ${files}`);
      return waitedMs < 150;
    },
  );
  expect(bursts).toEqual(['160: a b']);
  expect(asked.slice(0, 2)).toEqual(['10 1', '20 1']);
});
