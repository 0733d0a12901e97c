import { createServer } from 'node:http';
import { digestText } from '../../integration/core/util/revision.ts';
import {
  type ForgeDriver,
  type ForgeDriverDeps,
  openForgeDriver,
} from '../../integration/features/forge/driver.ts';
import { openGitRemote } from '../../integration/features/forge/git-remote.ts';
import { openForge } from '../../integration/features/forge/open-forge.ts';
import { type BareRepository, type Commit, createBareRepository } from './bare-repository.ts';

/**
 * A stand-in for a git host, written from the public descriptions of its API. It works on a real bare repository, so commits
 * are atomic, and a moved branch is a moved branch. It has one repository, `team/site`, and one token.
 */
export interface ForgeHost extends BareRepository {
  readonly requests: string[];
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
  /** Commits as another person; null removes a file. Returns the hash. */
  commit(files: Readonly<Record<string, string | Uint8Array | null>>, branch?: string): string;
  /** The text of a file on the branch. */
  read(file: string): string | undefined;
  files(): readonly string[];
  /** Answers in place of the host, before a request is performed. */
  before: ((request: Request, path: string) => Fault) | undefined;
  /** Answers in place of the host, after a request was performed. */
  after: ((request: Request, path: string) => Fault) | undefined;
  /** Serves the API at a port of this machine, until the returned function is called. */
  listen(port?: number): Promise<{ readonly url: string; close(): Promise<void> }>;
}

type Fault = Response | Error | undefined | Promise<Response | Error | undefined>;

export type Dialect = 'github' | 'gitlab' | 'forgejo';
/** Also the repository itself, which git fetches and pushes. */
export type Protocol = Dialect | 'git';
export const DIALECTS: readonly Dialect[] = ['github', 'gitlab', 'forgejo'];
/** Starting git takes most of the time, so its tests run in a longer search only. */
export const PROTOCOLS: readonly Protocol[] =
  process.env.PROPERTY_RUNS === undefined ? DIALECTS : [...DIALECTS, 'git'];
export const TOKEN = 'secret-token-of-the-site';
export const NAME = 'team/site';
const API: Readonly<Record<Dialect, string>> = {
  github: '/api/v3',
  gitlab: '/api/v4',
  forgejo: '/api/v1',
};

export function createForgeHost(
  dialect: Dialect,
  files: Readonly<Record<string, string | Uint8Array>> = {},
  branch = 'main',
): ForgeHost {
  const bare = createBareRepository(branch);
  const { tip, find, readBlob, writeBlob, readCommit } = bare;

  type Changes = Readonly<Record<string, string | Uint8Array | null>>;

  /** Writes a commit that no branch has yet. */
  function write(changes: Changes, old: string | undefined, message: string, author: Identity): string {
    const entries = Object.entries(changes).map(([file, content]) => {
      if (content === null) return [file, null] as const;
      const mode = (old && find(old, file)?.mode) ?? '100644';
      return [file, { mode, sha: writeBlob(Buffer.from(content)) }] as const;
    });
    const tree = bare.writeTree(old, new Map(entries));
    return bare.writeCommit({ tree, parents: old === undefined ? [] : [old], message, author });
  }

  const json = (value: unknown, status = 200, headers = {}) => Response.json(value, { status, headers });
  const failed = (status: number, message: string) => json({ message }, status);
  const notFound = () => failed(404, 'Not Found');
  const raw = (bytes: Buffer | undefined) =>
    bytes === undefined ? notFound() : new Response(new Uint8Array(bytes));
  const repository = () => ({
    default_branch: bare.defaultBranch(),
    archived: false,
    permissions: { push: true },
  });
  const gitCommit = ({ sha, message, author, date }: Commit) => ({
    sha,
    commit: { message, author: { ...author, date }, committer: { name: 'Host', date } },
  });

  // Source: GitHub, "REST API endpoints for Git database".
  async function github(request: Request, at: string, query: URLSearchParams): Promise<Response> {
    const inside = below(at, `/repos/${NAME}`);
    if (inside === undefined) return notFound();
    const { method } = request;
    const body = method === 'GET' ? undefined : await request.json();
    const [, kind, name = ''] = /^\/(?:git\/)?([a-z]+)(?:\/(.*))?$/.exec(inside) ?? [];
    const rest = decodeURIComponent(name);
    if (inside === '') return json(repository());
    if (method === 'POST' && kind === 'blobs') {
      return json({ sha: writeBlob(Buffer.from(body.content, body.encoding)) }, 201);
    }
    if (method === 'POST' && kind === 'trees') {
      const changes = (body.tree as readonly GitHubEntry[]).map(({ path: file, mode, sha, content = '' }) => {
        return [file, sha === null ? null : { mode, sha: sha ?? writeBlob(Buffer.from(content)) }] as const;
      });
      return json({ sha: bare.writeTree(body.base_tree, new Map(changes)) }, 201);
    }
    if (method === 'POST' && kind === 'commits') {
      const sha = bare.writeCommit({ ...body, author: body.author ?? OWNER });
      return json({ sha, committer: { date: readCommit(sha).date } }, 201);
    }
    if (method === 'PATCH' && kind === 'refs') {
      const ref = rest.replace(/^heads\//, '');
      const old = tip(ref);
      if (old === undefined) return failed(422, 'Reference does not exist');
      if (!bare.isAncestor(old, body.sha)) return failed(422, 'Update is not a fast forward');
      bare.moveBranch(ref, body.sha, old);
      return json({ ref: `refs/heads/${ref}`, object: { sha: body.sha } });
    }
    if (kind === 'branches') {
      const sha = tip(rest);
      if (sha === undefined) return failed(404, 'Branch not found');
      const { tree, date } = readCommit(sha);
      return conditional(request, {
        name: rest,
        commit: { sha, commit: { tree: { sha: tree }, committer: { date } } },
      });
    }
    if (kind === 'trees') {
      return json({ sha: rest, tree: bare.list(rest, query.has('recursive')), truncated: false });
    }
    if (kind === 'blobs') return raw(readBlob(rest));
    if (kind === 'contents') return raw(readBlob(find(query.get('ref') ?? '', rest)?.sha ?? ''));
    if (kind === 'commits') {
      const most = Number(query.get('per_page'));
      return json(bare.log(query.get('sha') ?? '', query.get('path') ?? '', most).map(gitCommit));
    }
    return notFound();
  }

  // Source: Forgejo and Gitea, the API description at /api/swagger.
  async function forgejo(request: Request, at: string, query: URLSearchParams): Promise<Response> {
    const inside = below(at, `/repos/${NAME}`);
    if (inside === undefined) return notFound();
    const [, kind, name = ''] = /^\/(?:git\/)?([a-z]+)(?:\/(.*))?$/.exec(inside) ?? [];
    const rest = decodeURIComponent(name);
    if (inside === '') return json(repository());
    if (request.method === 'POST' && kind === 'contents') {
      const body = (await request.json()) as ForgejoChange;
      const old = tip(body.branch);
      if (old === undefined) return failed(404, 'branch does not exist');
      const changes: Record<string, Uint8Array | null> = {};
      for (const { operation, path: file, sha, content } of body.files) {
        const present = find(old, file)?.sha;
        if (operation === 'create' && present !== undefined) {
          return failed(422, `repository file already exists [path: ${file}]`);
        }
        if (operation !== 'create' && present === undefined)
          return failed(404, `object does not exist [${file}]`);
        if (operation !== 'create' && present !== sha) {
          return failed(422, `sha does not match [given: ${sha}, expected: ${present}]`);
        }
        changes[file] = operation === 'delete' ? null : Buffer.from(content ?? '', 'base64');
      }
      const sha = write(changes, old, body.message, body.author ?? OWNER);
      if (!bare.moveBranch(body.branch, sha, old)) return failed(500, 'PushOutOfDate');
      const { date } = readCommit(sha);
      return json({ files: [], commit: { sha, parents: [{ sha: old }], committer: { date } } }, 201);
    }
    if (kind === 'branches') {
      const sha = tip(rest);
      if (sha === undefined) return notFound();
      return conditional(request, { name: rest, commit: { id: sha, timestamp: readCommit(sha).date } });
    }
    if (kind === 'trees') {
      const all = bare.list(rest, query.get('recursive') === '1');
      const [size, page] = [Math.min(Number(query.get('per_page')), FORGEJO_PAGE), Number(query.get('page'))];
      const tree = all.slice((page - 1) * size, page * size);
      return json({ sha: rest, tree, truncated: page * size < all.length, page, total_count: all.length });
    }
    if (kind === 'raw') return raw(readBlob(find(query.get('ref') ?? '', rest)?.sha ?? ''));
    if (kind === 'commits') {
      const most = Number(query.get('limit'));
      return json(bare.log(query.get('sha') ?? '', query.get('path') ?? '', most).map(gitCommit));
    }
    return notFound();
  }

  // Source: GitLab, "Commits API", "Repositories API", "Repository files API".
  async function gitlab(request: Request, at: string, query: URLSearchParams): Promise<Response> {
    const inside = below(at, `/projects/${encodeURIComponent(NAME)}`);
    if (inside === undefined) return failed(404, '404 Project Not Found');
    const [, kind, name = ''] = /^\/repository\/([a-z]+)(?:\/(.*))?$/.exec(inside) ?? [];
    const rest = decodeURIComponent(name);
    if (inside === '') {
      const permissions = { project_access: { access_level: 40 }, group_access: null };
      return json({ ...repository(), permissions });
    }
    if (request.method === 'POST' && kind === 'commits') {
      const body = (await request.json()) as GitLabCommit;
      const old = tip(body.branch);
      if (old === undefined) return failed(400, 'You can only create or edit files when you are on a branch');
      const changes: Record<string, Uint8Array | null> = {};
      for (const { action, file_path: file, content, encoding, last_commit_id: last } of body.actions) {
        const present = find(old, file);
        if (action === 'create' && present !== undefined)
          return failed(400, 'A file with this name already exists');
        if (action !== 'create' && present === undefined)
          return failed(400, "A file with this name doesn't exist");
        if (action !== 'create' && last !== undefined && last !== bare.log(old, file, 1)[0]?.sha) {
          return failed(400, `The file has changed since you started editing it: ${file}`);
        }
        const bytes = Buffer.from(content ?? '', encoding === 'base64' ? 'base64' : 'utf8');
        changes[file] = action === 'delete' ? null : bytes;
      }
      const author = body.author_name && { name: body.author_name, email: body.author_email ?? '' };
      const sha = write(changes, old, body.commit_message, author || OWNER);
      bare.moveBranch(body.branch, sha, old);
      return json(gitLabCommit(readCommit(sha)), 201);
    }
    if (kind === 'branches') {
      const sha = tip(rest);
      if (sha === undefined) return failed(404, '404 Branch Not Found');
      return conditional(request, { name: rest, commit: { id: sha, committed_date: readCommit(sha).date } });
    }
    if (kind === 'tree') {
      const folder = query.get('path') ?? '';
      const inFolder = bare
        .list(query.get('ref') ?? '', true)
        .filter(({ path: file }) => folder === '' || file.startsWith(`${folder}/`));
      if (folder !== '' && inFolder.length === 0)
        return failed(404, '404 invalid revision or path Not Found');
      const all = inFolder.map(({ sha: id, path: file, type, mode }) => ({ id, path: file, type, mode }));
      const start = Number(query.get('page_token') ?? 0);
      const page = all.slice(start, start + Math.min(Number(query.get('per_page')), GITLAB_PAGE));
      query.set('page_token', String(start + page.length));
      const next = `<https://git.internal${API.gitlab}${at}?${query}>; rel="next"`;
      return json(page, 200, start + page.length < all.length ? { link: next } : {});
    }
    if (kind === 'blobs') return raw(readBlob(rest.replace(/\/raw$/, '')));
    if (kind === 'files') {
      const file = rest.replace(/\/raw$/, '');
      const ref = query.get('ref') ?? '';
      const sha = find(ref, file)?.sha;
      if (sha === undefined) return failed(404, '404 File Not Found');
      if (request.method !== 'HEAD') return raw(readBlob(sha));
      const last = bare.log(ref, file, 1)[0]?.sha ?? '';
      return new Response(null, {
        headers: { 'x-gitlab-blob-id': sha, 'x-gitlab-last-commit-id': last },
      });
    }
    if (kind === 'commits') {
      const most = Number(query.get('per_page'));
      return json(bare.log(query.get('ref_name') ?? '', query.get('path') ?? '', most).map(gitLabCommit));
    }
    return notFound();
  }

  const handlers = { github, gitlab, forgejo };

  async function answer(request: Request): Promise<Response> {
    const { pathname, search, searchParams } = new URL(request.url);
    const at = pathname.slice(API[dialect].length);
    host.requests.push(`${request.method} ${at}${search}`);
    const fault = await host.before?.(request, at);
    if (fault instanceof Error) throw fault;
    if (fault !== undefined) return fault;
    if (request.headers.get('authorization') !== `Bearer ${TOKEN}`) return failed(401, 'Bad credentials');
    const response = await handlers[dialect](request, at, searchParams);
    const lost = await host.after?.(request, at);
    if (lost instanceof Error) throw lost;
    return lost ?? response;
  }

  const host: ForgeHost = {
    ...bare,
    requests: [],
    before: undefined,
    after: undefined,
    fetch: (input, init) => answer(new Request(input, init)),
    commit(changes, name = branch) {
      const old = tip(name);
      const author = { name: 'Another', email: 'another@example.org' };
      const sha = write(changes, old, 'Change of another person', author);
      bare.moveBranch(name, sha, old);
      return sha;
    },
    read: (file) => readBlob(find(tip(branch) ?? '', file)?.sha ?? '')?.toString('utf8'),
    files: () =>
      bare.list(tip(branch) ?? '', true).flatMap(({ type, path: file }) => (type === 'tree' ? [] : [file])),
    async listen(port = 0) {
      const server = createServer(async (incoming, outgoing) => {
        const chunks: Buffer[] = [];
        for await (const chunk of incoming) chunks.push(chunk);
        const { method = 'GET', url = '/' } = incoming;
        const headers = Object.entries(incoming.headers).map(([name, value]): [string, string] => [
          name,
          String(value),
        ]);
        const request = new Request(`http://127.0.0.1${url}`, {
          method,
          headers,
          ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
        });
        try {
          const response = await answer(request);
          outgoing.writeHead(response.status, Object.fromEntries(response.headers));
          outgoing.end(Buffer.from(await response.arrayBuffer()));
        } catch {
          outgoing.destroy();
        }
      });
      await new Promise<void>((done) => server.listen(port, '127.0.0.1', done));
      const address = server.address();
      const listening = typeof address === 'object' ? address?.port : undefined;
      return {
        url: `http://127.0.0.1:${listening}`,
        close: () => new Promise((done) => server.close(() => done())),
      };
    },
  };
  host.commit(files);
  return host;
}

/** The content folder `content/` of a host, as a driver. */
export async function openContentOn(
  protocol: Protocol,
  host: ForgeHost,
  deps: Partial<ForgeDriverDeps> = {},
): Promise<ForgeDriver> {
  const connection = { token: TOKEN, fetch: host.fetch, timeoutMs: 500, retryDelaysMs: [5, 5] };
  const forge =
    protocol === 'git'
      ? openGitRemote(host.folder)
      : openForge({ forge: protocol, repository: NAME, url: 'https://git.example' }, connection);
  const log = { info: () => undefined, warn: () => undefined };
  return openForgeDriver({ forge, branch: 'main', folder: 'content', log, ...deps });
}

/** Creates drivers of a repository that has these files in `content/` again for each of them. */
export function forgeDrivers(
  protocol: Protocol,
  files: Readonly<Record<string, string | Uint8Array>>,
): (deps?: Partial<ForgeDriverDeps>) => Promise<ForgeDriver> {
  let host: ForgeHost | undefined;
  let start = '';
  return async (deps) => {
    host ??= createForgeHost(protocol === 'git' ? 'forgejo' : protocol, inContent(files));
    const present = host.tip('main');
    start ||= present ?? '';
    host.moveBranch('main', start, present);
    return openContentOn(protocol, host, deps);
  };
}

export function inContent<T>(files: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(files).map(([file, content]) => [`content/${file}`, content]));
}

/** Entries in one page of a tree. */
const FORGEJO_PAGE = 7;
const GITLAB_PAGE = 2;

function below(at: string, base: string): string | undefined {
  return at === base || at.startsWith(`${base}/`) ? at.slice(base.length) : undefined;
}

function conditional(request: Request, value: unknown): Response {
  const etag = `W/"${digestText(JSON.stringify(value))}"`;
  if (request.headers.get('if-none-match') === etag)
    return new Response(null, { status: 304, headers: { etag } });
  return Response.json(value, { headers: { etag } });
}

function gitLabCommit({ sha, author, message, date, parents }: Commit) {
  const [title] = message.split('\n', 1);
  return { id: sha, author_name: author.name, title, committed_date: date, parent_ids: parents };
}

const OWNER: Identity = { name: 'Token owner', email: 'owner@example.org' };

interface Identity {
  readonly name: string;
  readonly email: string;
}

interface GitHubEntry {
  readonly path: string;
  readonly mode: string;
  readonly sha?: string | null;
  readonly content?: string;
}

interface ForgejoChange {
  readonly branch: string;
  readonly message: string;
  readonly author?: Identity;
  readonly files: readonly {
    readonly operation: 'create' | 'update' | 'delete';
    readonly path: string;
    readonly sha?: string;
    readonly content?: string;
  }[];
}

interface GitLabCommit {
  readonly branch: string;
  readonly commit_message: string;
  readonly author_name?: string;
  readonly author_email?: string;
  readonly actions: readonly {
    readonly action: 'create' | 'update' | 'delete';
    readonly file_path: string;
    readonly content?: string;
    readonly encoding?: string;
    readonly last_commit_id?: string;
  }[];
}
