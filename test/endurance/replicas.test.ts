import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { createGitSite, type GitSite, runGit } from '../support/git-site.ts';
import { random } from '../support/random.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const WRITERS = 6;
const CHANGES = 320;
const KILLS = 10;
/** Changes whose way to all servers is measured. */
const MEASURED = 40;
const SECRET = 'a secret';
/** A busy machine needs minutes for the changes between two kills. */
const SLOW = { patienceMs: 200_000 };
const FILES = Object.fromEntries(
  Array.from({ length: WRITERS }, (_, id) => [
    `article/${id}.md`,
    `---\ntitle: No ${id}\nsize: 0\n---\n\nText.\n`,
  ]),
);

interface Server {
  readonly tree: string | undefined;
  child: ChildProcess;
  origin: string;
}

let site: GitSite | undefined;
const children = new Set<ChildProcess>();
afterEach(async () => {
  for (const child of children) killGroup(child);
  await site?.remove();
});

function killGroup(child: ChildProcess): void {
  if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
    process.kill(-child.pid, 'SIGKILL');
  }
}

async function openReplicas() {
  const first = await createGitSite(FILES);
  site = first;
  const bare = path.join(temporaryFolder(), 'site.git');
  runGit(first.root, ['clone', '-q', '--bare', '.', bare]);
  const tipOf = () => {
    const file = path.join(bare, 'refs/heads/main');
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  };

  async function start(tree: string | undefined): Promise<Pick<Server, 'child' | 'origin'>> {
    const script = path.join(import.meta.dirname, 'fixtures/replica-server.ts');
    const args = [script, bare, first.accountsFile, SECRET, ...(tree === undefined ? [] : [tree])];
    // A process group, so that a kill includes git.
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], detached: true });
    children.add(child);
    const origin = await new Promise<string>((resolve, reject) => {
      child.stdout.setEncoding('utf8').once('data', (text: string) => resolve(text.trim()));
      child.once('exit', () => reject(new Error('A server ended.')));
    });
    return { child, origin };
  }

  async function open(kind: 'tree' | 'remote'): Promise<Server> {
    const tree = kind === 'tree' ? path.join(temporaryFolder(), 'site') : undefined;
    if (tree !== undefined) {
      runGit(first.root, ['clone', '-q', bare, tree]);
      runGit(tree, ['config', 'user.name', 'The site']);
      runGit(tree, ['config', 'user.email', 'site@example.org']);
    }
    return { tree, ...(await start(tree)) };
  }

  const servers = await Promise.all([open('tree'), open('tree'), open('remote')]);
  let tip = '';
  /** What a git host does after each push. */
  const hooks = setInterval(() => {
    const next = tipOf();
    if (next === tip) return;
    tip = next;
    for (const { origin } of servers) {
      const headers = { 'x-gitlab-token': SECRET, 'content-type': 'application/json' };
      const body = JSON.stringify({ ref: 'refs/heads/main' });
      fetch(`${origin}/jsonapi/hooks/git`, { method: 'POST', headers, body }).catch(() => undefined);
    }
  }, 5);

  return {
    servers,
    token: first.tokens.jane,
    git: (...args: readonly string[]) => runGit(bare, args),
    async restart(server: Server): Promise<void> {
      const ended = new Promise((done) => server.child.once('exit', done));
      killGroup(server.child);
      await ended;
      Object.assign(server, await start(server.tree));
    },
    async change(
      { origin }: Server,
      method: 'PATCH' | 'POST',
      attributes: { readonly id: string; readonly title?: string; readonly size?: number },
      commit: string | undefined,
    ): Promise<{ readonly status: number; readonly commit: string | null }> {
      const { id, ...others } = attributes;
      const data = { type: 'node--article', id, attributes: others };
      const address = method === 'POST' ? '' : `/${id}`;
      try {
        const response = await fetch(`${origin}/jsonapi/node/article${address}`, {
          method,
          headers: {
            authorization: `Bearer ${first.tokens.jane}`,
            'content-type': 'application/vnd.api+json',
            ...(commit !== undefined && { 'if-commit-at-least': commit }),
          },
          body: JSON.stringify({ data }),
        });
        const text = await response.text();
        if (response.status >= 500 && response.status !== 503) console.log(text);
        return { status: response.status, commit: response.headers.get('content-commit') };
      } catch {
        return { status: 0, commit: null };
      }
    },
    stop: () => clearInterval(hooks),
  };
}

/** All content, with the commit of the answer. */
async function readAll(
  { origin }: Server,
  token: string,
): Promise<{ readonly commit: string | null; readonly text: string }> {
  const response = await fetch(`${origin}/jsonapi/node/article?sort=id&page[limit]=0`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const text = (await response.text()).replaceAll(origin, '');
  return { commit: response.headers.get('content-commit'), text };
}

it('servers over one branch lose no acknowledged change when they are killed, and agree about each commit', async () => {
  const { servers, token, git, change, restart, stop } = await openReplicas();
  const statuses = new Map<number, number>();
  const created = new Set<string>();
  const sizes = new Map<string, number>();
  const unsure = new Map<string, Set<number>>();
  const texts = new Map<string, string>();
  const disagreements: string[] = [];
  let next = 0;
  let isWriting = true;
  let reads = 0;
  let readsWithCommit = 0;

  async function write(writer: number): Promise<void> {
    let commit: string | undefined;
    for (let turn = writer; next < CHANGES; turn++) {
      next += 1;
      const server = servers[turn % servers.length];
      if (server === undefined) return;
      const id = turn % 3 === 0 ? `new-${writer}-${turn}` : String(writer);
      const method = turn % 3 === 0 ? 'POST' : 'PATCH';
      const fields = method === 'POST' ? { title: id } : { size: turn };
      if (method === 'PATCH') unsure.set(id, (unsure.get(id) ?? new Set()).add(turn));
      const answer = await change(server, method, { id, ...fields }, commit);
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      commit = answer.commit ?? commit;
      if (answer.status === 201) created.add(id);
      if (answer.status === 200) {
        sizes.set(id, turn);
        unsure.set(id, new Set());
      }
      // A killed server needs a moment to start again.
      if (answer.status === 0) await sleep(200);
    }
  }

  async function kill(): Promise<void> {
    for (let at = 1; at <= KILLS; at++) {
      await eventually(() => expect(next).toBeGreaterThan((at * CHANGES) / (KILLS + 2)), SLOW);
      const server = servers[Math.floor(random() * servers.length)];
      if (server !== undefined) await restart(server);
    }
  }

  async function read(): Promise<void> {
    for (let at = 0; isWriting; at++) {
      const server = servers[at % servers.length];
      const answer = server && (await readAll(server, token).catch(() => undefined));
      if (answer !== undefined) check(answer);
      await sleep(5);
    }
  }

  function check({ commit, text }: Awaited<ReturnType<typeof readAll>>): void {
    reads += 1;
    if (commit === null) return;
    readsWithCommit += 1;
    const former = texts.get(commit) ?? text;
    if (former !== text) disagreements.push(difference(commit, former, text));
    texts.set(commit, former);
  }

  try {
    const reading = read();
    await Promise.all([...Array.from({ length: WRITERS }, (_, writer) => write(writer)), kill()]);
    // Each server has the last commit, and says the same about it.
    await eventually(async () => {
      const answers = await Promise.all(servers.map((server) => readAll(server, token)));
      const tip = git('rev-parse', 'main');
      expect(answers.map(({ commit }) => commit)).toEqual(servers.map(() => tip));
      for (const answer of answers) check(answer);
    }, SLOW).catch((error: unknown) => {
      for (const { tree } of servers) if (tree !== undefined) console.log(describeTree(tree));
      throw error;
    });
    isWriting = false;
    await reading;
    console.log(`Answers by status (0 for none): ${JSON.stringify([...statuses])}`);
    console.log(`${reads} reads, ${readsWithCommit} with a commit, ${texts.size} commits`);
    for (const status of statuses.keys()) expect([0, 200, 201, 202, 409, 412, 503]).toContain(status);
    expect(created.size + sizes.size).toBeGreaterThan(CHANGES / 6);
    expect(disagreements).toEqual([]);
    const files = new Set(git('ls-tree', '-r', '--name-only', 'main').split('\n'));
    expect([...created].filter((id) => !files.has(`content/article/${id}.md`))).toEqual([]);
    for (const [id, size] of sizes) {
      const stored = Number(/size: (\d+)/.exec(git('show', `main:content/article/${id}.md`))?.[1]);
      expect([size, ...(unsure.get(id) ?? [])]).toContain(stored);
    }
    expect(git('fsck', '--strict', '--no-dangling')).toBe('');

    const times: number[] = [];
    for (let turn = 0; turn < MEASURED; turn++) {
      const server = servers[turn % servers.length];
      if (server === undefined) continue;
      const { status, commit } = await change(server, 'PATCH', { id: '0', size: 1000 + turn }, undefined);
      if (status !== 200 || commit === null) continue;
      const acknowledged = performance.now();
      await Promise.all(
        servers.map(async ({ origin }) => {
          for (;;) {
            const json = await (await fetch(`${origin}/jsonapi/node/article/0`)).json();
            if (json.data.attributes.size === 1000 + turn) return;
            await sleep(5);
          }
        }),
      );
      times.push(performance.now() - acknowledged);
    }
    times.sort((a, b) => a - b);
    console.log(
      `A change is on all servers after ${times[Math.floor(times.length / 2)]?.toFixed(0)} ms (median), ${times.at(-1)?.toFixed(0)} ms (maximum of ${times.length}).`,
    );
    expect(times.length).toBeGreaterThan(MEASURED / 2);
  } finally {
    isWriting = false;
    stop();
  }
}, 600_000);

/** Why the content of a working tree may not be that of a commit. */
function describeTree(tree: string): string {
  const ask = (...args: readonly string[]) => runGit(tree, args).trim();
  return [
    `${tree}: HEAD ${ask('rev-parse', 'HEAD')}`,
    ask('for-each-ref', 'refs/worktree', '--format=%(refname) %(objectname)'),
    ask('status', '--porcelain', '--untracked-files=all'),
  ].join('\n');
}

function difference(commit: string, a: string, b: string): string {
  const at = [...a].findIndex((character, index) => character !== b[index]);
  return `${commit}: ${a.slice(Math.max(0, at - 20), at + 300)} | ${b.slice(Math.max(0, at - 20), at + 300)}`;
}
