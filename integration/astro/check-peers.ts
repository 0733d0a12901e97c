// Importing this module throws if Astro or zod is older than `peerDependencies` say. It comes before modules that
// evaluate code of these packages. pnpm, yarn and bun install other versions with no more than a warning.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const PEERS = [
  { name: 'astro', title: 'Astro', update: 'npx @astrojs/upgrade' },
  { name: 'zod', title: 'zod', update: 'npm install zod@4' },
] as const;

const require = createRequire(import.meta.url);
const { peerDependencies } = manifest('../../package.json');

for (const { name, title, update } of PEERS) {
  const oldest = peerDependencies[name]?.replace('^', '') ?? '';
  const version = installedVersion(name);
  if (version !== undefined && isOlder(version, oldest)) {
    throw new Error(
      `astro-jsonapi needs ${title} ${oldest} or newer. This project has ${title} ${version}. Run: ${update}`,
    );
  }
}

/** Undefined if it is not installed: the command line works on a folder without Astro. */
function installedVersion(name: string): string | undefined {
  try {
    return manifest(`${name}/package.json`).version;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

function manifest(specifier: string): { version: string; peerDependencies: Record<string, string> } {
  return JSON.parse(readFileSync(require.resolve(specifier), 'utf8'));
}

function isOlder(version: string, oldest: string): boolean {
  const parts = version.split(/[.+-]/, 3).map(Number);
  const limits = oldest.split('.').map(Number);
  const index = parts.findIndex((part, at) => part !== limits[at]);
  return index >= 0 && (parts[index] ?? 0) < (limits[index] ?? 0);
}
