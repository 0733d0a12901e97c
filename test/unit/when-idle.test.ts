import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { whenIdle } from '../../integration/when-idle.ts';

let clock = 0;

beforeEach(() => {
  clock = 0;
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  vi.spyOn(performance, 'now').mockImplementation(() => clock);
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Milliseconds until it resolves in a process whose timers are late by what `late` says of each moment. */
async function msUntilIdle(late: (ms: number) => number): Promise<number> {
  let idle = false;
  const waiting = whenIdle().then(() => {
    idle = true;
  });
  while (!idle) {
    clock += 25 + late(clock);
    await vi.advanceTimersByTimeAsync(25);
  }
  await waiting;
  return clock;
}

it.each([
  ['after a second in which nothing was late', () => 0, 1000],
  ['so long after what kept the process busy', (ms: number) => (ms < 1000 ? 60 : 0), 2020],
  ['after six seconds in a process that is always busy', () => 100, 6000],
])('a process counts as idle %s', async (_when, late, expected) => {
  const ms = await msUntilIdle(late);
  expect(ms).toBeGreaterThanOrEqual(expected - 25);
  expect(ms).toBeLessThanOrEqual(expected + 130);
});
