import { EDITING, type Route } from '../../core/api/routes.ts';

/** Below `/jsonapi`. */
export const DEPLOY_SEGMENT = '_deploy';
/** Below the base of the site and option `api.prefix`: a file of the published site. */
export const BUILD_FILE = '/jsonapi/build.json';

export const DEPLOY_ROUTES: readonly Route[] = [
  { ...EDITING, name: 'deploy', below: `/${DEPLOY_SEGMENT}`, methods: ['GET', 'POST'] },
  {
    ...EDITING,
    name: 'deployed-entry',
    below: `/${DEPLOY_SEGMENT}/[entityType]/[bundle]/[...id]`,
    methods: ['GET'],
  },
];
