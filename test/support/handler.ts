import { serveFeatures } from '../../integration/core/api/features.ts';
import type { Services } from '../../integration/core/api/request.ts';
import {
  createHandler as create,
  type Handler,
  type HandlerSettings,
} from '../../integration/core/server/handler.ts';
import { openAuthHandlers } from '../../integration/features/accounts/open-accounts.ts';
import type { Auth } from '../../integration/features/accounts/open-auth.ts';
import { type AdminDeps, openAdminHandlers } from '../../integration/features/admin/open-admin.ts';
import { openMcp } from '../../integration/features/mcp/open-mcp.ts';
import type { McpSdk } from '../../integration/features/mcp/tools.ts';
import { FEATURES } from '../../integration/features.ts';

/** What a test gives features, which they take from files in a runtime. */
export interface TestHandlerOptions extends Partial<HandlerSettings> {
  /** Without accounts, all requests are anonymous and sign-in paths are not served. */
  readonly auth?: Auth | undefined;
  /** Without it, the admin is not served. */
  readonly adminApp?: AdminDeps['openApp'];
  readonly localMode?: AdminDeps['localMode'];
  /** Default: true. */
  readonly bin?: boolean;
  readonly brand?: AdminDeps['brand'];
  readonly widgets?: AdminDeps['widgets'];
  readonly single?: AdminDeps['single'];
  readonly loadMcpSdk?: (() => Promise<McpSdk>) | undefined;
}

/** The handler of a server with all features. */
export function createHandler(
  services: Services,
  {
    auth,
    adminApp,
    localMode,
    bin = true,
    brand,
    widgets,
    single,
    loadMcpSdk,
    ...settings
  }: TestHandlerOptions = {},
): Handler {
  const own = serveFeatures(FEATURES, {}, [
    openAuthHandlers(auth, { cors: settings.cors ?? false, brand }),
    openAdminHandlers({
      openApp: adminApp,
      localMode,
      hasSignIn: auth !== undefined,
      search: { language: 'en', languages: {} },
      bin,
      brand,
      widgets,
      single,
    }),
    openMcp(loadMcpSdk),
  ]);
  // Other features are those of the runtime.
  const features = {
    ...own,
    handler: (name: string) => own.handler(name) ?? services.features.handler(name),
    uploads: services.features.uploads,
    notes: services.features.notes,
    readOperations: services.features.readOperations,
  };
  const switched = { signIn: auth !== undefined, admin: adminApp !== undefined };
  return create({ ...services, features }, { ...settings, ...switched });
}
