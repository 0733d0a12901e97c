import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/setup.ts'],
    exclude: ['test/endurance/**', '**/fixtures/**', '**/node_modules/**'],
    // Many wait for servers, builds and browsers of their own.
    maxWorkers: '100%',
    testTimeout: 20_000,
    hookTimeout: 180_000,
  },
});
