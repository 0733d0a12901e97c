import { defineConfig } from 'vitest/config';

/** Real repositories: see `test/adoption/repositories.ts`. */
export default defineConfig({
  test: {
    include: ['test/adoption/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/setup.ts'],
    fileParallelism: false,
    testTimeout: 30 * 60_000,
    hookTimeout: 10 * 60_000,
  },
});
