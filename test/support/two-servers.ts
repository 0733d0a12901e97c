import { chmodSync } from 'node:fs';
import path from 'node:path';
import { afterEach, vi } from 'vitest';
import type { Entity } from '../../integration/core/content/model.ts';
import type { Commits } from '../../integration/core/write/commits.ts';
import { createBareRepository } from './bare-repository.ts';
import {
  addSiteAccounts,
  type GitSite,
  openContent,
  runGit,
  type Sent,
  type SiteOptions,
  sendTo,
} from './git-site.ts';
import { temporaryFolder, writeFiles } from './temporary-folder.ts';

/** The site of a working tree that follows a remote. Sends as Jane. */
export interface Server {
  readonly root: string;
  readonly lines: string[];
  git(...args: readonly string[]): string;
  patch(attributes: object, headers?: object): Promise<Sent>;
  get(path?: string): Promise<Sent>;
  send(method: string, path: string, body?: unknown, as?: keyof GitSite['tokens']): Promise<Sent>;
  readonly commits: Commits;
  look(): void;
  titles(): Promise<unknown>;
  close(): Promise<void>;
}

const opened = new Set<Server>();
afterEach(async () => {
  await Promise.all([...opened].map((server) => server.close()));
});

/** Texts of files by path; null removes a file. */
type Changes = Readonly<Record<string, string | null>>;

export interface ServersOptions {
  readonly acknowledge?: 'file' | 'commit' | 'push' | undefined;
  readonly commit?: 'each' | { readonly quiet: number } | undefined;
  readonly renderBody?: ((entity: Entity) => Promise<string>) | undefined;
  readonly roles?: SiteOptions['roles'];
  readonly tomRoles?: readonly string[] | undefined;
}

/** Two working trees of one bare repository. */
export async function openServers(
  files: Readonly<Record<string, string>>,
  { acknowledge, commit, renderBody, roles, tomRoles = ['editor'] }: ServersOptions = {},
) {
  const accountsFile = path.join(temporaryFolder(), 'accounts.json');
  const tokens = await addSiteAccounts(accountsFile, tomRoles);
  const bare = createBareRepository('main');
  const inContent = Object.entries(files).map(([file, text]) => [`content/${file}`, text]);
  moveTo(
    writeCommit(Object.fromEntries(inContent), { name: 'The site', email: 'site@example.org' }, 'Begin'),
  );
  function clone(): string {
    const root = path.join(temporaryFolder(), 'site');
    const user = ['-c', 'user.name=The site', '-c', 'user.email=site@example.org'];
    runGit(bare.folder, ['clone', '-q', ...user, bare.folder, root]);
    return root;
  }
  async function openAt(root = clone()): Promise<Server> {
    const place = { root, folder: 'content', accountsFile };
    const { runtime, lines } = await openContent(
      place,
      { roles, git: { push: true, pull: true, acknowledge, commit } },
      undefined,
      renderBody,
    );
    const commits = runtime.services.commits as Commits;
    waitLonger(commits);
    const send: Server['send'] = (method, address, body, as = 'jane') =>
      sendTo(runtime, method, address, body, tokens[as]);
    const server: Server = {
      root,
      lines,
      git: (...args) => runGit(root, args),
      patch: (attributes) =>
        send('PATCH', '/jsonapi/node/article/moon', {
          data: { type: 'node--article', id: 'moon', attributes },
        }),
      get: (address = '/jsonapi/node/article/moon') => send('GET', address),
      send,
      commits,
      look: () => runtime.services.replica?.lookSoon?.(),
      titles: async () => (await send('GET', '/jsonapi/node/article/moon')).json.data.attributes.title,
      close() {
        opened.delete(server);
        return runtime.close();
      },
    };
    opened.add(server);
    return server;
  }
  return {
    one: await openAt(),
    other: await openAt(),
    openAt,
    git: (...args: readonly string[]) => runGit(bare.folder, args),
    /** Commits as another person, Ann by default, and pushes. Null removes a file. */
    push: (changes: Changes, email = 'ann@example.org') =>
      moveTo(writeCommit(changes, { name: 'Ann', email })),
    /** Commits as another person while the server pushes its next change: that push is too late. */
    pushMeanwhile(server: Server, changes: Changes) {
      const hook = path.join(server.root, '.git/hooks/pre-push');
      const branch = path.join(bare.folder, 'refs/heads/main');
      writeFiles(server.root, {
        '.git/hooks/pre-push': `#!/bin/sh\nrm "${hook}"\necho ${writeCommit(changes)} > "${branch}"\n`,
      });
      chmodSync(hook, 0o755);
    },
  };

  /** A commit on top of the branch of the remote. */
  function writeCommit(
    changes: Changes,
    author = { name: 'Ann', email: 'ann@example.org' },
    message = 'By hand',
  ): string {
    const parent = bare.tip('main');
    const written = Object.entries(changes).map(
      ([file, text]) =>
        [file, text === null ? null : { mode: '100644', sha: bare.writeBlob(Buffer.from(text)) }] as const,
    );
    return bare.writeCommit({
      tree: bare.writeTree(parent, new Map(written)),
      parents: parent === undefined ? [] : [parent],
      message,
      author,
      seconds: Math.floor(Date.now() / 1000),
    });
  }

  function moveTo(commit: string): void {
    bare.moveBranch('main', commit, bare.tip('main'));
  }
}

/** On a slow machine, a push can take longer than a response waits for it. */
function waitLonger(commits: Commits): void {
  const { pushed } = commits;
  vi.spyOn(commits, 'pushed').mockImplementation(async (id) => {
    for (const end = performance.now() + 90_000; ; ) {
      const state = await pushed(id);
      if (state?.status === 'failed' || state?.pushed !== false || performance.now() > end) return state;
    }
  });
}
