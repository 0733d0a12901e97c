import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll } from 'vitest';

/** `FC_SEED=<number> npm test` repeats the property tests of a run. */
fc.configureGlobal({ seed: Number(process.env.FC_SEED) });

/** The temporary files of a test file, and of the processes that it starts, are removed after it. */
const { TESTS_TMPDIR = tmpdir() } = process.env;
const folder = mkdtempSync(path.join(TESTS_TMPDIR, 'file-'));
process.env.TMPDIR = folder;
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
