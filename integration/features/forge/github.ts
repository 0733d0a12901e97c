import { z } from 'zod';
import { toBase64 } from '../../core/util/base64.ts';
import { decodeUtf8 } from '../../core/util/text.ts';
import type { ForgeClient } from './client.ts';
import { encodePath, type Forge, type ForgeChange } from './forge.ts';
import { gitAccess, gitTree, gitVersions } from './git-data.ts';

const branchSchema = z.object({
  name: z.string(),
  commit: z.object({
    sha: z.string(),
    commit: z.object({ tree: z.object({ sha: z.string() }), committer: z.object({ date: z.string() }) }),
  }),
});

const objectSchema = z.object({ sha: z.string() });
const commitSchema = objectSchema.extend({ committer: z.object({ date: z.string() }) });

const RAW = { accept: 'application/vnd.github.raw+json' };

/**
 * A repository on GitHub. A commit is created from its parts, because `createCommitOnBranch` cannot set an author. The branch
 * is moved without force, so the last request fails if it has moved. Source: GitHub, "REST API endpoints for Git database".
 */
export function createGitHub(client: ForgeClient, repository: string): Forge {
  const base = `/repos/${encodePath(repository)}`;

  async function treeEntry({ path, bytes, before }: ForgeChange) {
    const entry = { path, mode: before?.mode ?? '100644', type: 'blob' };
    if (bytes === null) return { ...entry, sha: null };
    const content = decodeUtf8(bytes);
    if (content !== undefined) return { ...entry, content };
    const body = { content: toBase64(bytes), encoding: 'base64' };
    const { sha } = await client.json(objectSchema, `${base}/git/blobs`, { method: 'POST', body });
    return { ...entry, sha };
  }

  return {
    label: 'GitHub',
    repository,
    access: () => gitAccess(client, base, repository),
    async head(name) {
      const path = `${base}/branches/${encodeURIComponent(name)}`;
      const { name: branch, commit } = await client.json(branchSchema, path);
      const { tree, committer } = commit.commit;
      return { branch, commit: commit.sha, tree: tree.sha, at: Date.parse(committer.date) };
    },
    tree: (head, folder) => gitTree(client, base, head, folder),
    blob: ({ sha }) => client.bytes(`${base}/git/blobs/${sha}`, RAW),
    fileAt: (path, commit) => client.bytes(`${base}/contents/${encodePath(path)}?ref=${commit}`, RAW),
    versions: (path, commit, most) =>
      gitVersions(client, `${base}/commits`, { path, commit, most }, 'per_page'),
    async commit({ head, files, message, author }) {
      const post = async <S extends z.ZodType>(schema: S, path: string, body: unknown) =>
        client.json(schema, `${base}/git/${path}`, { method: 'POST', body });
      const entries = await Promise.all(files.map(treeEntry));
      const tree = await post(objectSchema, 'trees', { base_tree: head.tree, tree: entries });
      const commit = await post(commitSchema, 'commits', {
        message,
        tree: tree.sha,
        parents: [head.commit],
        ...(author && { author: { name: author.name, email: author.mail } }),
      });
      await client.json(z.unknown(), `${base}/git/refs/heads/${encodePath(head.branch)}`, {
        method: 'PATCH',
        body: { sha: commit.sha, force: false },
      });
      return {
        branch: head.branch,
        commit: commit.sha,
        tree: tree.sha,
        at: Date.parse(commit.committer.date),
        parent: head.commit,
      };
    },
  };
}
