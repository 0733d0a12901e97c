import type { Target } from '../../core/api/match-route.ts';
import type { Services } from '../../core/api/request.ts';
import { foreignSender, senderOf } from '../../core/server/cross-site.ts';
import { readBody } from '../../core/server/read-body.ts';
import { DomainError, UnauthorizedError } from '../../core/util/errors.ts';
import { createMcpServer, type McpSdk, type SendToApi } from './tools.ts';

export interface McpDeps {
  readonly services: Pick<Services, 'settings' | 'writer'>;
  /** Loads the package. Throws if it is not installed. */
  readonly loadSdk: () => Promise<McpSdk>;
}

export interface McpRequest {
  readonly request: Request;
  readonly target: Target;
  /** Account name; null for anonymous. */
  readonly account: string | null;
  readonly send: SendToApi;
}

/**
 * Serves one request of MCP's "Streamable HTTP", without sessions: a response is one JSON document. Only accounts may use
 * it, so a page whose name was bound to this server (DNS rebinding) has no access: it has no credentials of this site.
 * Source: MCP 2025-11-25, "Transports".
 */
export async function serveMcp({ services, loadSdk }: McpDeps, mcp: McpRequest): Promise<Response> {
  const { request, target, account, send } = mcp;
  const { settings, writer } = services;
  if (senderOf({ url: target.url, headers: request.headers }) === 'foreign') throw foreignSender(request);
  if (account === null)
    throw new UnauthorizedError('Sign in to use the tools: send a bearer token or HTTP Basic.');
  const body = await readBody(request, settings.limits, 'bodyBytes');
  const sdk = await loadSdk();
  const server = createMcpServer(sdk, { send, writes: writer !== null, site: settings.site });
  const transport = new sdk.Transport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    const { url, headers, signal } = request;
    const response = await transport.handleRequest(
      new Request(url, { method: 'POST', headers, body, signal }),
    );
    response.headers.set('cache-control', 'no-store');
    response.headers.set('x-content-type-options', 'nosniff');
    return response;
  } finally {
    await server.close();
  }
}

export function missingMcpSdk(): DomainError {
  return new DomainError(
    'not-supported',
    'Tools for agents need the package @modelcontextprotocol/sdk. Install it: npm install @modelcontextprotocol/sdk',
  );
}
