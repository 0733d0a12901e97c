import { JSONAPI_PATH } from '../../core/api/routes.ts';
import { JSON_MEDIA_TYPE } from '../../core/read/document-types.ts';
import type { Feature } from '../../core/runtime/site.ts';

/** Tools for agents: MCP. */
export const mcp: Feature = {
  name: 'mcp',
  routes: [
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
  ],
  open: async ({ site: { loadMcpSdk } }) => (await import('./open-mcp.ts')).openMcp(loadMcpSdk),
};
