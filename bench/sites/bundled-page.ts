import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'vite';

/** Bundles a script as sites do, and writes the page `<dir>/<name>/index.html` that runs it. */
export async function buildPage(dir: string, name: string, script: string): Promise<void> {
  const root = path.join(dir, `${name}-source`);
  mkdirSync(root, { recursive: true });
  writeFileSync(path.join(root, 'page.js'), script);
  writeFileSync(
    path.join(root, 'index.html'),
    '<!doctype html><link rel="icon" href="data:,"><script type="module" src="page.js"></script>\n',
  );
  await build({
    root,
    base: `/${name}/`,
    configFile: false,
    logLevel: 'error',
    build: { outDir: path.join(dir, name), modulePreload: { polyfill: false }, target: 'esnext' },
  });
}
