import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { identity, quoted, TEMPORARY_REF } from '../../core/runtime/fast-import.ts';
import { withoutCredentials } from '../../core/runtime/remote-address.ts';
import { gitMessage, gitStderr, runGit, runGitForBytes } from '../../core/runtime/run-git.ts';
import type { FileVersion } from '../../core/storage/driver.ts';
import { StorageError } from '../../core/storage/errors.ts';
import { ServiceUnavailableError } from '../../core/util/errors.ts';
import { ForgeNotFoundError, ForgeUnconfirmedError } from './client.ts';
import type { Forge, ForgeCommit, TreeFile } from './forge.ts';

const LABEL = 'The git remote';
/** Milliseconds of the first transfer, and of each further one. */
const CLONE_TIMEOUT_MS = 300_000;
const TIMEOUT_MS = 15_000;
const RETRY_AFTER_S = 5;
const SERVER = { name: 'astro-jsonapi', mail: 'astro-jsonapi@users.noreply.invalid' };

/**
 * A repository at any address that git can fetch from and push to, with the credentials that git has there. Its objects are in
 * a bare clone in a temporary folder, which is removed when the process ends by itself.
 */
export function openGitRemote(url: string): Forge {
  const folder = mkdtempSync(join(tmpdir(), 'astro-jsonapi-remote-'));
  if (folders.length === 0) process.once('exit', removeFolders);
  folders.push(folder);
  let opening: Promise<unknown> | undefined;
  let hasFetched = false;

  async function git(args: readonly string[]): Promise<string> {
    opening ??= runGit(folder, ['init', '-q', '--bare']);
    await opening;
    return runGit(folder, args);
  }

  /** Runs git with the user's configuration, and with their hooks and credentials. */
  async function remote(args: readonly string[], timeout: number): Promise<string> {
    await git(['--version']);
    return runGit(folder, args, { trusted: true, timeout });
  }

  const fail = (error: unknown): never => {
    throw new ServiceUnavailableError(
      `${LABEL} does not respond. Try again soon.`,
      RETRY_AFTER_S,
      causeOf(error),
    );
  };

  return {
    label: LABEL,
    repository: withoutCredentials(url),
    async access() {
      const printed = await remote(['ls-remote', '--symref', '--', url, 'HEAD'], TIMEOUT_MS).catch(fail);
      const branch = /^ref: refs\/heads\/(\S+)\s+HEAD$/m.exec(printed)?.[1];
      return { defaultBranch: branch ?? 'main', obstacle: undefined };
    },
    async head(branch) {
      const ref = `refs/heads/${branch}`;
      const timeout = hasFetched ? TIMEOUT_MS : CLONE_TIMEOUT_MS;
      try {
        await remote(
          ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--', url, `+${ref}:${ref}`],
          timeout,
        );
      } catch (error) {
        if (!gitStderr(error).includes("couldn't find remote ref")) return fail(error);
        throw new ForgeNotFoundError(LABEL, causeOf(error));
      }
      hasFetched = true;
      const [commit = '', seconds = ''] = (await git(['log', '-1', '--format=%H %ct', ref, '--']))
        .trim()
        .split(' ');
      return { branch, commit, at: Number(seconds) * 1000 };
    },
    async tree({ commit }, path) {
      const from = path === '' ? commit : `${commit}:${path}`;
      const isFolder = await git(['cat-file', '-t', from]).catch(() => '');
      if (!/^(tree|commit)$/.test(isFolder.trim())) return undefined;
      const printed = await git(['ls-tree', '-r', '-z', '-l', from]);
      return printed.split('\0').flatMap(readEntry);
    },
    blob: ({ sha }) => runGitForBytes(folder, ['cat-file', 'blob', sha]),
    fileAt: (path, commit) =>
      runGitForBytes(folder, ['cat-file', 'blob', `${commit}:${path}`]).catch((error) => {
        throw new ForgeNotFoundError(LABEL, causeOf(error));
      }),
    async versions(path, commit, most) {
      const format = '--format=%H%x1f%ct%x1f%an%x1f%s';
      const printed = await git(['log', `-${most}`, format, commit, '--', ...(path === '' ? [] : [path])]);
      return printed.split('\n').flatMap(readVersion);
    },
    async commit(change) {
      const { head } = change;
      const seconds = Math.max(Math.floor(Date.now() / 1000), Math.floor(head.at / 1000));
      const input = importStream(change, seconds);
      await opening;
      const commit = (await runGit(folder, ['fast-import', '--quiet'], { input })).trim();
      try {
        const refs = `${commit}:refs/heads/${head.branch}`;
        await remote(['push', '--quiet', '--', url, refs], TIMEOUT_MS);
      } catch (error) {
        const isRefused = /\[(?:remote )?rejected\]/.test(gitStderr(error));
        if (!isRefused) {
          const detail = `${LABEL} has not confirmed the change. Try again soon.`;
          throw new ForgeUnconfirmedError(detail, RETRY_AFTER_S, causeOf(error));
        }
        const detail = `${LABEL} refuses the change. The server log says more.`;
        throw new StorageError('unavailable', detail, { cause: causeOf(error) });
      }
      return { ...head, commit, at: seconds * 1000, parent: head.commit };
    },
  };
}

const folders: string[] = [];

function removeFolders(): void {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}

function importStream({ head, files, message, author }: ForgeCommit, seconds: number): Buffer {
  const stream: (string | Uint8Array)[] = ['feature done\n'];
  const addData = (bytes: Uint8Array) => stream.push(`data ${bytes.length}\n`, bytes, '\n');
  stream.push(`commit ${TEMPORARY_REF}\nmark :1\n`);
  for (const role of ['author', 'committer'])
    stream.push(`${role} ${identity(author ?? SERVER)} ${seconds} +0000\n`);
  addData(Buffer.from(`${message.trimEnd()}\n`));
  stream.push(`from ${head.commit}\n`);
  for (const { path, bytes } of files) if (bytes === null) stream.push(`D ${quoted(path)}\n`);
  for (const { path, bytes, before } of files) {
    if (bytes === null) continue;
    stream.push(`M ${before?.mode ?? '100644'} inline ${quoted(path)}\n`);
    addData(bytes);
  }
  stream.push(`\nget-mark :1\nreset ${TEMPORARY_REF}\n\ndone\n`);
  return Buffer.concat(stream.map((part) => Buffer.from(part)));
}

function readEntry(line: string): readonly TreeFile[] {
  const [, mode = '', sha = '', size = '', path = ''] =
    /^(\d+) \w+ (\w+) +(\S+)\t([\s\S]+)$/.exec(line) ?? [];
  return path === '' ? [] : [{ mode, sha, path, size: size === '-' ? 0 : Number(size) }];
}

function readVersion(line: string): readonly FileVersion[] {
  const [commit = '', at = '', author = '', message = ''] = line.split('\x1f');
  return commit === '' ? [] : [{ commit, at: Number(at), author, message }];
}

function causeOf(error: unknown): Error {
  return new Error(`git says: ${gitMessage(error)}`);
}
