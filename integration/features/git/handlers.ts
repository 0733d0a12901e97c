import { readJsonApi } from '../../core/api/jsonapi/answer.ts';
import type { RouteHandlers } from '../../core/api/request.ts';
import { withJobs } from '../../core/server/jobs.ts';
import { listConflicts, resolveConflict, showConflict } from './conflicts-api.ts';
import { receiveGitHook } from './git-hook.ts';

export const GIT_HANDLERS: RouteHandlers = {
  conflicts: { answer: listConflicts },
  conflict: { answer: showConflict, write: withJobs(resolveConflict) },
  'git-hook': { answer: readJsonApi, change: receiveGitHook },
};
