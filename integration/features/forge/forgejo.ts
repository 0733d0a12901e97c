import { z } from 'zod';
import { toBase64 } from '../../core/util/base64.ts';
import type { ForgeClient } from './client.ts';
import { encodePath, type Forge } from './forge.ts';
import { gitAccess, gitTree, gitVersions } from './git-data.ts';

const branchSchema = z.object({
  name: z.string(),
  commit: z.object({ id: z.string(), timestamp: z.string() }),
});

const writtenSchema = z.object({
  commit: z.object({
    sha: z.string(),
    parents: z.array(z.object({ sha: z.string() })).nullish(),
    committer: z.object({ date: z.string() }),
  }),
});

/**
 * A repository on Forgejo or Gitea. The host compares the blob of each file with the expected one, and pushes without force.
 * Source: the API description of Forgejo, `repoChangeFiles`.
 */
export function createForgejo(client: ForgeClient, repository: string): Forge {
  const base = `/repos/${encodePath(repository)}`;
  const fileAt = (path: string, commit: string) =>
    client.bytes(`${base}/raw/${encodePath(path)}?ref=${commit}`, { accept: '*/*' });
  return {
    label: 'Forgejo',
    repository,
    access: () => gitAccess(client, base, repository),
    async head(name) {
      const path = `${base}/branches/${encodePath(name)}`;
      const { name: branch, commit } = await client.json(branchSchema, path);
      return { branch, commit: commit.id, at: Date.parse(commit.timestamp) };
    },
    tree: (head, folder) => gitTree(client, base, head, folder),
    // Blobs by hash are limited in size, and files are not.
    blob: ({ path, commit }) => fileAt(path, commit),
    fileAt,
    versions: (path, commit, most) => gitVersions(client, `${base}/commits`, { path, commit, most }, 'limit'),
    async commit({ head, files, message, author }) {
      const body = {
        branch: head.branch,
        message,
        ...(author && { author: { name: author.name, email: author.mail } }),
        files: files.map(({ path, bytes, before }) => ({
          operation: bytes === null ? 'delete' : before === undefined ? 'create' : 'update',
          path,
          ...(before && { sha: before.sha }),
          ...(bytes !== null && { content: toBase64(bytes) }),
        })),
      };
      const { commit } = await client.json(writtenSchema, `${base}/contents`, { method: 'POST', body });
      return {
        branch: head.branch,
        commit: commit.sha,
        at: Date.parse(commit.committer.date),
        parent: commit.parents?.[0]?.sha ?? '',
      };
    },
  };
}
