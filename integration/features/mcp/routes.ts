import type { Route } from '../../core/api/routes.ts';
import { JSONAPI_PATH } from '../../core/api/routes.ts';
import { JSON_MEDIA_TYPE } from '../../core/read/document-types.ts';

export const MCP_ROUTES: readonly Route[] = [
  {
    // A change of a tool is a request to `operations`.
    errors: 'rpc',
    contentType: JSON_MEDIA_TYPE,
    name: 'mcp',
    prefixed: true,
    path: JSONAPI_PATH,
    below: '/mcp',
    option: 'admin',
    methods: ['POST'],
  },
];
