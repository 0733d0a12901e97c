import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { createGitSite, type GitSite } from '../support/git-site.ts';
import { random } from '../support/random.ts';

const FILES = Object.fromEntries(
  [0, 1, 2, 3, 4].map((id) => [`article/${id}.md`, `---\ntitle: No ${id}\n---\n`]),
);
const KILLS = 100;
/** Changes by both servers together. */
const CHANGES = 200;

let site: GitSite;
const children = new Set<ChildProcess>();
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
  await site.remove();
});

/** Starts a server that changes articles and adds acknowledged titles to `acknowledged`. */
function start(name: string, acknowledged: Set<string>): ChildProcess {
  const script = path.join(import.meta.dirname, 'fixtures/write-committed.ts');
  const args = [script, site.root, site.accountsFile, site.tokens.jane, name];
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    // A process group, so that a kill includes git, like in a container or with systemd.
    detached: true,
  });
  children.add(child);
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) acknowledged.add(line);
  });
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  const closed = new Promise((done) => child.once('close', done));
  if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  await closed;
  children.delete(child);
}

/** Files that differ from HEAD, except temporary files that the next start removes (see docs/durability.md). */
function uncommitted(): readonly string[] {
  const lines = site.git('status', '--porcelain').split('\n');
  return lines.filter((line) => line !== '' && !line.endsWith('.tmp'));
}

/** The titles of all commits. */
function committed(): readonly string[] {
  return site
    .git('log', '--format=%s')
    .split('\n')
    .flatMap((subject) => /^Update article "(.*)"$/.exec(subject)?.[1] ?? []);
}

/** Waits until each acknowledged title has one commit. Returns the titles of all commits. */
async function requireCommitted(acknowledged: ReadonlySet<string>): Promise<readonly string[]> {
  await eventually(() => {
    expect(uncommitted()).toEqual([]);
    expect(committed()).toEqual(expect.arrayContaining([...acknowledged]));
  });
  const titles = committed();
  expect(new Set(titles).size).toBe(titles.length);
  return titles;
}

describe('a server that is killed together with git during changes', () => {
  it('commits everything after the next start', { timeout: 1_200_000 }, async () => {
    site = await createGitSite(FILES);
    const acknowledged = new Set<string>();
    let locks = 0;
    for (let turn = 0; turn < KILLS; turn += 1) {
      const before = acknowledged.size;
      const child = start(`Life ${turn}`, acknowledged);
      await eventually(() => expect(acknowledged.size).toBeGreaterThan(before + 5));
      await sleep(random() * 500);
      await kill(child);
      locks += readdirSync(path.join(site.root, '.git'), { recursive: true }).filter((name) =>
        String(name).endsWith('.lock'),
      ).length;
    }
    const { lines } = await site.open();
    const titles = await requireCommitted(acknowledged);
    expect(lines.filter((line) => line.includes('Not committed'))).toEqual([]);
    console.log(
      `${acknowledged.size} acknowledged changes, ${KILLS} kills, ${titles.length} commits, git locks after kills: ${locks}`,
    );
  });
});

describe('two servers over one repository', () => {
  it("commit each other's changes once", { timeout: 300_000 }, async () => {
    site = await createGitSite(FILES);
    const acknowledged = new Set<string>();
    const servers = [start('One', acknowledged), start('Two', acknowledged)];
    await eventually(() => expect(acknowledged.size).toBeGreaterThan(CHANGES), { patienceMs: 600_000 });
    for (const server of servers) await kill(server);
    expect([...acknowledged].some((title) => title.startsWith('One'))).toBe(true);
    expect([...acknowledged].some((title) => title.startsWith('Two'))).toBe(true);
    await site.open();
    await requireCommitted(acknowledged);
  });
});
