import type { ApiRequest, OpenedHandlers, PageHandler, RouteHandler } from '../../core/api/request.ts';
import { openShared } from '../../core/runtime/open-features.ts';
import type {
  OpenedFeature,
  OpeningRuntime,
  RuntimeLog,
  Site,
  SiteSettings,
} from '../../core/runtime/site.ts';
import type { CorsRules } from '../../core/server/cors.ts';
import { errorMessage } from '../../core/util/text.ts';
import {
  type AccountsRequest,
  addAccount,
  addLink,
  addToken,
  changeAccount,
  listAccounts,
  listTokens,
  removeAccount,
  removeLinks,
  removeToken,
  showAccount,
} from './accounts-api.ts';
import { accountsContext } from './accounts-context.ts';
import { accountsFileOf } from './accounts-path.ts';
import { listAudit } from './audit-api.ts';
import { checkMayChange, identify } from './authenticate.ts';
import { createMailer } from './mail.ts';
import { type Auth, type FixedAccounts, openAuth } from './open-auth.ts';
import type { Brand } from './options.ts';
import { reportPresence, showPresence } from './presence.ts';
import { readSession } from './session.ts';
import { endSessions, listSessions } from './sessions-api.ts';
import { createSignIn } from './sign-in/endpoints.ts';

/** Accounts of the site's database, of a variable, or of its accounts file. */
export async function openAccounts({ site, log }: OpeningRuntime): Promise<OpenedFeature> {
  const { settings, options, environment, accountsFlag } = site;
  const { signIn, dev, cors } = settings;
  const brand = options.editing === false ? undefined : options.editing.brand;
  if (!signIn) return openAuthHandlers(undefined, { cors });
  const database = await openShared(site);
  const option = options.editing === false ? undefined : options.editing.mail;
  const auth = openAuth({
    database,
    mailer: option && createMailer({ option, environment: environment ?? {}, settings, warn: log.warn }),
    file: accountsFileOf(settings, options, dev || environment !== undefined, accountsFlag),
    fixed: dev ? undefined : fixedAccounts(environment),
    warn: log.warn,
  });
  return {
    ...openAuthHandlers(auth, { cors, brand }),
    members: auth.accounts,
    ...(database && { close: () => database.close() }),
    announce: (address, to) => announceSetup(auth, settings, address, to),
  };
}

/** Accounts of a server without a disk. */
function fixedAccounts(environment: Site['environment'] = {}): FixedAccounts | undefined {
  const source = 'JSONAPI_ACCOUNTS_JSON';
  const text = environment[source];
  return text === undefined || text === '' ? undefined : { text, source };
}

/**
 * Prints the one-time link that creates the first account, if a server has no accounts. `address` is that of the site. Never throws.
 */
async function announceSetup(
  { setup }: Auth,
  { trailingSlash }: Pick<SiteSettings, 'trailingSlash'>,
  address: string,
  log: RuntimeLog,
): Promise<void> {
  try {
    const link = await setup.createSetupLink();
    if (link === null) return;
    const path = trailingSlash === 'always' ? link.path.replace('?', '/?') : link.path;
    const until = link.expires.toTimeString().slice(0, 5);
    log.warn(`No accounts yet. Create the first one before ${until}: ${address}${path}`);
  } catch (error) {
    log.error(errorMessage(error));
  }
}

/** The routes of accounts and of signing in, and the senders of requests with credentials. */
export function openAuthHandlers(
  auth: Auth | undefined,
  { cors, brand }: { readonly cors: CorsRules | false; readonly brand?: Brand | undefined },
): OpenedHandlers {
  const withAccounts = <Request extends ApiRequest>(request: Request): Request & AccountsRequest => ({
    ...request,
    accounts: auth && accountsContext(auth, request),
  });
  const handlers: Record<string, RouteHandler> = {
    accounts: {
      answer: (request) => listAccounts(withAccounts(request)),
      change: (request) => addAccount(withAccounts(request)),
    },
    account: {
      answer: (request) => showAccount(withAccounts(request)),
      change: (request) =>
        (request.method === 'DELETE' ? removeAccount : changeAccount)(withAccounts(request)),
    },
    'account-tokens': {
      answer: (request) => listTokens(withAccounts(request)),
      change: (request) => addToken(withAccounts(request)),
    },
    'account-links': {
      answer: (request) => showAccount(withAccounts(request)),
      change: (request) => (request.method === 'DELETE' ? removeLinks : addLink)(withAccounts(request)),
    },
    'account-sessions': {
      answer: (request) => listSessions(withAccounts(request)),
      change: (request) => endSessions(withAccounts(request)),
    },
    audit: { answer: (request) => listAudit(withAccounts(request)) },
    presence: {
      answer: (request) => showPresence(withAccounts(request)),
      change: (request) => reportPresence(withAccounts(request)),
    },
    'account-token': {
      answer: (request) => listTokens(withAccounts(request)),
      change: (request) => removeToken(withAccounts(request)),
    },
  };
  if (auth === undefined) return { handlers };

  const signIn: PageHandler = {
    respond: ({ request, target, context, services }) =>
      createSignIn({ auth, settings: services().settings, cors, brand })(request, target, context),
  };
  for (const name of SIGN_IN_ROUTES) handlers[name] = signIn;
  return {
    handlers,
    async identify(request, context, target) {
      const { session } = context;
      if (session === undefined && !request.headers.has('authorization')) return undefined;
      const authenticated = await identify(request, context, auth.authenticator);
      if (authenticated === null) return undefined;
      if (target !== undefined) {
        await checkMayChange(request, target, context, { authenticated, authenticator: auth.authenticator });
      }
      const { actor, by } = authenticated;
      const csrf = by === 'session' && session ? (await readSession(session))?.csrf : undefined;
      return { actor, signIn: { by, csrf: csrf ?? null } };
    },
  };
}

const SIGN_IN_ROUTES = ['login', 'logout', 'login-status', 'csrf-token', 'access-token', 'password'] as const;
