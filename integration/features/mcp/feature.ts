import type { Feature } from '../../core/runtime/site.ts';
import { MCP_ROUTES } from './routes.ts';

/** Tools for agents: MCP. */
export const mcp: Feature = {
  name: 'mcp',
  // Agents change content with it.
  needs: ['operations'],
  routes: MCP_ROUTES,
  open: async ({ site: { loadMcpSdk } }) => (await import('./open-mcp.ts')).openMcp(loadMcpSdk),
  tooling: async () => (await import('./tooling.ts')).tooling,
};
