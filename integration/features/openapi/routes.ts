import type { Route } from '../../core/api/routes.ts';
import { JSON_OF_JSONAPI } from '../../core/api/routes.ts';

export const OPENAPI_PATH = '/jsonapi/openapi.json';

export const OPENAPI_ROUTES: readonly Route[] = [
  { ...JSON_OF_JSONAPI, name: 'openapi', path: OPENAPI_PATH, cached: true, prebuilt: 'last' },
];
