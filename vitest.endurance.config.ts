import { defineConfig } from 'vitest/config';
import { seed } from './test/seed.ts';

/** Tests of the suite with more runs, or with all items instead of a sample. */
const PROPERTIES = [
  'test/unit/**/*.property.test.ts',
  'test/conformance/{fuzz,unseen}.test.ts',
  'test/{snapshot/random,postgres/engine}.test.ts',
  'test/security/{body-limits,path-traversal,yaml-injection}.test.ts',
];

/** Long trials: fuzzers, kills, the soak. They run one after another, so that each measures a quiet machine. */
export default defineConfig({
  test: {
    include: ['test/endurance/**/*.test.ts', 'test/patterns.test.ts', ...PROPERTIES],
    env: { FC_SEED: seed, PATTERNS: 'prove', PROPERTY_RUNS: process.env.PROPERTY_RUNS ?? '12' },
    globalSetup: ['test/global-setup.ts'],
    setupFiles: ['test/setup.ts'],
    fileParallelism: false,
    testTimeout: 20 * 60_000,
    hookTimeout: 180_000,
  },
});
