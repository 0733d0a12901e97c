import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, globSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';

/**
 * Builds the npm package in `dist/`: compiles `integration/` incrementally, deletes compiled files without a source, and
 * builds the admin and the explorer if one of their inputs is newer than the last build.
 */
const root = path.resolve(import.meta.dirname, '..');
const dist = path.join(root, 'dist');

run('tsc -p tsconfig.build.json');
// npm makes the command executable only when it installs the package.
chmodSync(path.join(dist, 'cli/main.js'), 0o755);

for (const file of globSync('**/*.{js,d.ts}', { cwd: dist, exclude: ['admin/**'] })) {
  const source = file.replace(/(\.d\.ts|\.js)$/, '.ts');
  if (!existsSync(path.join(root, 'integration', source))) rmSync(path.join(dist, file));
}

const admin = ['admin/**/*.*', 'package-lock.json'];
viteBuild(['explorer', 'admin'], 'app/manifest.json', [...admin, 'integration/{engine,util}/**/*.ts']);
viteBuild(['snapshot', 'service-worker'], 'explorer/service-worker.js', [...admin, 'integration/**/*.ts']);

/** Builds modes of `admin/vite.config.ts` if an input is newer than the output. */
function viteBuild(modes: readonly string[], output: string, inputs: readonly string[]): void {
  const files = globSync(inputs, { cwd: root });
  const newest = Math.max(...files.map((file) => statSync(path.join(root, file)).mtimeMs));
  const built = statSync(path.join(dist, 'admin', output), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (newest <= built) return;
  for (const mode of modes) {
    run(`vite build --config admin/vite.config.ts --mode ${mode} --logLevel warn`);
  }
}

function run(command: string): void {
  const { status } = spawnSync(command, { cwd: root, stdio: 'inherit', shell: true });
  if (status !== 0) process.exit(status ?? 1);
}
