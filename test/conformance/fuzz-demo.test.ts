import { expect, it } from 'vitest';
import { createDemoServices } from '../support/demo.ts';
import { MAX_CPU_MS, runFuzz } from './fuzz-run.ts';

// `npm run fuzz` sends 100,000.
const RUNS = 3000;
const SEED = 20;

it(`answers random and mutated requests over the demo content, each within ${MAX_CPU_MS} ms of CPU, and a snapshot gives the same bytes`, async () => {
  const services = await createDemoServices({ settings: { explorer: true } });
  const { offenders, statuses, validated, compared } = await runFuzz(services, RUNS, SEED);
  expect(offenders).toEqual([]);
  expect(validated).toBeGreaterThan(RUNS / 3);
  expect(compared).toBeGreaterThan((RUNS * 2) / 3);
  for (const status of ['200', '207', '400', '404', '405', '406', '414'])
    expect(statuses.get(status) ?? 0, status).toBeGreaterThan(RUNS / 100);
  expect(statuses.get('200')).toBeGreaterThan(RUNS / 6);
});
