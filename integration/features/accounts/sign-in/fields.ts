import type { Target } from '../../../core/api/match-route.ts';
import type { ClientContext } from '../../../core/api/request.ts';
import type { ApiSettings } from '../../../core/read/settings.ts';
import type { CorsRules } from '../../../core/server/cors.ts';
import type { SignInPage } from '../../../core/server/page.ts';
import { readBytes } from '../../../core/server/read-body.ts';
import { DomainError } from '../../../core/util/errors.ts';
import { isRecord } from '../../../core/util/json.ts';
import { readJson } from '../../../core/write/request-json.ts';
import { identify } from '../authenticate.ts';
import type { Auth } from '../open-auth.ts';
import type { Brand } from '../options.ts';
import { readSession, type SignedIn } from '../session.ts';
import type { Texts } from './texts.ts';

/** The string fields of a form or of a JSON object, by name. */
export type SentFields = ReadonlyMap<string, string>;

/** Reads a JSON object, whatever its Content-Type, or a form. An empty body has no fields. Throws for any other body. */
export async function readFields(request: Request, format: 'json' | 'html'): Promise<SentFields> {
  const body = new TextDecoder().decode(await readBytes(request, MAX_BYTES));
  if (body === '') return new Map();
  if (format === 'json') return readObject(body);
  const type = request.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase();
  if (type === 'application/x-www-form-urlencoded') return new Map(new URLSearchParams(body));
  throw new DomainError(
    'unsupported-media-type',
    'Send a form as application/x-www-form-urlencoded, or JSON to ?_format=json.',
    { source: { header: 'Content-Type' } },
  );
}

/** Limit for bodies. Names, passwords and destinations are short. */
export const MAX_BYTES = 16_384;

function readObject(body: string): SentFields {
  const json = readJson(body);
  if (!isRecord(json)) {
    throw new DomainError('bad-request', 'The body must be a JSON object: { "name": "…", "pass": "…" }.');
  }
  return new Map(
    Object.entries(json).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
}

/** A response: JSON data, text, a page, no body, or a redirect (303). */
export type SignInResponse = {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
} & (
  | { readonly kind: 'json'; readonly data: unknown }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'page'; readonly page: SignInPage }
  | { readonly kind: 'empty' }
  /** A path of this site. */
  | { readonly kind: 'redirect'; readonly to: string }
);

/** A request to a sign-in route. */
export interface SignInRequest extends SignInDeps {
  readonly request: Request;
  readonly target: Target;
  readonly context: ClientContext;
  readonly query: URLSearchParams;
  /** In the language of the request. */
  readonly texts: Texts;
  /** The path below the site's base, for links. */
  link(path: string): string;
}

/** The account that is signed in with the session of a request, and the session's tokens; undefined without one. */
export async function signedInAccount({
  request,
  context,
  auth,
}: SignInRequest): Promise<(SignedIn & { readonly name: string }) | undefined> {
  const authenticated = await identify(request, context, auth.authenticator);
  const session = context.session && (await readSession(context.session));
  const name = authenticated?.actor.name ?? null;
  if (authenticated?.by !== 'session' || name === null || session === undefined) return undefined;
  return { ...session, name };
}

export interface SignInDeps {
  readonly auth: Auth;
  readonly brand?: Brand | undefined;
  readonly settings: Pick<ApiSettings, 'base' | 'trailingSlash' | 'admin'>;
  /** The origins whose pages may sign in. */
  readonly cors: CorsRules | false;
}
