import type { OpenedHandlers } from '../../api/features.ts';
import { checkMethod } from '../../api/request.ts';
import { methodsOf } from '../../api/routes.ts';
import { serveMcp } from '../../server/mcp/mcp.ts';
import type { McpSdk } from '../../server/mcp/tools.ts';
import { NotFoundError } from '../../util/errors.ts';

declare module '../../runtime/feature.ts' {
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
