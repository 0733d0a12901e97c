import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Roles } from '../../integration/core/access/role.ts';
import type { Languages } from '../../integration/core/content/languages.ts';
import type { Entity } from '../../integration/core/content/model.ts';
import type { EditingOptions } from '../../integration/core/options/options.ts';
import { ATOMIC_MEDIA_TYPE, JSONAPI_MEDIA_TYPE } from '../../integration/core/read/document-types.ts';
import { createRuntime } from '../../integration/core/runtime/open-site.ts';
import type { Runtime } from '../../integration/core/runtime/runtime.ts';
import type { DeployOptions } from '../../integration/features/deploy/options.ts';
import { createGitDriver } from '../../integration/features/git/driver.ts';
import { gitSettings } from '../../integration/features/git/options.ts';
import { FEATURES } from '../../integration/features.ts';
import { addAccounts } from './accounts.ts';
import { parseOptions } from './options.ts';
import { fetchFrom } from './request.ts';
import { adminApp, TEST_SETTINGS } from './services.ts';
import { type Files, temporaryFolder, writeFiles } from './temporary-folder.ts';

/** A site in its own repository, with two accounts that may write: Jane, with an e-mail address, and Tom. */
export interface GitSite {
  readonly root: string;
  readonly accountsFile: string;
  readonly tokens: { readonly jane: string; readonly tom: string; readonly admin: string };
  git(...args: readonly string[]): string;
  write(file: string, text: string): void;
  /** Opens the content like a server. Its log is in `lines`. */
  open(options?: SiteOptions, schema?: unknown): Promise<OpenSite>;
  remove(): Promise<void>;
}

export interface OpenSite {
  readonly runtime: Runtime;
  readonly lines: string[];
  send(method: string, address: string, body?: unknown, as?: keyof GitSite['tokens'] | null): Promise<Sent>;
  close(): Promise<void>;
}

export interface Sent {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests state the shape of each response.
  readonly json: any;
}

export async function createGitSite(
  files: Readonly<Record<string, string>>,
  folder = 'content',
  tomRoles: readonly string[] = ['editor'],
): Promise<GitSite> {
  const base = temporaryFolder();
  const root = path.join(base, 'site');
  mkdirSync(root);
  const write = (file: string, text: string) => writeFiles(root, { [file]: text });
  const git = (...args: readonly string[]) => runGit(root, args);
  startRepository(
    root,
    Object.fromEntries(Object.entries(files).map(([file, text]) => [`${folder}/${file}`, text])),
  );

  const accountsFile = path.join(base, 'accounts.json');
  const tokens = await addSiteAccounts(accountsFile, tomRoles);
  const opened = new Set<OpenSite>();

  return {
    root,
    accountsFile,
    tokens,
    git,
    write,
    async open(input = { git: true }, schema = undefined) {
      const { runtime, lines } = await openContent({ root, folder, accountsFile }, input, schema);
      const site: OpenSite = {
        runtime,
        lines,
        send: (method, address, body, as = 'jane') =>
          sendTo(runtime, method, address, body, as === null ? undefined : tokens[as]),
        async close() {
          if (opened.delete(site)) await runtime.close();
        },
      };
      opened.add(site);
      return site;
    },
    async remove() {
      for (const each of opened) await each.close();
    },
  };
}

export function addSiteAccounts(file: string, tomRoles: readonly string[]): Promise<GitSite['tokens']> {
  return addAccounts(file, {
    jane: { roles: ['editor'], displayName: 'Jane Low', mail: 'jane@example.org' },
    tom: { roles: tomRoles },
    admin: { roles: ['administrator'] },
  });
}

/** Option `editing`, whether dates come from git, option `deploy`, and the languages and roles of the site. */
export type SiteOptions = EditingOptions & {
  readonly gitDates?: boolean;
  readonly languages?: Languages | undefined;
  readonly roles?: Roles | undefined;
  readonly deploy?: DeployOptions | undefined;
};

/** Opens the content of a site like a server. Its log is in `lines`. */
export async function openContent(
  {
    root,
    folder,
    accountsFile,
  }: { readonly root: string; readonly folder: string; readonly accountsFile: string },
  { gitDates, languages, roles, deploy, ...editing }: SiteOptions,
  schema?: unknown,
  renderBody: (entity: Entity) => Promise<string> = async () => '<p></p>',
): Promise<{ readonly runtime: Runtime; readonly lines: string[] }> {
  const lines: string[] = [];
  const contentDir = path.join(root, folder);
  const options = parseOptions({ gitDates, roles, editing, deploy, danglingReferences: 'missing' });
  const source = {
    driver: createGitDriver(contentDir, { branch: gitSettings(options)?.branch }),
    folder: contentDir,
    schema,
  };
  const runtime = await createRuntime(source, {
    features: FEATURES,
    options,
    settings: {
      ...TEST_SETTINGS,
      root,
      contentDir,
      readOnly: false,
      signIn: true,
      admin: true,
      languages,
    },
    adminApp,
    accountsFlag: { written: accountsFile, cwd: root },
    renderBody,
    log: {
      info: (line) => lines.push(`info ${line}`),
      warn: (line) => lines.push(`warn ${line}`),
      error: (line) => lines.push(`error ${line}`),
    },
  });
  return { runtime, lines };
}

/** Writes files into a folder, and makes them the first commit of a repository there. */
export function startRepository(folder: string, files: Files): void {
  writeFiles(folder, files);
  runGit(folder, ['init', '-q', '-b', 'main']);
  appendFileSync(path.join(folder, '.git/config'), '[user]\n\tname = The site\n\temail = site@example.org\n');
  runGit(folder, ['add', '-A']);
  runGit(folder, ['commit', '-q', '-m', 'Begin']);
}

export function runGit(folder: string, args: readonly string[]): string {
  return execFileSync('git', args, {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    stdio: 'pipe',
    env: { ...process.env, GIT_OPTIONAL_LOCKS: '0' },
  }).trimEnd();
}

export async function sendTo(
  { handle }: Runtime,
  method: string,
  address: string,
  body: unknown,
  token: string | undefined,
): Promise<Sent> {
  const jsonApi = address.startsWith('/jsonapi/operations') ? ATOMIC_MEDIA_TYPE : JSONAPI_MEDIA_TYPE;
  const isFile = body instanceof Uint8Array;
  const type = isFile
    ? 'application/octet-stream'
    : address.includes('/jsonapi')
      ? jsonApi
      : 'application/json';
  const response = await fetchFrom(handle, address, {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': type }),
    },
    ...(body !== undefined && { body: isFile ? Buffer.from(body) : JSON.stringify(body) }),
  });
  const text = await response.text();
  const json: unknown = text === '' ? undefined : JSON.parse(text);
  return { status: response.status, headers: response.headers, json };
}
