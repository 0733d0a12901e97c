import { z } from 'zod';
import { folderSchema, gitName, VARIABLE } from '../../core/options/fields.ts';
import type { OptionFields, Options, ReportOption } from '../../core/options/options.ts';
import { normalizeKey } from '../../core/storage/key.ts';

declare module '../../core/options/options.ts' {
  interface JsonapiOptions {
    /**
     * The repository of the content on a git host, which a built server reads and writes over the host's API. See
     * `astro-jsonapi/storage`. Default: the content folder.
     */
    readonly storage?: StorageOptions | undefined;
  }
  interface Options {
    storage?: Storage | undefined;
  }
}

export interface StorageOptions {
  /** The API of the host; Gitea has that of Forgejo. `'git'` for the git protocol. */
  readonly forge: 'github' | 'gitlab' | 'forgejo' | 'git';
  /** Owner and name of the repository, such as `'team/site'`. For `'git'`, an address such as `'git@git.example:team/site.git'`. */
  readonly repository: string;
  /** Branch of the content. Default: the default branch of the repository. */
  readonly branch?: string | undefined;
  /** Content folder in the repository; `'.'` for its top. Default: `contentDir`. */
  readonly folder?: string | undefined;
  /**
   * `env:` and the name of an environment variable of the server. Default: `'env:GITHUB_TOKEN'`, `'env:GITLAB_TOKEN'` or
   * `'env:FORGEJO_TOKEN'`.
   */
  readonly token?: string | undefined;
  /** Address of the host; required for Forgejo and Gitea. Default: `'https://github.com'` or `'https://gitlab.com'`. */
  readonly url?: string | undefined;
}

const storageSchema = z
  .strictObject({
    forge: z.enum(['github', 'gitlab', 'forgejo', 'git']).describe("'github', 'gitlab', 'forgejo' or 'git'"),
    repository: z.string().min(1).describe("owner and name, such as 'team/site'"),
    branch: gitName.optional(),
    folder: folderSchema.describe("a folder of the repository, such as 'site/content', or '.'").optional(),
    // A literal token would be in the build.
    token: z
      .string()
      .regex(VARIABLE)
      .meta({ description: "a variable such as 'env:GITHUB_TOKEN'", secret: true })
      .optional(),
    url: z
      .string()
      .refine((url) => /^https?:\/\//.test(url) && URL.canParse(url))
      .transform((url) => url.replace(/(?<!\/)\/+$/, ''))
      .describe("an http or https URL such as 'https://git.example'")
      .optional(),
  })
  .superRefine(({ forge, repository, url, token }, { addIssue }) => {
    const report = (name: string, detail: string) =>
      addIssue({ code: 'custom', path: [name], params: { detail } });
    if (forge === 'forgejo' && url === undefined) {
      report('url', "Forgejo and Gitea need the address of the host, such as 'https://codeberg.org'.");
    }
    if (forge !== 'git') {
      if (!isRepositoryName(repository))
        report('repository', "it must be owner and name, such as 'team/site'.");
    } else if (!isGitAddress(repository)) {
      report(
        'repository',
        "it must be an address without a password, such as 'git@git.example:team/site.git'.",
      );
    } else if ((url ?? token) !== undefined) {
      report(
        url === undefined ? 'token' : 'url',
        'git has its own credentials, and the address is the repository.',
      );
    }
  })
  .describe("a repository, such as github({ repository: 'team/site' })");

/** Option `storage` if it is set. */
export type Storage = z.output<typeof storageSchema>;

export const FORGE_OPTIONS = { storage: storageSchema.optional() } satisfies OptionFields<'storage'>;

export function checkForgeOptions({ storage, contentDir }: Options, report: ReportOption): void {
  if (storage === undefined || storage.folder !== undefined) return;
  if (/^(?:[/\\]|\.\.|[A-Za-z]:)/.test(contentDir)) {
    report(
      'storage.folder',
      'set the content folder in the repository, because contentDir is not in the project.',
    );
  }
}

/** False for options of git, for `ext::`, which starts programs, and with a password, which would be in the build. */
function isGitAddress(address: string): boolean {
  if (/^-|^\w+::/.test(address)) return false;
  if (!URL.canParse(address)) return true;
  const { protocol, username, password } = new URL(address);
  return password === '' && (username === '' || !protocol.startsWith('http'));
}

function isRepositoryName(name: string): boolean {
  return /^[\w.-]+(?:\/[\w.-]+)+$/.test(name) && normalizeKey(name) === name;
}
