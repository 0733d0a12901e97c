import { expect, it } from 'vitest';
import { mergePairs } from '../support/merge-bodies.ts';

const PAIRS = Number(process.env.PAIRS ?? 20_000);
const SEED = Number(process.env.SEED ?? 1);

it(`${PAIRS} pairs of accepted bodies merge into bodies that are inert in the page`, async () => {
  const { failures, ...counts } = await mergePairs(PAIRS, SEED);
  console.log(counts);
  expect(failures.slice(0, 10)).toEqual([]);
  expect(counts.merged).toBeGreaterThan(PAIRS / 10);
  expect(counts.unsafe).toBeGreaterThan(PAIRS / 200);
});
