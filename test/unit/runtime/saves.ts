import { execFile } from 'node:child_process';
import { appendFile, link, open, readFile, rename, symlink, unlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';

/** The text that `sed` replaces, and its replacement. */
export const OLD = 'Old';
export const NEW = 'New';

/** Saves `text` at a path with the system calls and pauses of a program. */
export type Save = (path: string, text: string) => Promise<unknown>;

const run = promisify(execFile);

export const SAVES: Readonly<Record<string, Save>> = {
  'write in place': (path, text) => writeFile(path, text),
  'Vim, by a backup': async (path, text) => {
    const probe = join(dirname(path), '4913');
    await writeFile(beside(path, '.', '.swp'), 'swap');
    await writeFile(probe, '');
    await unlink(probe);
    await rename(path, `${path}~`);
    await wait(3);
    await writeSynced(path, text);
    await wait(20);
    await unlink(`${path}~`);
    await unlink(beside(path, '.', '.swp'));
  },
  'Vim, slowly': async (path, text) => {
    await rename(path, `${path}~`);
    await wait(40);
    await writeSynced(path, text);
    await unlink(`${path}~`);
  },
  'Vim, by a copy': async (path, text) => {
    await writeFile(`${path}~`, await readFile(path));
    await writeSynced(path, text);
    await unlink(`${path}~`);
  },
  'VS Code': async (path, text) => {
    const file = await open(path, 'r+');
    await file.truncate();
    await wait(2);
    await file.writeFile(text);
    await file.close();
  },
  'VS Code with files.atomicSave': async (path, text) => {
    await writeSynced(`${path}.vsctmp`, text);
    await rename(`${path}.vsctmp`, path);
  },
  JetBrains: async (path, text) => {
    await writeSynced(`${path}___jb_tmp___`, text);
    await rename(path, `${path}___jb_old___`);
    await rename(`${path}___jb_tmp___`, path);
    await unlink(`${path}___jb_old___`);
  },
  Emacs: async (path, text) => {
    await symlink('someone@host.1:1', beside(path, '.#'));
    await writeFile(beside(path, '#', '#'), 'autosaved');
    await wait(30);
    await rename(path, `${path}~`);
    await writeSynced(path, text);
    await unlink(beside(path, '.#'));
    await unlink(beside(path, '#', '#'));
  },
  'Kate, by a hidden file': async (path, text) => {
    await writeSynced(beside(path, '.', '.XyZ123'), text);
    await rename(beside(path, '.', '.XyZ123'), path);
  },
  'Sublime Text': async (path, text) => {
    await writeSynced(beside(path, '.subl', '.tmp'), text);
    await rename(beside(path, '.subl', '.tmp'), path);
  },
  'a link to what was there': async (path, text) => {
    await link(path, `${path}.orig`);
    await unlink(path);
    await wait(5);
    await writeFile(path, text);
    await unlink(`${path}.orig`);
  },
  'sed -i': (path) => run('sed', ['-i', `s/${OLD}/${NEW}/g`, path]),
  'empty for a moment': async (path, text) => {
    await writeFile(path, '');
    await wait(40);
    await writeFile(path, text);
  },
  'gone for a moment': async (path, text) => {
    await unlink(path);
    await wait(50);
    await writeFile(path, text);
  },
  ...Object.fromEntries(
    [5, 20, 50].map((pause): [string, Save] => [
      `two writes ${pause} ms apart`,
      async (path, text) => {
        await writeFile(path, text.slice(0, 12));
        await wait(pause);
        await appendFile(path, text.slice(12));
      },
    ]),
  ),
};

function beside(path: string, prefix: string, suffix = ''): string {
  return join(dirname(path), `${prefix}${basename(path)}${suffix}`);
}

async function writeSynced(path: string, text: string): Promise<void> {
  const file = await open(path, 'w');
  await file.writeFile(text);
  await file.sync();
  await file.close();
}
