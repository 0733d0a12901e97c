import { checkJsonAccept } from '../../core/api/accept.ts';
import type { RouteHandlers } from '../../core/api/request.ts';
import { type JobForm, jobHandler, withJobs } from '../../core/server/jobs.ts';
import { readBundles, readRest, restOptions } from './document.ts';
import { createBundleNames } from './names.ts';
import { createRestServerLinks } from './rest-links.ts';
import { writeRest } from './write.ts';

const JOBS: JobForm = {
  empty: {},
  link: (href) => href,
  document: ({ id, attributes, self, entity }) => ({
    data: { id, type: 'job', ...attributes },
    links: { self, ...(entity && { entity }) },
  }),
  entityAddress({ services: { settings, store }, target, access }, type, { id, translation }) {
    const names = createBundleNames(store.types.values(), settings.plurals);
    const links = createRestServerLinks(settings, names, { ...target, query: '' }, access);
    return translation === undefined ? links.entity(type, id) : links.translation(type, id, translation);
  },
  checkAccept: checkJsonAccept,
};

export const REST_HANDLERS: RouteHandlers = {
  'rest-job': jobHandler(JOBS),
  'rest-entry': { answer: readBundles },
  rest: { answer: readRest, options: restOptions, write: withJobs(writeRest, JOBS) },
};
