/** Public entry `astro-jsonapi/storage`: the values of option `storage`. */
import type { StorageOptions } from './features/forge/options.ts';

export type { StorageOptions } from './features/forge/options.ts';

/** The location of the content on a git host. */
export type RepositoryOptions = Omit<StorageOptions, 'forge'>;

/**
 * A repository on GitHub.
 *
 * ```ts
 * jsonapi({ storage: github({ repository: 'team/site' }) });
 * ```
 */
export function github(options: RepositoryOptions): StorageOptions {
  return { ...options, forge: 'github' };
}

/** A project on GitLab. */
export function gitlab(options: RepositoryOptions): StorageOptions {
  return { ...options, forge: 'gitlab' };
}

/**
 * A repository at any address that git can fetch from and push to, with the credentials of git on the server.
 *
 * ```ts
 * jsonapi({ storage: git({ repository: 'git@git.example:team/site.git' }) });
 * ```
 */
export function git(options: Omit<RepositoryOptions, 'token' | 'url'>): StorageOptions {
  return { ...options, forge: 'git' };
}

/** A repository on Forgejo, such as Codeberg, or on Gitea. */
export function forgejo(options: RepositoryOptions): StorageOptions {
  return { ...options, forge: 'forgejo' };
}
