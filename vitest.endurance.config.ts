import { defineConfig } from 'vitest/config';

/** Long trials: fuzzers, kills, the soak. They run one after another, so that each measures a quiet machine. */
export default defineConfig({
  test: {
    include: ['test/endurance/**/*.test.ts'],
    setupFiles: ['test/setup.ts'],
    fileParallelism: false,
    testTimeout: 20 * 60_000,
    hookTimeout: 180_000,
  },
});
