import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { whenIdle } from '../../../integration/astro/when-idle.ts';

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

/** Milliseconds until `whenIdle` resolves if timers are late by `late(ms)` and requests arrive while `asked(ms)`. */
async function msUntilIdle(late: (ms: number) => number, asked: (ms: number) => boolean): Promise<number> {
  let idle = false;
  const waiting = whenIdle(() => asked(clock)).then(() => {
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
  ['after a second without delays', () => 0, () => false, 1000],
  ['a second after the process was last busy', (ms: number) => (ms < 1000 ? 60 : 0), () => false, 2020],
  ['a second after the last request', () => 0, (ms: number) => ms < 2000, 3000],
  ['after six seconds in a process that is always busy', () => 100, () => false, 6000],
  ['after six seconds under constant requests', () => 0, () => true, 6000],
])('a process counts as idle %s', async (_when, late, asked, expected) => {
  const ms = await msUntilIdle(late, asked);
  expect(ms).toBeGreaterThanOrEqual(expected - 25);
  expect(ms).toBeLessThanOrEqual(expected + 130);
});
