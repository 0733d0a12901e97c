import { defineConfig } from 'vitest/config';
import { seed } from './test/seed.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    env: { FC_SEED: seed },
    globalSetup: ['test/global-setup.ts'],
    setupFiles: ['test/setup.ts'],
    exclude: ['test/endurance/**', '**/fixtures/**', '**/node_modules/**'],
    // Many wait for servers, builds and browsers of their own.
    maxWorkers: '100%',
    testTimeout: 60_000,
    hookTimeout: 180_000,
  },
});
