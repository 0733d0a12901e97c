import { defineConfig } from 'vitest/config';
import { seed } from './test/seed.ts';

/** Trials that the normal suite has in short. */
const TRIALS = [
  'test/cli/killed-server.test.ts',
  'test/cli/concurrent-writes.test.ts',
  'test/unit/storage/processes.test.ts',
  'test/unit/git/processes.test.ts',
];

/** Long trials: fuzzers, kills, the soak. They run one after another, so that each measures a quiet machine. */
export default defineConfig({
  test: {
    include: ['test/endurance/**/*.test.ts', ...TRIALS],
    env: { TRIALS: 'long', FC_SEED: seed },
    globalSetup: ['test/global-setup.ts'],
    setupFiles: ['test/setup.ts'],
    fileParallelism: false,
    testTimeout: 20 * 60_000,
    hookTimeout: 180_000,
  },
});
