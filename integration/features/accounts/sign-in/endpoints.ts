import { asksForJson, type Target } from '../../../core/api/match-route.ts';
import { type ClientContext, checkMethod } from '../../../core/api/request.ts';
import { methodsOf } from '../../../core/api/routes.ts';
import { BASIC_CHALLENGE, errorResponse, headersOf, statusOf } from '../../../core/server/errors.ts';
import { html, pagePolicy, type SignInPage, writePage } from '../../../core/server/page.ts';
import { readBytes } from '../../../core/server/read-body.ts';
import { DomainError } from '../../../core/util/errors.ts';
import { randomSecret } from '../../../core/util/secret.ts';
import { identify } from '../authenticate.ts';
import type { Brand } from '../options.ts';
import {
  MAX_BYTES,
  type SignInDeps,
  type SignInRequest,
  type SignInResponse,
  signedInAccount,
} from './fields.ts';
import { answerLogin, showLogin } from './login.ts';
import { answerLogout, showLogout } from './logout.ts';
import { faultPage } from './pages.ts';
import { answerPassword, showPassword } from './password.ts';
import { type Texts, textsFor } from './texts.ts';

type Endpoint = (request: SignInRequest) => Promise<SignInResponse>;

/** What each route does, by method. */
const ENDPOINTS: Readonly<Record<string, Readonly<Partial<Record<'GET' | 'POST', Endpoint>>>>> = {
  login: { GET: showLogin, POST: answerLogin },
  logout: { GET: showLogout, POST: answerLogout },
  password: { GET: showPassword, POST: answerPassword },
  'login-status': { GET: signInStatus },
  'csrf-token': { GET: csrfToken },
  'access-token': { POST: accessToken },
};

/** The routes whose responses are pages, unless JSON is requested. */
const PAGES: ReadonlySet<string> = new Set(['login', 'logout', 'password']);

/**
 * Serves the routes with which people and programs sign in and out, like Drupal's modules user and simple_oauth. Caches may
 * not store the responses.
 */
export function createSignIn(deps: SignInDeps) {
  const { base, trailingSlash } = deps.settings;
  const brand = deps.brand && brandOf(deps.brand, base);
  const link = (path: string) => `${base}${path}${trailingSlash === 'always' ? '/' : ''}`;

  return async (request: Request, target: Target, context: ClientContext): Promise<Response> => {
    const { route } = target;
    const query = new URLSearchParams(target.query);
    const isHead = request.method === 'HEAD';
    const texts = textsFor(request.headers.get('accept-language'));
    try {
      const methods = methodsOf(route);
      checkMethod(request.method, methods);
      if (request.method === 'OPTIONS') {
        return new Response(null, { status: 204, headers: { allow: methods.join(', ') } });
      }
      const endpoint = ENDPOINTS[route.name]?.[request.method === 'POST' ? 'POST' : 'GET'];
      if (endpoint === undefined) throw new Error(`${request.method} ${route.path} has no endpoint.`);
      return await write(
        await endpoint({ ...deps, request, target, context, query, link, texts }),
        isHead,
        texts,
        brand,
      );
    } catch (error) {
      const isForPeople = PAGES.has(route.name) && !asksForJson(query);
      if (!(error instanceof DomainError) || !isForPeople) {
        return errorResponse(request, route.errors, error);
      }
      const page = faultPage(texts, texts.failure(error), { href: link('/user/login'), text: 'Sign in' });
      const headers = headersOf(error, request);
      return write({ kind: 'page', status: statusOf(error), headers, page }, isHead, texts, brand);
    }
  };
}

async function signInStatus({ request, context, auth }: SignInRequest): Promise<SignInResponse> {
  const authenticated = await identify(request, context, auth.authenticator);
  return { kind: 'json', data: authenticated === null ? 0 : 1 };
}

/** Without a session, the token is random and no request needs it. */
async function csrfToken(input: SignInRequest): Promise<SignInResponse> {
  const signedIn = await signedInAccount(input);
  return { kind: 'text', text: signedIn?.csrf ?? randomSecret('') };
}

/** Source: RFC 6749, sections 5.1 and 5.2. */
async function accessToken({ request, context, auth }: SignInRequest): Promise<SignInResponse> {
  const data = await auth.authenticator.requestToken({
    authorization: request.headers.get('authorization'),
    contentType: request.headers.get('content-type'),
    body: new TextDecoder().decode(await readBytes(request, MAX_BYTES)),
    address: context.address,
  });
  const headers = { 'cache-control': 'no-store', pragma: 'no-cache' };
  if (!('error' in data)) return { kind: 'json', headers, data };
  if (data.error !== 'invalid_client') return { kind: 'json', status: 400, headers, data };
  return { kind: 'json', status: 401, headers: { ...headers, 'www-authenticate': BASIC_CHALLENGE }, data };
}

async function write(
  answer: SignInResponse,
  isHead: boolean,
  { page: language }: Texts,
  brand: SignInPage['brand'],
): Promise<Response> {
  const { status, headers: more } = answer;
  const headers = new Headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff', ...more });
  const respond = (body: string, contentType: string) => {
    headers.set('content-type', contentType);
    headers.set('content-length', String(new TextEncoder().encode(body).length));
    return new Response(isHead ? null : body, { status: status ?? 200, headers });
  };
  switch (answer.kind) {
    case 'json':
      return respond(JSON.stringify(answer.data), 'application/json');
    case 'text':
      return respond(answer.text, 'text/plain; charset=utf-8');
    case 'page': {
      headers.set('content-security-policy', await pagePolicy());
      // The address may contain the setup token. With `no-referrer`, browsers would send the form with `Origin: null`.
      headers.set('referrer-policy', 'same-origin');
      headers.set('vary', 'Accept-Language');
      return respond(writePage({ ...answer.page, brand, language }), 'text/html; charset=utf-8');
    }
    case 'empty':
      return new Response(null, { status: status ?? 204, headers });
    case 'redirect':
      headers.set('location', answer.to);
      return new Response(null, { status: status ?? 303, headers });
    default:
      return answer satisfies never;
  }
}

/** The name and the logo of the site. `base` is Astro's. */
function brandOf({ name, logo }: Brand, base: string): SignInPage['brand'] {
  const image =
    logo === undefined
      ? html``
      : html`<picture><source srcset="${base + logo.dark}" media="(prefers-color-scheme: dark)"><img src="${base + logo.light}" alt=""></picture>`;
  return { name, markup: html`<p class="brand">${image}${name}</p>\n` };
}
