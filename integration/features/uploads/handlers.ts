import type { RouteHandlers } from '../../core/api/request.ts';
import { withJobs } from '../../core/server/jobs.ts';
import { addFile, changeFile, listFiles, showFile } from './files.ts';

export const FILE_HANDLERS: RouteHandlers = {
  files: { answer: listFiles, write: withJobs(addFile) },
  file: { answer: showFile, write: withJobs(changeFile) },
};
