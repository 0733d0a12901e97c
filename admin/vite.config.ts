import path from 'node:path';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

/** Builds the application to `dist/admin/app.js` and `app.css`, which `integration/runtime/admin-page.ts` puts into a page. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [svelte({ compilerOptions: { runes: true } })],
  build: {
    outDir: '../dist/admin',
    emptyOutDir: true,
    target: 'es2022',
    cssCodeSplit: false,
    modulePreload: false,
    rolldownOptions: {
      checks: { pluginTimings: false },
      input: path.join(import.meta.dirname, 'src/main.ts'),
      output: { entryFileNames: 'app.js', assetFileNames: 'app[extname]', codeSplitting: false },
    },
  },
});
