import type { Route } from '../../core/api/routes.ts';
import { EDITING } from '../../core/api/routes.ts';

/** Below `/jsonapi`. */
export const DRAFTS_SEGMENT = '_drafts';
export const SOURCES_SEGMENT = '_sources';
export const FAULTY_SEGMENT = '_faulty';

export const DRAFTS_ROUTES: readonly Route[] = [
  { ...EDITING, name: 'drafts', below: `/${DRAFTS_SEGMENT}`, methods: ['GET', 'POST'] },
  {
    ...EDITING,
    name: 'draft',
    below: `/${DRAFTS_SEGMENT}/[type]/[...id]`,
    methods: ['GET', 'POST', 'PATCH', 'DELETE'],
  },
  { ...EDITING, name: 'sources', below: `/${SOURCES_SEGMENT}` },
  { ...EDITING, name: 'source', below: `/${SOURCES_SEGMENT}/[...file]`, methods: ['GET', 'PATCH'] },
  { ...EDITING, name: 'faulty', below: `/${FAULTY_SEGMENT}/[...file]`, methods: ['GET', 'PATCH'] },
];
