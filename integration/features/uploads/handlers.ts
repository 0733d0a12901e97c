import { addFile, changeFile, listFiles, showFile } from '../../api/jsonapi/files.ts';
import type { RouteHandlers } from '../../api/route-handler.ts';
import { withJobs } from '../../server/jobs.ts';

export const FILE_HANDLERS: RouteHandlers = {
  files: { answer: listFiles, write: withJobs(addFile) },
  file: { answer: showFile, write: withJobs(changeFile) },
};
