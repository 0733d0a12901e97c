import type { RouteHandlers } from '../../core/api/request.ts';
import { withJobs } from '../../core/server/jobs.ts';
import { addTemplate, listTemplates, removeTemplate, showTemplate } from './templates.ts';

export const TEMPLATE_HANDLERS: RouteHandlers = {
  templates: { answer: listTemplates, write: withJobs(addTemplate) },
  template: { answer: showTemplate, write: withJobs(removeTemplate) },
};
