import { z } from 'zod';
import { BOOLEAN, gitName, VARIABLE } from '../../core/options/fields.ts';
import type { EditingFields, OptionFields, Options, ReportOption } from '../../core/options/options.ts';

declare module '../../core/options/options.ts' {
  interface JsonapiOptions {
    /**
     * Secret of the webhook at `/jsonapi/hooks/git`, which a git host calls after a push: `env:` and the name of an environment
     * variable of the server. Default: none.
     */
    readonly gitHookSecret?: string | undefined;
  }
  interface EditingOptions {
    /** Commit changes to git. docs/git.md describes the settings. Default: `false`. */
    readonly git?: boolean | GitInput | undefined;
  }
  interface Options {
    gitHookSecret?: string | undefined;
  }
  interface Editing {
    git: false | GitOptions;
  }
}

const gitSchema = z.strictObject({
  commit: z
    .union([z.literal('each'), z.strictObject({ quiet: z.number().min(1).max(86_400) })])
    .describe("'each', or { quiet: seconds } with seconds from 1 to 86400")
    .default('each'),
  branch: gitName.optional(),
  push: z
    .union([z.boolean(), z.strictObject({ remote: gitName.optional(), branch: gitName.optional() })])
    .describe("true, false or { remote: 'name', branch: 'name' }")
    .default(false),
  pull: BOOLEAN.default(false),
  acknowledge: z.enum(['file', 'commit', 'push']).describe("'file', 'commit' or 'push'").optional(),
  message: z
    .strictObject({ one: z.string().regex(/\S/).optional(), many: z.string().regex(/\S/).optional() })
    .describe("{ one: '[Action] [type] \"[title]\"', many: 'Change content' }")
    .default({}),
  committer: z
    .strictObject({ name: z.string().regex(/[\p{L}\p{N}]/u), mail: z.email() })
    .describe('{ name, mail }')
    .optional(),
});

/** Option `editing.git` if it is on. */
export type GitOptions = z.output<typeof gitSchema>;
export type GitInput = z.input<typeof gitSchema>;

export const GIT_OPTIONS = {
  gitHookSecret: z
    .string()
    .regex(VARIABLE)
    .meta({ description: "a variable such as 'env:GIT_HOOK_SECRET'", secret: true })
    .optional(),
  editing: {
    git: z
      .union([z.literal(false), z.literal(true).transform(() => gitSchema.parse({})), gitSchema])
      .meta({
        description: 'true, false or { commit, branch, push, pull, acknowledge, message, committer }',
        replaces: 'git',
      })
      .default(false),
  },
} satisfies OptionFields<'gitHookSecret'> & { editing: EditingFields<'git'> };

/** Option `editing.git`; undefined if it is off. */
export function gitSettings({ editing }: Pick<Options, 'editing'>): GitOptions | undefined {
  return editing === false || editing.git === false ? undefined : editing.git;
}

/** With option `storage`, the driver commits each change. */
export function checkGitOptions(
  options: Options & { readonly storage?: unknown },
  report: ReportOption,
): void {
  const git = gitSettings(options);
  const isStored = options.storage !== undefined;
  if (isStored && git !== undefined && hasCommitSettings(git)) {
    report(
      'editing.git',
      'with option storage, each change is a commit on its branch, and only `message` applies.',
    );
  }
  if (options.gitHookSecret !== undefined && !isStored && git?.pull !== true) {
    report('gitHookSecret', 'it needs option storage, or editing.git.pull.');
  }
  if (git === undefined) return;
  const { push, pull, acknowledge, branch } = git;
  if (pull && push === false) report('editing.git.pull', 'it needs editing.git.push.');
  if (pull && branch !== undefined)
    report('editing.git.pull', 'only the branch that is checked out can be followed.');
  if (acknowledge === 'push' && push === false)
    report('editing.git.acknowledge', 'it needs editing.git.push.');
}

/** True if a setting differs from its default, other than `message`. */
function hasCommitSettings({ commit, branch, push, pull, acknowledge, committer }: GitOptions): boolean {
  return (
    commit !== 'each' ||
    push !== false ||
    pull ||
    (acknowledge ?? 'file') !== 'file' ||
    (branch ?? committer) !== undefined
  );
}
