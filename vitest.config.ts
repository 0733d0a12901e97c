import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';
import { seed } from './test/support/seed.ts';

/** These build sites and start servers, browsers, databases, or thousands of git processes: `npm run test:sites`. */
const SITES = [
  'test/{astro,browser,cli,clients,postgres}/**/*.test.ts',
  'test/unit/git/*.test.ts',
  'test/security/names.test.ts',
];
/** These replace modules or globals, or load the built library, whose hooks change what a process imports. */
const ISOLATED = ['test/unit/storage/{batch,cache,interrupted-writing}.test.ts', 'test/patterns.test.ts'];
const ISOLATED_SITES = [
  'test/cli/**/*.test.ts',
  // These start processes, which takes longer in a process that has loaded much.
  'test/unit/git/{commits,conflicts,follow,history,merged-bodies}.test.ts',
];

/** `isolate: false`: files load the modules of the library once for each worker. */
function project(name: string, files: { include: string[]; exclude?: string[]; isolate: boolean }) {
  const { include, exclude = [], isolate } = files;
  return {
    test: {
      name,
      include,
      exclude: ['**/fixtures/**', ...configDefaults.exclude, ...exclude],
      isolate,
      env: { FC_SEED: seed },
      setupFiles: ['test/support/setup.ts'],
      // On a slow machine, tests only take longer (see test/support/eventually.ts).
      testTimeout: 180_000,
      hookTimeout: 300_000,
      expect: { poll: { timeout: 60_000 } },
      // A difference is readable in the summary of a run.
      chaiConfig: { truncateThreshold: 2000 },
    },
  };
}

export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    // Tests of servers and browsers wait part of the time.
    maxWorkers: availableParallelism() + 1,
    projects: [
      project('fast', {
        include: ['test/!(adoption|endurance)/**/*.test.ts', 'test/*.test.ts'],
        exclude: [...SITES, ...ISOLATED],
        isolate: false,
      }),
      project('fast, isolated', { include: ISOLATED, isolate: true }),
      project('sites', { include: SITES, exclude: ISOLATED_SITES, isolate: false }),
      project('sites, isolated', { include: ISOLATED_SITES, isolate: true }),
    ],
  },
});
