import type { Roles } from '../../integration/core/access/role.ts';
import type { RequestSession } from '../../integration/core/api/request.ts';
import type { ApiSettings } from '../../integration/core/read/settings.ts';
import type { CorsRules } from '../../integration/core/server/cors.ts';
import type { HandlerContext } from '../../integration/core/server/handler.ts';
import type { AccountStore } from '../../integration/features/accounts/accounts.ts';
import { createTestAuth, type TestAuth } from '../unit/accounts/test-auth.ts';
import { createHandler, type TestHandlerOptions } from './handler.ts';
import { createMemoryDriver } from './memory-driver.ts';
import { fetchFrom } from './request.ts';
import { createServices } from './services.ts';

export const ORIGIN = 'https://site.example';
export const APP = 'https://app.example';
export const PASSWORD = 'correct horse';
export const CORS: CorsRules = { origins: [APP], credentials: true, maxAge: 60, exposeHeaders: [] };

/** A small site with accounts: `ada` is an administrator, `eve` may only read. */
export interface SignInSite {
  readonly auth: TestAuth;
  /** Where people are after they sign in. */
  readonly home: string;
  /** Sends a request as a program or in a browser's session. Throws without a response. */
  request(path: string, init?: RequestInit, context?: HandlerContext): Promise<Response>;
  /** The same, but undefined without a response. */
  handle(request: Request, context?: HandlerContext): Promise<Response | undefined>;
}

export interface SignInSiteOptions {
  /** False for a site without accounts. Default: `ada` and `eve`. */
  readonly accounts?: boolean;
  /** False for a site without sessions. */
  readonly sessions?: boolean;
  readonly settings?: Partial<ApiSettings>;
  readonly front?: TestHandlerOptions;
  /** Option `roles`. */
  readonly roles?: Roles;
}

/** What opens sites and sessions instead of this process, such as built servers. */
export interface SignInBackend {
  open(options: SignInSiteOptions): Promise<Omit<SignInSite, 'request'>>;
  createSession(data?: Readonly<Record<string, unknown>>): TestSession;
}

let backend: SignInBackend | undefined;

/** Tests of signing in that are imported after this use the backend. */
export function useSignInBackend(other: SignInBackend | undefined): void {
  backend = other;
}

export async function openSignInSite(options: SignInSiteOptions = {}): Promise<SignInSite> {
  const site = await (backend?.open(options) ?? openInProcess(options));
  return {
    ...site,
    request: async (path, init = {}, context = {}) => fetchFrom(site.handle, path, { ...init, ...context }),
  };
}

async function openInProcess({
  accounts = true,
  sessions = true,
  settings = {},
  front = {},
  roles = {},
}: SignInSiteOptions): Promise<Omit<SignInSite, 'request'>> {
  const auth = createTestAuth();
  if (accounts) await addSignInAccounts(auth.accounts);
  const driver = createMemoryDriver(ARTICLES);
  const services = await createServices(driver, undefined, {
    writable: {},
    roles,
    settings: { signIn: true, ...settings },
  });
  const handle = createHandler(services, { ...front, auth });
  return {
    auth,
    home: settings.admin === true ? '/admin' : '/user/login',
    handle: (request, context) => handle(request, sessions ? context : { ...context, session: undefined }),
  };
}

export async function addSignInAccounts(accounts: AccountStore): Promise<void> {
  await accounts.add({ name: 'ada', roles: ['administrator'], password: PASSWORD });
  await accounts.add({ name: 'eve', roles: [], password: PASSWORD });
}

/** The content of the site. */
export const ARTICLES: Readonly<Record<string, string>> = {
  'article/first.md': '---\ntitle: First\n---\nText.\n',
  'article/second.md': '---\ntitle: Second\n---\nText.\n',
  'article/draft.md': '---\ntitle: Draft\ndraft: true\n---\nText.\n',
};

/** A session in memory with its history. */
export interface TestSession extends RequestSession {
  /** Changes when the session is regenerated. */
  id(): number;
  readonly data: ReadonlyMap<string, unknown>;
  isDestroyed(): boolean;
}

export function createSession(data: Readonly<Record<string, unknown>> = {}): TestSession {
  if (backend) return backend.createSession(data);
  const entries = new Map(Object.entries(data));
  let id = 1;
  let destroyed = false;
  return {
    data: entries,
    id: () => id,
    isDestroyed: () => destroyed,
    get: async (key) => entries.get(key),
    set: (key, value) => void entries.set(key, structuredClone(value)),
    delete: (key) => void entries.delete(key),
    regenerate: async () => void id++,
    destroy() {
      destroyed = true;
      entries.clear();
    },
  };
}

/** The headers that a browser sends with a form of the site. */
export function form(
  fields: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = { origin: ORIGIN },
): RequestInit {
  return { method: 'POST', body: new URLSearchParams(fields), headers };
}

export function json(body: unknown, headers: Readonly<Record<string, string>> = {}): RequestInit {
  const type = { 'content-type': 'application/json' };
  return { method: 'POST', body: JSON.stringify(body), headers: { ...type, ...headers } };
}

/** Signs in with the form; returns the session and the tokens for Drupal's clients. */
export async function signIn(
  site: SignInSite,
  name = 'ada',
): Promise<{ readonly session: TestSession; readonly csrf: string; readonly logout: string }> {
  const session = createSession();
  const sent = json({ name, pass: PASSWORD });
  const response = await site.request('/user/login?_format=json', sent, { session });
  if (response.status !== 200) throw new Error(await response.text());
  const { csrf_token: csrf, logout_token: logout } = await response.json();
  return { session, csrf, logout };
}

/** An article to create. */
export function newArticle(headers: Readonly<Record<string, string>> = {}): RequestInit {
  return {
    method: 'POST',
    body: JSON.stringify({ data: { type: 'node--article', attributes: { title: 'New' } } }),
    headers: { 'content-type': 'application/vnd.api+json', ...headers },
  };
}
