import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, globSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';

/**
 * Builds the npm package in `dist/`: compiles `integration/` incrementally, deletes compiled files without a source, and
 * bundles the code for browsers if one of its inputs is newer than the last build.
 */
const root = path.resolve(import.meta.dirname, '..');
const dist = path.join(root, 'dist');

run('tsc -p tsconfig.build.json');
// npm makes the command executable only when it installs the package.
chmodSync(path.join(dist, 'cli/main.js'), 0o755);
// Sites compile the component.
copyFileSync(path.join(root, 'integration/search.astro'), path.join(dist, 'search.astro'));

for (const file of globSync('**/*.{js,d.ts}', { cwd: dist, exclude: ['{admin,browser}/**'] })) {
  const source = file.replace(/(\.d\.ts|\.js)$/, '.ts');
  if (!existsSync(path.join(root, 'integration', source))) rmSync(path.join(dist, file));
}

const admin = ['admin/**/*.*', 'package-lock.json'];
const library = ['integration/**/*.ts', 'package-lock.json'];
bundle(
  'admin/app/manifest.json',
  [...admin, 'integration/core/{engine,util}/**/*.ts'],
  vite('explorer'),
  vite('admin'),
);
bundle('admin/explorer/service-worker.js', [...admin, ...library], vite('snapshot'), vite('service-worker'));
bundle('browser/engine.js', ['scripts/build-client.ts', ...library], 'node scripts/build-client.ts');

function vite(mode: string): string {
  return `vite build --config admin/vite.config.ts --mode ${mode} --logLevel warn`;
}

/** Runs commands if an input is newer than the output of the last one. */
function bundle(output: string, inputs: readonly string[], ...commands: readonly string[]): void {
  const files = globSync(inputs, { cwd: root });
  const newest = Math.max(...files.map((file) => statSync(path.join(root, file)).mtimeMs));
  const built = statSync(path.join(dist, output), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (newest > built) for (const command of commands) run(command);
}

function run(command: string): void {
  const { status } = spawnSync(command, { cwd: root, stdio: 'inherit', shell: true });
  if (status !== 0) process.exit(status ?? 1);
}
