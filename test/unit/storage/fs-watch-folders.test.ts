import { cpSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { watchFolders } from '../../../integration/core/storage/drivers/fs-watch-folders.ts';
import { eventually } from '../../support/eventually.ts';
import { temporaryFolder, writeFiles } from '../../support/temporary-folder.ts';

const FOLDERS = ['a', 'b', 'a/a', 'a/b'];
const FILES = FOLDERS.flatMap((folder) => [`${folder}/x.md`, `${folder}/y.md`]);

const step = fc.oneof(
  fc.record({ kind: fc.constant('write' as const), to: fc.constantFrom(...FILES) }),
  fc.record({ kind: fc.constant('remove' as const), to: fc.constantFrom(...FILES, ...FOLDERS) }),
  fc.record({ kind: fc.constant('renew' as const), to: fc.constantFrom(...FOLDERS) }),
  fc.record({
    kind: fc.constant('move' as const),
    from: fc.constantFrom(...FILES, ...FOLDERS),
    to: fc.constantFrom(...FILES, ...FOLDERS),
  }),
);

describe.runIf(process.platform === 'linux')('watched folders', () => {
  it('have the files on disk, and report each that comes, changes or goes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const root = temporaryFolder();
        writeFiles(root, { 'a/x.md': 'x', 'a/b/y.md': 'y', 'b/x.md': 'x' });
        const before = filesIn(root);
        const reported = new Set<string>();
        const watched = await watchFolders(root, {
          isIgnored: () => false,
          report: (_, key) => void reported.add(key),
          onError: (error) => {
            throw error;
          },
          reportsExisting: false,
        });
        expect([...watched.keys()].sort()).toEqual(before);
        for (const each of steps) run(root, each);
        writeFiles(root, { 'last.md': 'last' });
        const after = filesIn(root);
        const differing = [...before, ...after].filter((key) => before.includes(key) !== after.includes(key));
        await eventually(async () => {
          expect([...watched.keys()].sort()).toEqual(after);
          expect([...reported]).toEqual(expect.arrayContaining(differing));
        });
        watched.close();
      }),
      { numRuns: 60 },
    );
  });
});

/** Does nothing if the step is impossible. */
function run(root: string, each: { kind: string; to: string; from?: string }): void {
  const to = path.join(root, each.to);
  const from = path.join(root, each.from ?? '');
  try {
    if (each.kind === 'write') {
      mkdirSync(path.dirname(to), { recursive: true });
      writeFileSync(to, String(Math.random()));
    } else if (each.kind === 'remove') {
      rmSync(to, { recursive: true });
    } else if (each.kind === 'move') {
      renameSync(from, to);
    } else {
      const copy = temporaryFolder();
      cpSync(to, copy, { recursive: true });
      rmSync(to, { recursive: true });
      cpSync(copy, to, { recursive: true });
    }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
  }
}

function filesIn(root: string): readonly string[] {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
    .sort();
}
