import { z } from 'zod';
import { toBase64 } from '../../core/util/base64.ts';
import { type ForgeClient, ForgeNotFoundError } from './client.ts';
import type { Forge, ForgeChange } from './forge.ts';

const projectSchema = z.object({
  default_branch: z.string().nullish(),
  archived: z.boolean().optional(),
  permissions: z.record(z.string(), z.object({ access_level: z.number() }).nullable()).optional(),
});

/** The access level of a developer, which allows pushes. */
const DEVELOPER = 30;

const branchSchema = z.object({
  name: z.string(),
  commit: z.object({ id: z.string(), committed_date: z.string() }),
});

const treeSchema = z.array(
  z.object({ id: z.string(), path: z.string(), type: z.string(), mode: z.string() }),
);

const commitSchema = z.object({
  id: z.string(),
  author_name: z.string(),
  title: z.string(),
  committed_date: z.string(),
  parent_ids: z.array(z.string()),
});

const RAW = { accept: '*/*' };
/** Entries per page, at most. */
const PAGE = 100;

/**
 * A project on GitLab. The host compares the last commit of each file with the expected one; its API cannot compare the whole
 * branch. Source: GitLab, "Commits API".
 */
export function createGitLab(client: ForgeClient, repository: string): Forge {
  const base = `/projects/${encodeURIComponent(repository)}`;

  /** The last commit that changed a file up to a commit. */
  async function lastCommit(path: string, commit: string): Promise<string | null> {
    const address = `${base}/repository/files/${encodeURIComponent(path)}?ref=${commit}`;
    return (await client.headers(address, { method: 'HEAD' })).get('x-gitlab-last-commit-id');
  }

  async function action({ path, bytes, before }: ForgeChange, commit: string) {
    return {
      action: bytes === null ? 'delete' : before === undefined ? 'create' : 'update',
      file_path: path,
      ...(bytes !== null && { content: toBase64(bytes), encoding: 'base64' }),
      ...(before && { last_commit_id: await lastCommit(path, commit) }),
    };
  }

  return {
    label: 'GitLab',
    repository,
    async access() {
      const { default_branch, archived, permissions = {} } = await client.json(projectSchema, base);
      const levels = Object.values(permissions).flatMap((access) => access?.access_level ?? []);
      const obstacle = archived
        ? `the project ${repository} is archived`
        : levels.length > 0 && Math.max(...levels) < DEVELOPER
          ? `the token may not write to ${repository}`
          : undefined;
      return { defaultBranch: default_branch ?? 'main', obstacle };
    },
    async head(name) {
      const path = `${base}/repository/branches/${encodeURIComponent(name)}`;
      const { name: branch, commit } = await client.json(branchSchema, path);
      return { branch, commit: commit.id, at: Date.parse(commit.committed_date) };
    },
    async tree({ commit }, folder) {
      const query = new URLSearchParams({
        ref: commit,
        ...(folder !== '' && { path: folder }),
        recursive: 'true',
        pagination: 'keyset',
        per_page: String(PAGE),
      });
      const start = folder === '' ? 0 : folder.length + 1;
      const pages = await client.pages(treeSchema, `${base}/repository/tree?${query}`).catch((error) => {
        if (error instanceof ForgeNotFoundError && folder !== '') return undefined;
        throw error;
      });
      if (pages === undefined) return undefined;
      const files = pages.flat().filter(({ type }) => type !== 'tree');
      return files.map(({ id, path, mode }) => ({ path: path.slice(start), sha: id, mode }));
    },
    blob: ({ sha }) => client.bytes(`${base}/repository/blobs/${sha}/raw`, RAW),
    fileAt: (path, commit) =>
      client.bytes(`${base}/repository/files/${encodeURIComponent(path)}/raw?ref=${commit}`, RAW),
    async versions(path, commit, most) {
      const query = new URLSearchParams({
        ref_name: commit,
        ...(path !== '' && { path }),
        per_page: String(Math.min(most, PAGE)),
      });
      const versions = await client.json(z.array(commitSchema), `${base}/repository/commits?${query}`);
      return versions.map(({ id, author_name, title, committed_date }) => ({
        commit: id,
        at: Math.floor(Date.parse(committed_date) / 1000),
        author: author_name,
        message: title,
      }));
    },
    async commit({ head, files, message, author }) {
      const body = {
        branch: head.branch,
        commit_message: message,
        ...(author && { author_name: author.name, author_email: author.mail }),
        actions: await Promise.all(files.map((file) => action(file, head.commit))),
      };
      const commit = await client.json(commitSchema, `${base}/repository/commits`, { method: 'POST', body });
      return {
        branch: head.branch,
        commit: commit.id,
        at: Date.parse(commit.committed_date),
        parent: commit.parent_ids[0] ?? '',
      };
    },
  };
}
