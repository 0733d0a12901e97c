import { beforeAll, expect, it } from 'vitest';
import { random } from '../support/random.ts';
import {
  CACHED,
  entityId,
  type Kind,
  openUnseenSite,
  REQUESTS,
  type UnseenSite,
} from '../support/unseen-site.ts';

const NAMES = 300;
const PAIRS = 2000;
/** 0.5 is blind. With equal work, 2,000 pairs have a standard deviation of 0.009. */
const TOLERANCE = 0.06;
/** A difference of the medians, in microseconds, that is lost in the noise of every network. */
const TOO_SHORT = 1.5;

let site: UnseenSite;
let uncached: UnseenSite;
beforeAll(async () => {
  site = await openUnseenSite(NAMES);
  uncached = await openUnseenSite(NAMES, { cacheMb: 0 });
});

/** Microseconds of a request until its body has arrived. */
async function time({ handle }: UnseenSite, request: Request): Promise<number> {
  const start = performance.now();
  const response = await handle(request);
  await response?.arrayBuffer();
  return (performance.now() - start) * 1000;
}

/** The probability that a request of the first kind takes longer than one of the second. */
function auc(first: readonly number[], second: readonly number[]): number {
  const all = [...first.map((value) => ({ value, one: 1 })), ...second.map((value) => ({ value, one: 0 }))];
  all.sort((a, b) => a.value - b.value);
  const rankSum = all.reduce((sum, { one }, at) => sum + one * (at + 1), 0);
  return (rankSum - (first.length * (first.length + 1)) / 2) / (first.length * second.length);
}

async function trial(on: UnseenSite, make: (name: string) => Request, second: Kind) {
  const times: Record<'first' | 'second', number[]> = { first: [], second: [] };
  for (let pair = -200; pair < PAIRS; pair += 1) {
    const at = Math.floor(random() * NAMES);
    const both = [
      ['first', make(entityId(at, 'unseen'))],
      ['second', make(entityId(second === 'unseen' ? (at + 1) % NAMES : at, second))],
    ] as const;
    for (const [kind, request] of pair % 2 === 0 ? both : both.toReversed()) {
      const taken = await time(on, request);
      // The first ones warm the code up.
      if (pair >= 0) times[kind].push(taken);
    }
  }
  const median = (list: readonly number[]) => list.toSorted((a, b) => a - b)[list.length >> 1] ?? 0;
  return { first: median(times.first), second: median(times.second), auc: auc(times.first, times.second) };
}

it.each(Object.entries(REQUESTS))(
  '%s takes as long for an unseen entity as for a missing one',
  // A real difference shows in every trial, the noise of the machine does not.
  { retry: 2 },
  async (name, make) => {
    const on = CACHED.has(name) ? uncached : site;
    const control = await trial(on, make, 'unseen');
    const result = await trial(on, make, 'missing');
    const text = `${result.first.toFixed(0)} / ${result.second.toFixed(0)} µs, AUC ${result.auc.toFixed(3)}`;
    console.log(`${name}: ${text} (unseen against unseen: ${control.auc.toFixed(3)})`);
    if (Math.abs(result.first - result.second) < TOO_SHORT) return;
    expect(Math.abs(result.auc - 0.5), text).toBeLessThan(TOLERANCE);
  },
);
