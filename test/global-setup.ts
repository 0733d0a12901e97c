import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startBuilder } from './astro/builder.ts';

/** Once for all test files: a folder for everything that they and their processes write, and the builder of sites. */
export default async function setup(): Promise<() => Promise<void>> {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'astro-jsonapi-tests-')));
  process.env.TMPDIR = folder;
  process.env.TESTS_TMPDIR = folder;
  const builder = await startBuilder();
  process.env.SITE_BUILDER = builder.origin;
  return async () => {
    await builder.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
}
