import { spawnSync } from 'node:child_process';
import { existsSync, globSync, rmSync } from 'node:fs';
import path from 'node:path';

/**
 * Compiles `integration/` to `dist/`, the npm package. Incremental; a compiled file whose source is gone is
 * deleted, so that nothing stale is packed.
 */
const root = path.resolve(import.meta.dirname, '..');
const dist = path.join(root, 'dist');

const compiled = spawnSync('tsc -p tsconfig.build.json', {
  cwd: root,
  stdio: 'inherit',
  shell: true,
});
if (compiled.status !== 0) process.exit(compiled.status ?? 1);

for (const file of globSync('**/*.{js,d.ts}', { cwd: dist })) {
  const source = file.replace(/(\.d\.ts|\.js)$/, '.ts');
  if (!existsSync(path.join(root, 'integration', source))) rmSync(path.join(dist, file));
}
