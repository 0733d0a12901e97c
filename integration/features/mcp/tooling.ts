import type { FeatureTooling } from '../../core/runtime/site.ts';
import { mcp } from './command.ts';
import { loadMcpSdk } from './load-mcp-sdk.ts';

const SDK_MODULE = 'astro-jsonapi:mcp-sdk';
const SERVER = '@modelcontextprotocol/sdk/server/mcp.js';
const TRANSPORT = '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';

export const tooling: FeatureTooling = {
  commands: [mcp],
  parts: () => ({ loadMcpSdk }),
  modules: () => ({
    [SDK_MODULE]: () =>
      [
        `import { McpServer } from '${SERVER}';`,
        `import { WebStandardStreamableHTTPServerTransport as Transport } from '${TRANSPORT}';`,
        'export default { McpServer, Transport };',
      ].join('\n'),
  }),
  serverParts: ({ settings, canImport }) =>
    settings().admin && canImport(SERVER) ? { loadMcpSdk: SDK_MODULE } : {},
};
