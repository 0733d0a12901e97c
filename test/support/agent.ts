import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import type { Actor } from '../../integration/core/access/actor.ts';
import { loadMcpSdk } from '../../integration/features/mcp/load-mcp-sdk.ts';
import { createMcpServer } from '../../integration/features/mcp/tools.ts';
import { fetchFrom } from './request.ts';

/** An agent that calls the MCP tools of a site as an actor. */
export async function connectAgent(handle: Parameters<typeof fetchFrom>[0], actor: Actor): Promise<Client> {
  const [here, there] = InMemoryTransport.createLinkedPair();
  const server = createMcpServer(await loadMcpSdk(), {
    send: (path, init) => fetchFrom(handle, path, { ...init, actor }),
    writes: true,
    site: undefined,
  });
  const client = new Client({ name: 'test', version: '1' });
  await Promise.all([server.connect(there), client.connect(here)]);
  return client;
}
