import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { seed } from './test/seed.ts';

/** These replace modules or globals, or load the built library, whose hooks change what a process imports. */
const ISOLATED = [
  'test/unit/storage/{batch,cache,interrupted-writing}.test.ts',
  'test/patterns.test.ts',
  'test/cli/**/*.test.ts',
];
/** These start thousands of processes, which takes longer in a process that has loaded much. */
const SMALL_PROCESSES = ['test/unit/git/{commits,conflicts,follow,history,merged-bodies}.test.ts'];
const FIXTURES = '**/fixtures/**';
const shared = {
  env: { FC_SEED: seed },
  setupFiles: ['test/setup.ts'],
  // On a slow machine, tests only take longer (see test/eventually.ts).
  testTimeout: 180_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 60_000 } },
  // A difference is readable in the summary of a run.
  chaiConfig: { truncateThreshold: 2000 },
};

export default defineConfig({
  test: {
    globalSetup: ['test/global-setup.ts'],
    // Tests of servers and browsers wait part of the time.
    maxWorkers: availableParallelism() + 1,
    projects: [
      {
        test: {
          ...shared,
          name: 'shared',
          include: ['test/!(adoption|endurance)/**/*.test.ts', 'test/layers.test.ts'],
          exclude: [FIXTURES, ...ISOLATED, ...SMALL_PROCESSES],
          // Files load the modules of the library once for each worker.
          isolate: false,
        },
      },
      {
        test: {
          ...shared,
          name: 'isolated',
          include: [...ISOLATED, ...SMALL_PROCESSES],
          exclude: [FIXTURES],
        },
      },
    ],
  },
});
