import { chmodSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterEach, vi } from 'vitest';
import type { Entity } from '../integration/content/model.ts';
import type { Commits } from '../integration/write/git-commits.ts';
import {
  createGitSite,
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
let site: GitSite | undefined;
afterEach(async () => {
  await Promise.all([...opened].map((server) => server.close()));
  await site?.remove();
});

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
  { acknowledge, commit, renderBody, roles, tomRoles }: ServersOptions = {},
) {
  const first = await createGitSite(files, 'content', tomRoles);
  site = first;
  const bare = path.join(temporaryFolder(), 'site.git');
  runGit(first.root, ['clone', '-q', '--bare', '.', bare]);
  function clone(): string {
    const root = path.join(temporaryFolder(), 'site');
    runGit(first.root, ['clone', '-q', bare, root]);
    runGit(root, ['config', 'user.name', 'The site']);
    runGit(root, ['config', 'user.email', 'site@example.org']);
    return root;
  }
  async function openAt(root = clone()): Promise<Server> {
    const place = { root, folder: 'content', accountsFile: first.accountsFile };
    const { runtime, lines } = await openContent(
      place,
      { roles, git: { push: true, pull: true, acknowledge, commit } },
      undefined,
      renderBody,
    );
    const commits = runtime.services.commits as Commits;
    waitLonger(commits);
    const send: Server['send'] = (method, address, body, as = 'jane') =>
      sendTo(runtime, method, address, body, first.tokens[as]);
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
      look: () => runtime.services.replica?.lookSoon(),
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
    git: (...args: readonly string[]) => runGit(bare, args),
    /** Commits as another person, Ann by default, and pushes. Null removes a file. */
    push: (changes: Readonly<Record<string, string | null>>, mail?: string) => commitAs(changes, true, mail),
    /** Commits as another person while the server pushes its next change: that push is too late. */
    pushMeanwhile(server: Server, changes: Readonly<Record<string, string | null>>) {
      const root = commitAs(changes, false);
      const hook = path.join(server.root, '.git/hooks/pre-push');
      writeFiles(server.root, {
        '.git/hooks/pre-push': `#!/bin/sh\nrm "${hook}"\nunset GIT_DIR\ngit -C "${root}" push -q origin main\n`,
      });
      chmodSync(hook, 0o755);
    },
  };

  /** Commits as another person. Null removes a file. Returns the working tree. */
  function commitAs(
    changes: Readonly<Record<string, string | null>>,
    isPushed = true,
    mail = 'ann@example.org',
  ): string {
    const root = path.join(temporaryFolder(), 'person');
    runGit(first.root, ['clone', '-q', bare, root]);
    for (const [file, text] of Object.entries(changes)) {
      if (text === null) rmSync(path.join(root, file));
      else writeFiles(root, { [file]: text });
    }
    runGit(root, ['config', 'user.name', 'Ann']);
    runGit(root, ['config', 'user.email', mail]);
    runGit(root, ['add', '-A']);
    runGit(root, ['commit', '-q', '-m', 'By hand']);
    if (isPushed) runGit(root, ['push', '-q', 'origin', 'main']);
    return root;
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
