import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { seed } from './test/support/seed.ts';

/** Tests of the suite with more runs, or with all items instead of a sample. */
const PROPERTIES = [
  'test/unit/**/*.property.test.ts',
  'test/conformance/{fuzz,unseen,unseen-previews}.test.ts',
  'test/{snapshot/random,postgres/engine}.test.ts',
  'test/security/{body-limits,path-traversal,yaml-injection}.test.ts',
];
/** These measure no time, so they run beside each other, before the others. */
const UNTIMED = [
  ...PROPERTIES,
  'test/endurance/{astro-add,body-fuzz,docs-site,edit-form,merge-fuzz,peers,removed-features,starters}.test.ts',
];

function project(name: string, files: { include: string[]; exclude?: string[] }) {
  return {
    ...files,
    name,
    env: { FC_SEED: seed, PATTERNS: 'prove', PROPERTY_RUNS: process.env.PROPERTY_RUNS ?? '12' },
    setupFiles: ['test/support/setup.ts'],
    testTimeout: 20 * 60_000,
    hookTimeout: 180_000,
  };
}

const untimed = project('untimed', { include: UNTIMED });
const timed = project('timed', {
  include: ['test/endurance/**/*.test.ts', 'test/patterns.test.ts'],
  exclude: UNTIMED,
});

/** Long trials: fuzzers, kills, the soak. */
export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    projects: [
      { test: { ...untimed, maxWorkers: availableParallelism(), sequence: { groupOrder: 1 } } },
      // One after another, so that each measures a quiet machine.
      { test: { ...timed, maxWorkers: 1, sequence: { groupOrder: 2 } } },
    ],
  },
});
