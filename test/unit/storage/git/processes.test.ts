import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type GitSite, gitSite } from '../../../git-site.ts';

const FILES = Object.fromEntries(
  [0, 1, 2, 3, 4].map((id) => [`article/${id}.md`, `---\ntitle: No ${id}\n---\n`]),
);
const KILLS = 4;

let site: GitSite;
const children = new Set<ChildProcess>();
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
  await site.remove();
});

/** Starts a server that changes articles; titles that it acknowledges are added to `acknowledged`. */
function start(name: string, acknowledged: Set<string>): ChildProcess {
  const script = path.join(import.meta.dirname, '../fixtures/write-committed.ts');
  const args = [script, site.root, site.accountsFile, site.tokens.jane, name];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
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
  child.kill('SIGKILL');
  await closed;
  children.delete(child);
}

/** What differs from HEAD, but for what the writer's next start takes away (see docs/durability.md). */
function uncommitted(): readonly string[] {
  const lines = site.git('status', '--porcelain').split('\n');
  return lines.filter((line) => line !== '' && !line.endsWith('.tmp'));
}

/** Titles of which there is a commit, in no order. */
function committed(): readonly string[] {
  return site
    .git('log', '--format=%s')
    .split('\n')
    .flatMap((subject) => /^Update article "(.*)"$/.exec(subject)?.[1] ?? []);
}

describe('a server that is killed while it changes and commits', () => {
  it('leaves nothing uncommitted for longer than to the next start', { timeout: 60_000 }, async () => {
    site = await gitSite(FILES);
    const acknowledged = new Set<string>();
    for (let turn = 0; turn < KILLS; turn += 1) {
      const before = acknowledged.size;
      const child = start(`Life ${turn}`, acknowledged);
      await vi.waitFor(() => expect(acknowledged.size).toBeGreaterThan(before + 5), 15_000);
      await sleep(100 + 150 * turn);
      await kill(child);
    }
    await site.open();
    await vi.waitFor(() => {
      expect(uncommitted()).toEqual([]);
      expect(committed()).toEqual(expect.arrayContaining([...acknowledged]));
    }, 20_000);
    const titles = committed();
    expect(new Set(titles).size).toBe(titles.length);
    console.log(`${acknowledged.size} acknowledged changes, ${KILLS} kills, ${titles.length} commits`);
  });
});

describe('two servers over one repository', () => {
  it('commit what each of them changes, once', { timeout: 60_000 }, async () => {
    site = await gitSite(FILES);
    const acknowledged = new Set<string>();
    const servers = [start('One', acknowledged), start('Two', acknowledged)];
    await vi.waitFor(() => expect(acknowledged.size).toBeGreaterThan(60), 30_000);
    for (const server of servers) await kill(server);
    expect([...acknowledged].some((title) => title.startsWith('One'))).toBe(true);
    expect([...acknowledged].some((title) => title.startsWith('Two'))).toBe(true);
    await site.open();
    await vi.waitFor(() => {
      expect(uncommitted()).toEqual([]);
      expect(committed()).toEqual(expect.arrayContaining([...acknowledged]));
    }, 20_000);
    const titles = committed();
    expect(new Set(titles).size).toBe(titles.length);
  });
});
