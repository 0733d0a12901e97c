import { randomSecret } from '../../accounts/secret.ts';
import type { SignInPath } from '../../api/sign-in-paths.ts';
import { asksForJson, signInPath } from '../../api/sign-in-paths.ts';
import { ApiError, MethodNotAllowedError } from '../../util/errors.ts';
import { identify } from '../authenticate.ts';
import { answerOrError } from '../error-response.ts';
import type { Handler } from '../handler.ts';
import { readSession } from '../session.ts';
import type { SignInAnswer, SignInDeps, SignInRequest } from './fields.ts';
import { MAX_BYTES, readText } from './fields.ts';
import { answerLogin, showLogin } from './login.ts';
import { answerLogout, showLogout } from './logout.ts';
import { pagePolicy, writePage } from './page.ts';
import { faultPage } from './pages.ts';

type Endpoint = (request: SignInRequest) => Promise<SignInAnswer>;

/** What each path does, by method. */
const ENDPOINTS: Readonly<Record<SignInPath, Readonly<Partial<Record<'GET' | 'POST', Endpoint>>>>> = {
  '/user/login': { GET: showLogin, POST: answerLogin },
  '/user/logout': { GET: showLogout, POST: answerLogout },
  '/user/login_status': { GET: tellStatus },
  '/session/token': { GET: giveToken },
  '/oauth/token': { POST: giveAccessToken },
};

/** Methods of a path of ours; undefined for every other path. */
export function signInMethods(url: URL, { settings, ownPages }: SignInDeps): readonly string[] | undefined {
  const path = signInPath(url, { base: settings.base, ownPages });
  return path && methodsOf(path);
}

/**
 * Answers what people and programs ask to sign in and out, as Drupal's modules user and simple_oauth do; undefined for
 * every other path. Nothing of it may be kept by a cache.
 */
export function createSignIn(deps: SignInDeps): Handler {
  const { settings, ownPages } = deps;
  const { base, trailingSlash } = settings;
  const place = (path: string) => `${base}${path}${trailingSlash === 'always' ? '/' : ''}`;

  return async (request, context = {}) => {
    const url = new URL(request.url);
    const path = signInPath(url, { base, ownPages });
    if (path === undefined) return undefined;
    const asked = { ...deps, request, context, query: url.searchParams, place };
    const answer = async () => {
      const methods = methodsOf(path);
      if (request.method === 'OPTIONS') {
        return new Response(null, { status: 204, headers: { allow: methods.join(', ') } });
      }
      const endpoint = ENDPOINTS[path][request.method === 'POST' ? 'POST' : 'GET'];
      if (endpoint === undefined || !methods.includes(request.method)) {
        throw new MethodNotAllowedError(request.method, methods);
      }
      return written(await endpoint(asked), request.method === 'HEAD');
    };
    try {
      return await answer();
    } catch (error) {
      const isForPeople = PEOPLE.has(path) && !asksForJson(url.searchParams);
      if (!(error instanceof ApiError) || !isForPeople) {
        return answerOrError(request, 'account', () => Promise.reject(error));
      }
      const { status, detail, headers } = error;
      const page = faultPage(detail, { href: place('/user/login'), text: 'Sign in' });
      return written({ kind: 'page', status, headers, page }, request.method === 'HEAD');
    }
  };
}

const PEOPLE: ReadonlySet<SignInPath> = new Set(['/user/login', '/user/logout']);

function methodsOf(path: SignInPath): readonly string[] {
  const { GET, POST } = ENDPOINTS[path];
  return [...(GET ? ['GET', 'HEAD'] : []), ...(POST ? ['POST'] : []), 'OPTIONS'];
}

async function tellStatus({ request, context, auth }: SignInRequest): Promise<SignInAnswer> {
  const who = await identify(request, context, auth.authenticator);
  return { kind: 'json', data: who === null ? 0 : 1 };
}

/** To whoever has not signed in by a session, a token that nothing asks for. */
async function giveToken({ request, context, auth }: SignInRequest): Promise<SignInAnswer> {
  const who = await identify(request, context, auth.authenticator);
  const signedIn = who?.by === 'session' && context.session ? await readSession(context.session) : undefined;
  return { kind: 'text', text: signedIn?.csrf ?? randomSecret('') };
}

async function giveAccessToken({ request, context, auth }: SignInRequest): Promise<SignInAnswer> {
  const { status, headers, body } = await auth.authenticator.requestToken({
    authorization: request.headers.get('authorization'),
    contentType: request.headers.get('content-type'),
    body: await readText(request, MAX_BYTES),
    address: context.address,
  });
  return { kind: 'json', status, headers, data: body };
}

async function written(answer: SignInAnswer, isHead: boolean): Promise<Response> {
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
      // The address may hold the link of a first start. Without any referrer the form would come from nowhere.
      headers.set('referrer-policy', 'same-origin');
      return respond(writePage(answer.page), 'text/html; charset=utf-8');
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
