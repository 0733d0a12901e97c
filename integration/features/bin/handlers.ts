import type { RouteHandlers } from '../../core/api/request.ts';
import { withJobs } from '../../core/server/jobs.ts';
import { changeBin, listBin, restoreSeveral, showInBin } from './bin.ts';

export const BIN_HANDLERS: RouteHandlers = {
  bin: { answer: listBin, write: withJobs(restoreSeveral) },
  'bin-entry': { answer: showInBin, write: withJobs(changeBin) },
};
