const ROUNDS = 11;
const QUICK_ROUNDS = 3;
/** A batch lasts at least this long, so that the resolution of the clock does not matter. Milliseconds. */
const BATCH = 5;
/** The time limit of one contender over all rounds, except that three rounds always run. Milliseconds. */
const BUDGET = 2500;

/**
 * Median milliseconds of one call for each contender. The rounds are interleaved: every contender runs once in
 * each, so that other load affects all of them.
 */
export function medianTimes(contenders: readonly (() => unknown)[], quick: boolean): readonly number[] {
  const rounds = quick ? QUICK_ROUNDS : ROUNDS;
  const plans = contenders.map((run) => {
    const estimate = warmUp(run);
    const calls = Math.max(1, Math.ceil(BATCH / estimate));
    return { run, calls, rounds: Math.max(3, Math.min(rounds, Math.floor(BUDGET / (calls * estimate)))) };
  });
  const samples = plans.map((): number[] => []);
  for (let round = 0; round < rounds; round++) {
    plans.forEach((plan, at) => {
      if (round < plan.rounds) samples[at]?.push(timeOf(plan.run, plan.calls));
    });
  }
  return samples.map(median);
}

/** Runs for a moment until the code is compiled; returns the milliseconds of a call by then. */
function warmUp(run: () => unknown): number {
  const started = performance.now();
  let last = 0;
  let calls = 0;
  while (calls < 2 || (performance.now() - started < 40 && calls < 20_000)) {
    const before = performance.now();
    run();
    last = performance.now() - before;
    calls++;
  }
  return Math.max(Math.min(last, (performance.now() - started) / calls), 1e-4);
}

function timeOf(run: () => unknown, calls: number): number {
  const started = performance.now();
  for (let call = 0; call < calls; call++) run();
  return (performance.now() - started) / calls;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
}
