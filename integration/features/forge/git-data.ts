import { z } from 'zod';
import type { FileVersion } from '../../core/storage/driver.ts';
import type { ForgeClient } from './client.ts';
import type { ForgeAccess, Head, TreeFile } from './forge.ts';

// GitHub and Forgejo answer these requests in the same form.

const repositorySchema = z.object({
  default_branch: z.string(),
  archived: z.boolean().optional(),
  permissions: z.object({ push: z.boolean() }).optional(),
});

const entrySchema = z.object({
  path: z.string(),
  mode: z.string(),
  type: z.string(),
  sha: z.string(),
  size: z.number().optional(),
});
const treeSchema = z.object({
  tree: z.array(entrySchema),
  truncated: z.boolean().optional(),
  /** Forgejo lists large trees in pages. */
  page: z.number().optional(),
});
type Entry = z.output<typeof entrySchema>;

const versionsSchema = z.array(
  z.object({
    sha: z.string(),
    commit: z.object({
      message: z.string(),
      author: z.object({ name: z.string() }),
      committer: z.object({ date: z.string() }),
    }),
  }),
);

/** Entries per page on Forgejo; GitHub ignores it. */
const PAGE = 1000;

export async function gitAccess(client: ForgeClient, base: string, repository: string): Promise<ForgeAccess> {
  const { default_branch, archived, permissions } = await client.json(repositorySchema, base);
  const obstacle = archived
    ? `the repository ${repository} is archived`
    : permissions?.push === false
      ? `the token may not write to ${repository}`
      : undefined;
  return { defaultBranch: default_branch, obstacle };
}

/** The files below a folder. Only the folders on the way to it and the folder itself are listed. */
export async function gitTree(
  client: ForgeClient,
  base: string,
  head: Head,
  folder: string,
): Promise<readonly TreeFile[] | undefined> {
  async function list(sha: string, recursive: boolean): Promise<{ entries: Entry[]; isWhole: boolean }> {
    const entries: Entry[] = [];
    for (let page = 1; ; page++) {
      const query = `${recursive ? 'recursive=1&' : ''}per_page=${PAGE}&page=${page}`;
      const listed = await client.json(treeSchema, `${base}/git/trees/${sha}?${query}`);
      entries.push(...listed.tree);
      if (listed.truncated !== true) return { entries, isWhole: true };
      // GitHub has no pages, and cuts a tree off.
      if (listed.page === undefined || listed.tree.length === 0) return { entries, isWhole: false };
    }
  }

  async function filesBelow(sha: string, prefix: string): Promise<readonly TreeFile[]> {
    const all = await list(sha, true);
    if (all.isWhole)
      return all.entries.filter(isFile).map((entry) => ({ ...entry, path: prefix + entry.path }));
    const { entries } = await list(sha, false);
    const files: TreeFile[] = entries
      .filter(isFile)
      .map((entry) => ({ ...entry, path: prefix + entry.path }));
    for (const { type, path, sha } of entries) {
      if (type === 'tree') files.push(...(await filesBelow(sha, `${prefix}${path}/`)));
    }
    return files;
  }

  let sha = head.tree ?? head.commit;
  for (const name of folder.split('/').filter((each) => each !== '')) {
    const { entries } = await list(sha, false);
    const next = entries.find(({ path, type }) => path === name && type === 'tree');
    if (next === undefined) return undefined;
    sha = next.sha;
  }
  return filesBelow(sha, '');
}

function isFile({ type }: Entry): boolean {
  return type !== 'tree';
}

/** `size` is the name of the parameter for the number of commits. */
export async function gitVersions(
  client: ForgeClient,
  address: string,
  { path, commit, most }: { readonly path: string; readonly commit: string; readonly most: number },
  size: 'per_page' | 'limit',
): Promise<readonly FileVersion[]> {
  const query = new URLSearchParams({
    sha: commit,
    ...(path !== '' && { path }),
    [size]: String(most),
    stat: 'false',
  });
  const versions = await client.json(versionsSchema, `${address}?${query}`);
  return versions.slice(0, most).map(({ sha, commit: { message, author, committer } }) => ({
    commit: sha,
    at: Math.floor(Date.parse(committer.date) / 1000),
    author: author.name,
    message: message.split('\n', 1)[0] ?? '',
  }));
}
