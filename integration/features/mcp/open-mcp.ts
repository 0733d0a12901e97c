import { checkMethod, type OpenedHandlers } from '../../core/api/request.ts';
import { methodsOf } from '../../core/api/routes.ts';
import { NotFoundError } from '../../core/util/errors.ts';
import { serveMcp } from './mcp.ts';
import type { McpSdk } from './tools.ts';

declare module '../../core/runtime/site.ts' {
  interface SiteParts {
    /** Loads the optional package for agents. Throws if it is not installed. */
    readonly loadMcpSdk?: () => Promise<McpSdk>;
  }
}

/** Serves tools, which send requests to the API with the credentials of their own request. */
export function openMcp(loadSdk: () => Promise<McpSdk> = noTools): OpenedHandlers {
  return {
    handlers: {
      mcp: {
        async respond({ request, target, services, visitor, send }) {
          const { actor } = await visitor();
          const methods = methodsOf(target.route);
          checkMethod(request.method, methods);
          if (request.method === 'OPTIONS')
            return new Response(null, { status: 204, headers: { allow: methods.join(', ') } });
          return serveMcp({ services: services(), loadSdk }, { request, target, account: actor.name, send });
        },
      },
    },
  };
}

async function noTools(): Promise<never> {
  throw new NotFoundError('This server has no tools for agents.');
}
