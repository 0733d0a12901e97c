import path from 'node:path';
import { expect, it } from 'vitest';
import schema from '../../content/schema.ts';
import { createGitDriver } from '../../integration/git/driver.ts';
import { createFsDriver } from '../../integration/storage/drivers/fs.ts';
import { createServices } from '../services.ts';
import { MAX_CPU_MS, runFuzz } from './fuzz-run.ts';

// `npm run fuzz` sends 100,000.
const RUNS = 6000;
const SEED = 20;

it(`answers random and mutated requests over the demo content, each within ${MAX_CPU_MS} ms of CPU`, async () => {
  const driver = createGitDriver(path.resolve(import.meta.dirname, '../../content'));
  const publicFiles = createFsDriver(path.resolve(import.meta.dirname, '../../public'));
  const services = await createServices(driver, schema, { settings: { explorer: true }, publicFiles });
  const { offenders, statuses, validated } = await runFuzz(services, RUNS, SEED);
  expect(offenders).toEqual([]);
  expect(validated).toBeGreaterThan(RUNS / 3);
  for (const status of ['200', '207', '400', '404', '405', '406', '414'])
    expect(statuses.get(status) ?? 0, status).toBeGreaterThan(RUNS / 100);
  expect(statuses.get('200')).toBeGreaterThan(RUNS / 6);
});
