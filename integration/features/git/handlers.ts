import { readJsonApi } from '../../api/jsonapi/answer.ts';
import { listConflicts, resolveConflict, showConflict } from '../../api/jsonapi/conflicts.ts';
import type { RouteHandlers } from '../../api/route-handler.ts';
import { receiveGitHook } from '../../server/git-hook.ts';
import { withJobs } from '../../server/jobs.ts';

export const GIT_HANDLERS: RouteHandlers = {
  conflicts: { answer: listConflicts },
  conflict: { answer: showConflict, write: withJobs(resolveConflict) },
  'git-hook': { answer: readJsonApi, change: receiveGitHook },
};
