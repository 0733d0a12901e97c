import { missingMcpSdk } from './mcp.ts';
import type { McpSdk } from './tools.ts';

/** Loads the optional package @modelcontextprotocol/sdk. Throws `not-supported` if it is not installed. */
export async function loadMcpSdk(): Promise<McpSdk> {
  try {
    const [{ McpServer }, { WebStandardStreamableHTTPServerTransport: Transport }] = await Promise.all([
      import('@modelcontextprotocol/sdk/server/mcp.js'),
      import('@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'),
    ]);
    return { McpServer, Transport };
  } catch {
    throw missingMcpSdk();
  }
}
