import { ADMIN_PATH, EXPLORER_PATH, STATUS_SEGMENT } from '../../core/api/paths.ts';
import { ANY_PATH, JSON_OF_JSONAPI, JSONAPI, PAGE, type Route } from '../../core/api/routes.ts';

export const EXCERPTS_SEGMENT = '_excerpts';

/** Pages of the admin, and Drupal's addresses of such pages. */
const ADMIN = { ...PAGE, option: 'admin', exact: true, replaceable: 'below' } as const;
const EXPLORER = { ...JSON_OF_JSONAPI, option: 'explorer', forAdmin: true } as const;

export const ADMIN_ROUTES: readonly Route[] = [
  { ...JSONAPI, name: 'me', below: '/_me', option: 'admin' },
  { ...JSONAPI, name: 'excerpts', below: `/${EXCERPTS_SEGMENT}`, option: 'admin' },
  { ...JSONAPI, name: 'status', below: `/${STATUS_SEGMENT}`, option: 'admin' },
  {
    ...EXPLORER,
    name: 'explorer-schema',
    path: `${EXPLORER_PATH}/schema.json`,
    cached: 'coded',
    prebuilt: true,
  },
  { ...EXPLORER, name: 'explorer-explain', path: `${EXPLORER_PATH}/explain.json` },
  { ...JSONAPI, name: 'explorer', path: EXPLORER_PATH, option: 'explorer', prebuilt: true },
  { ...ADMIN, name: 'admin', path: ADMIN_PATH, below: ANY_PATH },
  { ...ADMIN, name: 'add-link', part: 'drupal', path: '/node', below: '/add/[bundle]' },
  { ...ADMIN, name: 'edit-link', part: 'drupal', path: '/node', below: '/[id]/edit' },
];
