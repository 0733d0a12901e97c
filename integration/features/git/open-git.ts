import { readJsonApi } from '../../core/api/jsonapi/answer.ts';
import { optionValue, variableIn } from '../../core/options/fields.ts';
import type { OpenedFeature, OpeningRuntime, Site } from '../../core/runtime/site.ts';
import { withJobs } from '../../core/server/jobs.ts';
import { errorMessage } from '../../core/util/text.ts';
import { listConflicts, resolveConflict, showConflict } from './conflicts-api.ts';
import { createConflicts, type DecodedConflicts, visibleConflicts } from './content-conflicts.ts';
import { openGitCommits } from './git-commits.ts';
import { receiveGitHook } from './git-hook.ts';
import { gitSettings } from './options.ts';

/** Commits changes of the content folder, if option `editing.git` is set. */
export function openGit({ site, log }: Pick<OpeningRuntime, 'site' | 'log'>): OpenedFeature {
  const options = gitSettings(site.options);
  const secret = hookSecret(site, log.warn);
  let conflicts: DecodedConflicts | undefined;
  return {
    handlers: {
      conflicts: { answer: (request) => listConflicts(request, conflicts) },
      conflict: {
        answer: (request) => showConflict(request, conflicts),
        write: withJobs((request) => resolveConflict(request, conflicts)),
      },
      'git-hook': { answer: readJsonApi, change: (request) => receiveGitHook(request, secret) },
    },
    commitMessages: options?.message,
    async recordChanges({ folder, collector, store, ...deps }) {
      if (options === undefined || folder === undefined) return undefined;
      const opened = await openGitCommits({ ...deps, options, folder, log }).catch((cause: unknown) => {
        throw new Error(`option editing.git is set and changes cannot be committed: ${errorMessage(cause)}`, {
          cause,
        });
      });
      conflicts = opened.conflicts && createConflicts(opened.conflicts, collector, store);
      return {
        ...opened,
        conflicts: conflicts && { visible: (...args) => visibleConflicts(conflicts, ...args) },
      };
    },
  };
}

/** The secret of webhooks of the git host; undefined if they are not accepted. */
function hookSecret(
  { options: { gitHookSecret }, environment }: Site,
  warn: (message: string) => void,
): string | undefined {
  if (gitHookSecret === undefined || environment === undefined) return undefined;
  const secret = optionValue(gitHookSecret, environment);
  if (secret !== undefined) return secret;
  const variable = variableIn(gitHookSecret);
  warn(
    `Option gitHookSecret: the environment variable ${variable} is not set, so webhooks are not accepted.`,
  );
  return undefined;
}
