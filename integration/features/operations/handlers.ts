import { readJsonApi } from '../../core/api/jsonapi/answer.ts';
import type { RouteHandlers } from '../../core/api/request.ts';
import { withJobs } from '../../core/server/jobs.ts';
import { performOperations } from './operations.ts';

export const OPERATION_HANDLERS: RouteHandlers = {
  operations: { answer: readJsonApi, write: withJobs(performOperations) },
};
