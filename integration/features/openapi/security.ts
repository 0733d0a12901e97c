import { ANONYMOUS } from '../../core/access/actor.ts';
import type { Operation, RawOperation } from '../../core/api/description.ts';
import type { JsonSchema } from '../../core/api/json-schema.ts';
import type { Services } from '../../core/api/request.ts';
import { CHANGING_METHODS, type Method } from '../../core/api/routes.ts';
import type { ResourceType } from '../../core/content/model.ts';
import type { ApiSettings } from '../../core/read/settings.ts';

/** How clients authenticate. Source: OpenAPI Specification 3.1.1, "Security Scheme Object". */
export function securitySchemes({ signIn, sessionCookie }: ApiSettings): JsonSchema {
  if (!signIn) return {};
  return {
    basic: { type: 'http', scheme: 'basic' },
    bearer: { type: 'http', scheme: 'bearer', description: 'A token of an account, or of `/oauth/token`.' },
    ...(sessionCookie && {
      session: { type: 'apiKey', in: 'cookie', name: sessionCookie, description: 'Set by `/user/login`.' },
      csrf: {
        ...{ type: 'apiKey', in: 'header', name: 'X-CSRF-Token' },
        description: 'Proves that no other site sends the session. Pages of the site itself need no token.',
      },
    }),
  };
}

/**
 * The ways to send an operation, any of which works. `{}` stands for no credentials: to read what visitors see, and to change
 * what their role may. Source: OpenAPI Specification 3.1.1, "Security Requirement Object".
 */
export function createSecurity(services: Services) {
  const schemes = securitySchemes(services.settings);
  const anonymous = services.access(ANONYMOUS);
  const all = [...services.store.types.values()];

  function isOpen({ refusals, errors, actions = [] }: Operation, types: readonly ResourceType[]): boolean {
    if (refusals === undefined) return errors?.[401] === undefined;
    return types.some((type) => actions.some((action) => anonymous.filterFor(action, type) !== false));
  }

  function waysToSend(method: Method, operation: Operation, types: readonly ResourceType[]): JsonSchema[] {
    const session = CHANGING_METHODS.includes(method) ? SESSION_OF_CHANGES : { session: [] };
    return [...(isOpen(operation, types) ? [{}] : []), { basic: [] }, { bearer: [] }, session];
  }

  return (method: Method, operation: Operation | RawOperation, type?: ResourceType): JsonSchema[] => {
    const ways =
      'responses' in operation
        ? (operation.security ?? waysToSend(method, VISITORS, all))
        : waysToSend(method, operation, type === undefined ? all : [type]);
    const isThere = (way: JsonSchema) => Object.keys(way).every((scheme) => scheme in schemes);
    // Without schemes there is nothing to choose from.
    return Object.keys(schemes).length === 0 ? [] : ways.filter(isThere);
  };
}

const VISITORS: Operation = { schema: null };
export const SESSION_OF_CHANGES: JsonSchema = { session: [], csrf: [] };
