import { defineConfig } from 'vitest/config';
import { seed } from './test/seed.ts';

/** Long trials: fuzzers, kills, the soak. They run one after another, so that each measures a quiet machine. */
export default defineConfig({
  test: {
    include: ['test/endurance/**/*.test.ts', 'test/patterns.test.ts'],
    env: { FC_SEED: seed, PATTERNS: 'prove' },
    globalSetup: ['test/global-setup.ts'],
    setupFiles: ['test/setup.ts'],
    fileParallelism: false,
    testTimeout: 20 * 60_000,
    hookTimeout: 180_000,
  },
});
