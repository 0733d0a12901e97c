import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

export type Files = Readonly<Record<string, string | Uint8Array>>;

/** Creates a folder with these files. It is removed after the test file (see `setup.ts`). */
export function temporaryFolder(files: Files = {}): string {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'test-')));
  writeFiles(folder, files);
  return folder;
}

/** Writes files by path, and creates their folders. */
export function writeFiles(folder: string, files: Files): void {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
}
