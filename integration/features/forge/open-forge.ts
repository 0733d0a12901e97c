import { createForgeClient, type ForgeClientDeps } from './client.ts';
import type { Forge } from './forge.ts';
import { createForgejo } from './forgejo.ts';
import { createGitHub } from './github.ts';
import { createGitLab } from './gitlab.ts';

export interface ForgeAddress {
  readonly forge: 'github' | 'gitlab' | 'forgejo';
  readonly repository: string;
  /** The address of the host without a slash at its end; undefined for the usual one. */
  readonly url?: string | undefined;
}

/** Connects to the API of a git host. `token` is undefined for a public repository, which can then only be read. */
export function openForge(
  { forge, repository, url }: ForgeAddress,
  { token, ...deps }: Pick<ForgeClientDeps, 'token' | 'fetch' | 'timeoutMs' | 'retryDelaysMs'>,
): Forge {
  const { label, apiOf, create, headers } = FORGES[forge];
  return create(createForgeClient({ ...deps, label, url: apiOf(url), token, headers }), repository);
}

const FORGES = {
  github: {
    label: 'GitHub',
    apiOf: (url = GITHUB) => (url === GITHUB ? 'https://api.github.com' : `${url}/api/v3`),
    headers: { 'x-github-api-version': '2022-11-28' },
    create: createGitHub,
  },
  gitlab: {
    label: 'GitLab',
    apiOf: (url = 'https://gitlab.com') => `${url}/api/v4`,
    headers: {},
    create: createGitLab,
  },
  forgejo: { label: 'Forgejo', apiOf: (url = '') => `${url}/api/v1`, headers: {}, create: createForgejo },
} as const;

const GITHUB = 'https://github.com';
