import { readJsonApi } from '../../core/api/jsonapi/answer.ts';
import { editingSettings } from '../../core/options/options.ts';
import type { OpenedFeature, OpeningRuntime } from '../../core/runtime/site.ts';
import { withJobs } from '../../core/server/jobs.ts';
import { errorMessage } from '../../core/util/text.ts';
import { listConflicts, resolveConflict, showConflict } from './conflicts-api.ts';
import { createConflicts, type DecodedConflicts, visibleConflicts } from './content-conflicts.ts';
import { openGitCommits } from './git-commits.ts';
import { receiveGitHook } from './git-hook.ts';

/** Commits changes of the content folder, if option `editing.git` is set. */
export function openGit({ site, log }: Pick<OpeningRuntime, 'site' | 'log'>): OpenedFeature {
  const { git: options } = editingSettings(site.options);
  let conflicts: DecodedConflicts | undefined;
  return {
    handlers: {
      conflicts: { answer: (request) => listConflicts(request, conflicts) },
      conflict: {
        answer: (request) => showConflict(request, conflicts),
        write: withJobs((request) => resolveConflict(request, conflicts)),
      },
      'git-hook': { answer: readJsonApi, change: receiveGitHook },
    },
    async recordChanges({ folder, collector, store, ...deps }) {
      if (options === false || folder === undefined) return undefined;
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
