import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createFsDriver } from '../../integration/core/storage/drivers/fs.ts';
import { eventually } from '../support/eventually.ts';
import { createGitSite } from '../support/git-site.ts';
import { random } from '../support/random.ts';

const KILLS = Number(process.env.MOVE_KILLS ?? 30);
const FILES = Number(process.env.MOVE_FILES ?? 40);
/** The longest time between an acknowledged move and the kill. */
const LONGEST_MS = Math.max(300, 4 * FILES);
const PROCESS = path.join(import.meta.dirname, 'fixtures/move-folder.ts');

it(`a server that is killed ${KILLS} times while it moves a folder leaves all paths or none`, {
  timeout: 20 * 60_000,
}, async () => {
  const numbers = Array.from({ length: FILES }, (_, at) => at);
  const site = await createGitSite(
    Object.fromEntries(
      numbers.flatMap((at) => [
        [`article/one/f${at}.txt`, `File ${at}`],
        [`article/a${at}.md`, `---\ntitle: A${at}\n---\n[x](one/f${at}.txt)\n`],
      ]),
    ),
  );
  const content = path.join(site.root, 'content/article');
  let journals = 0;

  /** Without the temporary files of writes that were killed, which are hidden. */
  function namesIn(folder: string): readonly string[] {
    const path = `${content}/${folder}`;
    return existsSync(path) ? readdirSync(path).filter((name) => !name.startsWith('.')) : [];
  }

  /** The folder of the files. Throws if files or paths are in two. */
  function folderOnDisk(): string {
    const [folder, ...others] = ['one', 'two'].filter((name) => namesIn(name).length > 0);
    expect(others).toEqual([]);
    expect(namesIn(folder ?? '')).toHaveLength(FILES);
    for (const at of numbers) {
      expect(readFileSync(path.join(content, `a${at}.md`), 'utf8')).toContain(`(${folder}/f${at}.txt)`);
    }
    return folder ?? '';
  }

  for (let kill = 0; kill < KILLS; kill += 1) {
    const { root, accountsFile, tokens } = site;
    const child = spawn(process.execPath, [PROCESS, root, accountsFile, tokens.jane, folderOnDisk()], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'close');
    const lines = createInterface({ input: child.stdout });
    await once(lines, 'line');
    // Now the process is warm.
    await once(lines, 'line');
    await sleep(random() * LONGEST_MS);
    child.kill('SIGKILL');
    expect(await ended).toEqual([null, 'SIGKILL']);
    const git = path.join(site.root, '.git');
    if (readdirSync(git).some((name) => name.includes('.batch'))) journals += 1;
    await createFsDriver(path.join(site.root, 'content')).list();
    folderOnDisk();
  }

  const last = await site.open({ git: true });
  await eventually(() => expect(site.git('status', '--porcelain')).toBe(''));
  await last.close();
  // Each commit has whole moves.
  const commits = site.git('log', '--format=%x00', '--name-status', '--no-renames').split('\0');
  for (const commit of commits.filter((each) => each.includes('D\t'))) {
    expect(commit.match(/^M\t.*\.md$/gm)).toHaveLength(FILES);
    expect(commit.match(/^[AD]\t.*\.txt$/gm)).toHaveLength(2 * FILES);
  }
  await site.remove();
  expect(journals).toBeGreaterThan(0);
  console.log(`${KILLS} kills during moves of ${FILES} files: 0 torn; ${journals} journals were finished`);
});
