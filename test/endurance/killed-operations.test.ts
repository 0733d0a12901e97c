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
import { GROUPS, membersOf, replacedId, titleOf, versionIn } from './fixtures/operation-groups.ts';

const KILLS = Number(process.env.OPERATION_KILLS ?? 110);
/** The longest time between an acknowledged request and the kill. */
const LONGEST_MS = 150;
const PROCESS = path.join(import.meta.dirname, 'fixtures/write-operations.ts');
const fileOf = (title: string) => `---\ntitle: ${title}\n---\n`;

it(`a server that is killed ${KILLS} times during operations leaves all files of a request or none`, {
  timeout: 20 * 60_000,
}, async () => {
  const ids = GROUPS.flatMap((group) => [...membersOf(group), replacedId(group, 0)]);
  const site = await createGitSite(
    Object.fromEntries(ids.map((id) => [`article/${id}.md`, fileOf(titleOf(0))])),
  );
  const content = path.join(site.root, 'content');
  const acknowledged = new Map(GROUPS.map((group) => [group, 0]));
  const counts = { acknowledged: 0, unacknowledged: 0, journals: 0 };

  /** The version of a group according to its files. Throws if they do not belong together. */
  function versionOnDisk(group: number): number {
    const read = (id: string) => readFileSync(path.join(content, `article/${id}.md`), 'utf8');
    const titles = membersOf(group).map((id) => /^title: (.*)$/m.exec(read(id))?.[1] ?? '');
    expect(new Set(titles).size, `group ${group}: ${titles}`).toBe(1);
    const version = versionIn(titles[0] ?? '');
    const replaced = readdirSync(path.join(content, 'article')).filter((name) =>
      name.startsWith(`g${group}-v`),
    );
    expect(replaced).toEqual([`${replacedId(group, version)}.md`]);
    expect(read(replacedId(group, version))).toContain(`title: ${titleOf(version)}\n`);
    return version;
  }

  for (let kill = 0; kill < KILLS; kill += 1) {
    const first = String(Math.floor(random() * 100));
    const child = spawn(process.execPath, [PROCESS, site.root, site.accountsFile, site.tokens.jane, first], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'close');
    const lines = createInterface({ input: child.stdout });
    const ready = once(lines, 'line');
    lines.on('line', (line) => {
      const [group, version] = line.split(' ').map(Number);
      if (group === undefined || version === undefined) return;
      acknowledged.set(group, version);
      counts.acknowledged += 1;
    });
    await ready;
    // Now the process is warm.
    await once(lines, 'line');
    await sleep(random() * LONGEST_MS);
    child.kill('SIGKILL');
    const [code, signal] = await ended;
    expect([code, signal]).toEqual([null, 'SIGKILL']);

    const git = path.join(site.root, '.git');
    if (readdirSync(git).some((name) => name.endsWith('.batch') || name.endsWith('.batch-undo')))
      counts.journals += 1;
    await createFsDriver(content).list();
    expect(readdirSync(git).filter((name) => name.includes('.batch'))).toEqual([]);
    for (const group of GROUPS) {
      const before = acknowledged.get(group) ?? 0;
      const version = versionOnDisk(group);
      if (version === before) continue;
      expect([group, version]).toEqual([group, before + 1]);
      acknowledged.set(group, version);
      counts.unacknowledged += 1;
    }
  }

  const last = await site.open({ git: true });
  await eventually(() => expect(site.git('status', '--porcelain')).toBe(''));
  await last.close();
  const commits = site.git('log', '--format=%x00', '--name-status').split('\0');
  for (const commit of commits) {
    const changed = [...commit.matchAll(/^M\tcontent\/article\/g(\d)-\d+\.md$/gm)].map(([, group]) => group);
    if (changed.length > 0) expect(changed).toEqual(membersOf(Number(changed[0])).map(() => changed[0]));
  }
  await site.remove();
  expect(existsSync(path.join(content, '_gone.jsonl'))).toBe(true);
  expect(counts.journals).toBeGreaterThan(0);
  console.log(
    `${KILLS} kills during operations of 3 to 21 files: ${counts.acknowledged} requests acknowledged, 0 lost, 0 torn; ` +
      `${counts.unacknowledged} unacknowledged ones are complete; ${counts.journals} journals were finished`,
  );
});
