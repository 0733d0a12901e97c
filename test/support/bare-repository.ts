import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { deflateSync, inflateSync } from 'node:zlib';
import { temporaryFolder } from './temporary-folder.ts';

/** A real bare repository. Its objects are written and read without git, whose start takes longer than a test. */
export interface BareRepository {
  readonly folder: string;
  git(...args: readonly string[]): string;
  defaultBranch(): string;
  /** The commit of a branch. */
  tip(branch: string): string | undefined;
  /** Moves a branch. Returns false if it is not at `old`. */
  moveBranch(branch: string, commit: string, old: string | undefined): boolean;
  isAncestor(ancestor: string, commit: string): boolean;
  writeBlob(bytes: Uint8Array): string;
  readBlob(sha: string): Buffer | undefined;
  /** The entry of a commit or a tree at a path. */
  find(from: string, file: string): TreeEntry | undefined;
  /** Like `git ls-tree -t`, relative to the tree. */
  list(from: string, isRecursive: boolean): readonly TreeEntry[];
  /** Adds files to a commit or a tree, and removes those that are null. Returns the tree. */
  writeTree(from: string | undefined, changes: ReadonlyMap<string, TreeFile | null>): string;
  /** Returns the commit. */
  writeCommit(commit: NewCommit): string;
  readCommit(sha: string): Commit;
  /** The newest commits that changed a path, by first parents. */
  log(from: string, file: string, most: number): readonly Commit[];
}

export interface TreeFile {
  readonly mode: string;
  readonly sha: string;
}

export interface TreeEntry extends TreeFile {
  readonly path: string;
  readonly type: 'blob' | 'tree' | 'commit';
  readonly size?: number;
}

export interface NewCommit {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly message: string;
  readonly author: { readonly name: string; readonly email: string };
  /** Unix seconds. Default: one second later than the commit before. */
  readonly seconds?: number;
}

export interface Commit extends NewCommit {
  readonly sha: string;
  /** ISO 8601. */
  readonly date: string;
}

export function createBareRepository(branch: string): BareRepository {
  const folder = path.join(temporaryFolder(), 'site.git');
  const objects = new Map<string, GitObject>();
  let clock = 1_700_000_000;

  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null' };
  const run = (args: readonly string[]) =>
    execFileSync('git', ['--git-dir', folder, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  execFileSync('git', ['init', '-q', '--bare', '-b', branch, folder], { env });

  function write(type: GitObject['type'], body: Buffer): string {
    const bytes = Buffer.concat([Buffer.from(`${type} ${body.length}\0`), body]);
    const sha = createHash('sha1').update(bytes).digest('hex');
    const file = path.join(folder, 'objects', sha.slice(0, 2), sha.slice(2));
    if (!existsSync(file)) {
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, deflateSync(bytes));
    }
    objects.set(sha, { type, body });
    return sha;
  }

  function read(sha: string): GitObject | undefined {
    const known = objects.get(sha);
    if (known !== undefined || !/^[0-9a-f]{40}$/.test(sha)) return known;
    const file = path.join(folder, 'objects', sha.slice(0, 2), sha.slice(2));
    if (!existsSync(file)) return undefined;
    const bytes = inflateSync(readFileSync(file));
    const end = bytes.indexOf(0);
    const type = bytes.toString('utf8', 0, bytes.indexOf(' ')) as GitObject['type'];
    const object = { type, body: bytes.subarray(end + 1) };
    objects.set(sha, object);
    return object;
  }

  function treeOf(from: string): string {
    return read(from)?.type === 'commit' ? readCommit(from).tree : from;
  }

  function entries(from: string): readonly TreeEntry[] {
    const body = read(treeOf(from))?.body ?? Buffer.alloc(0);
    const all: TreeEntry[] = [];
    for (let at = 0; at < body.length; ) {
      const end = body.indexOf(0, at);
      const [mode = '', ...name] = body.toString('utf8', at, end).split(' ');
      const sha = body.toString('hex', end + 1, end + 21);
      const type = mode === '40000' ? 'tree' : mode === '160000' ? 'commit' : 'blob';
      const size = type === 'blob' ? read(sha)?.body.length : undefined;
      all.push({
        mode: mode.padStart(6, '0'),
        path: name.join(' '),
        sha,
        type,
        ...(size !== undefined && { size }),
      });
      at = end + 21;
    }
    return all;
  }

  function readCommit(sha: string): Commit {
    const text = read(sha)?.body.toString('utf8') ?? '';
    const [head = '', ...message] = text.split('\n\n');
    const values = (name: string) =>
      head.split('\n').flatMap((line) => (line.startsWith(`${name} `) ? [line.slice(name.length + 1)] : []));
    const [, name = '', email = '', seconds = ''] =
      /^(.*) <(.*)> (\d+)/.exec(values('author')[0] ?? '') ?? [];
    const date = `${new Date(Number(seconds) * 1000).toISOString().slice(0, 19)}Z`;
    const [tree = ''] = values('tree');
    const author = { name, email };
    return { sha, tree, parents: values('parent'), message: message.join('\n\n').trimEnd(), author, date };
  }

  const tip = (name: string) => {
    const file = path.join(folder, 'refs/heads', name);
    return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
  };

  const repository: BareRepository = {
    folder,
    git: (...args) => run(args).toString('utf8').trimEnd(),
    defaultBranch: () =>
      readFileSync(path.join(folder, 'HEAD'), 'utf8').trim().slice('ref: refs/heads/'.length),
    tip,
    moveBranch(name, commit, old) {
      if (tip(name) !== old) return false;
      const file = path.join(folder, 'refs/heads', name);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, `${commit}\n`);
      return true;
    },
    isAncestor(ancestor, commit) {
      const waiting = [commit];
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
        if (next === ancestor) return true;
        waiting.push(...readCommit(next).parents);
      }
      return false;
    },
    writeBlob: (bytes) => write('blob', Buffer.from(bytes)),
    readBlob: (sha) => {
      const object = read(sha);
      return object?.type === 'blob' ? object.body : undefined;
    },
    find(from, file) {
      let found: TreeEntry | undefined;
      let sha: string | undefined = from;
      for (const name of file.split('/')) {
        found = sha === undefined ? undefined : entries(sha).find((each) => each.path === name);
        sha = found?.sha;
      }
      return found;
    },
    list(from, isRecursive) {
      return entries(from).flatMap((entry) => {
        if (!isRecursive || entry.type !== 'tree') return [entry];
        const below = repository.list(entry.sha, true);
        return [entry, ...below.map((each) => ({ ...each, path: `${entry.path}/${each.path}` }))];
      });
    },
    writeTree(from, changes) {
      const all = new Map<string, TreeFile>();
      for (const { path: name, mode, sha } of from === undefined ? [] : entries(from))
        all.set(name, { mode, sha });
      const folders = Map.groupBy(changes, ([file]) => file.split('/', 1)[0] ?? '');
      for (const [name, inside] of folders) {
        const own = inside.find(([file]) => file === name);
        if (own !== undefined) {
          if (own[1] === null) all.delete(name);
          else all.set(name, own[1]);
          continue;
        }
        const below = new Map(inside.map(([file, change]) => [file.slice(name.length + 1), change]));
        const former = all.get(name);
        const sha = repository.writeTree(former?.mode === '040000' ? former.sha : undefined, below);
        if (entries(sha).length === 0) all.delete(name);
        else all.set(name, { mode: '040000', sha });
      }
      const order = ([name, { mode }]: readonly [string, TreeFile]) =>
        mode === '040000' ? `${name}/` : name;
      const sorted = [...all].sort((a, b) => Buffer.compare(Buffer.from(order(a)), Buffer.from(order(b))));
      const lines = sorted.map(([name, { mode, sha }]) =>
        Buffer.concat([Buffer.from(`${mode.replace(/^0/, '')} ${name}\0`), Buffer.from(sha, 'hex')]),
      );
      return write('tree', Buffer.concat(lines));
    },
    writeCommit({ tree, parents, message, author, seconds }) {
      clock = seconds ?? clock + 1;
      const lines = [
        `tree ${treeOf(tree)}`,
        ...parents.map((parent) => `parent ${parent}`),
        `author ${author.name} <${author.email}> ${clock} +0000`,
        `committer Host <host@example.org> ${clock} +0000`,
      ];
      return write('commit', Buffer.from(`${lines.join('\n')}\n\n${message}\n`));
    },
    readCommit,
    log(from, file, most) {
      const found: Commit[] = [];
      const shaAt = (commit: string) => (file === '' ? treeOf(commit) : repository.find(commit, file)?.sha);
      for (let sha: string | undefined = from; sha !== undefined && found.length < most; ) {
        const commit = readCommit(sha);
        const [parent] = commit.parents;
        if (shaAt(sha) !== (parent && shaAt(parent))) found.push(commit);
        sha = parent;
      }
      return found;
    },
  };
  return repository;
}

interface GitObject {
  readonly type: 'blob' | 'tree' | 'commit';
  readonly body: Buffer;
}
