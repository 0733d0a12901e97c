import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import type { Target } from '../../core/api/match-route.ts';
import { checkMethod, type OpenedHandlers, type PageRequest } from '../../core/api/request.ts';
import { methodsOf } from '../../core/api/routes.ts';
import { type Environment, optionValue, variableIn } from '../../core/options/fields.ts';
import { JSON_MEDIA_TYPE } from '../../core/read/document-types.ts';
import { findPage } from '../../core/read/find-path.ts';
import type { OpeningRuntime, SiteSettings } from '../../core/runtime/site.ts';
import { notePage, pagePolicy, writePage } from '../../core/server/page.ts';
import { readBody } from '../../core/server/read-body.ts';
import {
  BadParameterError,
  DomainError,
  ForbiddenError,
  NotFoundError,
  UnauthorizedError,
} from '../../core/util/errors.ts';
import type { DraftModeOptions } from './options.ts';

/** Seconds from the signature of an address until the front end can no longer use it. */
const LIFETIME = 300;
const WORKING_COPY = 'rel:working-copy';
const VERSION = /^(?:rel:(?:working-copy|latest-version)|id:\w{1,64})$/;
/** Least characters of the secret: 128 bits in hexadecimal. */
const LEAST_SECRET = 32;
/** In the address to which the sign-in page leads. */
const SIGNED_IN = 'signedIn';
const NO_STORE = { 'cache-control': 'no-store' };

/** What an address of draft mode contains, and what the front end sends back. */
const signedSchema = z.object({
  path: z.string(),
  resourceVersion: z.string().default(''),
  timestamp: z.coerce.number().int(),
  secret: z.string(),
});
type Signed = Omit<z.output<typeof signedSchema>, 'secret'>;

/**
 * GET redirects a person with permission to change the entity at `path` to the front end, with a signed address. POST checks
 * for the front end whether an address is signed. Source: Drupal's module `next` 2, "Draft mode".
 */
export function openDraftMode({ site, log }: OpeningRuntime): OpenedHandlers {
  const { options, settings, environment, now = Date.now } = site;
  const { draftMode } = options;
  const key = draftMode && environment && secretOf(draftMode, environment, log);
  const seconds = () => Math.floor(now() / 1000);
  return {
    handlers: {
      'draft-url': {
        async respond(call) {
          const { request, target } = call;
          if (draftMode === undefined || !key) return undefined;
          const methods = methodsOf(target.route);
          checkMethod(request.method, methods);
          if (request.method === 'OPTIONS')
            return new Response(null, { status: 204, headers: { allow: methods.join(', ') } });
          if (request.method === 'POST') return json(check(await signedBody(call), key, seconds()));
          if (settings.signIn && isNavigation(request) && (await call.visitor()).actor.name === null) {
            return redirect(signInPath(settings, target));
          }
          const signed = { ...(await requestedDraft(call)), timestamp: seconds() };
          const location = new URL(draftMode.url);
          const secret = signatureOf(signed, key);
          for (const [name, value] of Object.entries({ ...signed, secret })) {
            location.searchParams.set(name, String(value));
          }
          const { href } = location;
          // Browsers do not follow a form, such as that of the sign-in page, to another site.
          return new URLSearchParams(target.query).has(SIGNED_IN) ? continuePage(href) : redirect(href);
        },
      },
    },
  };
}

/** The key of signatures. Undefined, with a line in the log, if it is not set or can be guessed. */
function secretOf(
  { secret }: DraftModeOptions,
  environment: Environment,
  log: OpeningRuntime['log'],
): string | undefined {
  const key = optionValue(secret, environment);
  if (key !== undefined && key.length >= LEAST_SECRET) return key;
  const fault = key === undefined ? 'is not set' : `has fewer than ${LEAST_SECRET} characters`;
  const variable = `the environment variable ${variableIn(secret)}`;
  log.warn(`Option draftMode.secret: ${variable} ${fault}, so draft mode is off.`);
  return undefined;
}

/** True if a person opens the address in a browser. */
function isNavigation({ method, headers }: Request): boolean {
  return method === 'GET' && headers.get('accept')?.includes('text/html') === true;
}

/** The sign-in page, which leads back to the address. */
function signInPath({ base, trailingSlash }: SiteSettings, { pathname, query }: Target): string {
  const destination = encodeURIComponent(`${pathname}?${query}&${SIGNED_IN}=`);
  return `${base}/user/login${trailingSlash === 'always' ? '/' : ''}?destination=${destination}`;
}

function redirect(location: string): Response {
  return new Response(null, { status: 303, headers: { ...NO_STORE, location } });
}

/** A page that leads to another one. */
async function continuePage(href: string): Promise<Response> {
  const page = notePage('Draft mode', 'You are signed in.', { href, text: 'Open the draft' });
  const headers = {
    ...NO_STORE,
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': await pagePolicy(),
    refresh: `0; url=${href}`,
  };
  return new Response(writePage(page), { headers });
}

/** The draft that a request names. Throws unless its sender can change the entity at that path. */
async function requestedDraft({
  target,
  services,
  visitor,
}: PageRequest): Promise<Omit<Signed, 'timestamp'>> {
  const { actor } = await visitor();
  if (actor.name === null) throw new UnauthorizedError('Sign in to see drafts.');
  const parameters = new URLSearchParams(target.query);
  const path = parameters.get('path') ?? '';
  const resourceVersion = parameters.get('resourceVersion') || WORKING_COPY;
  if (!VERSION.test(resourceVersion)) {
    const detail = `Send ${WORKING_COPY}, rel:latest-version, or id: and a version.`;
    throw new BadParameterError('resourceVersion', detail);
  }
  // The front end redirects there.
  if (!/^\/(?![/\\])/.test(path)) {
    throw new BadParameterError('path', 'Send the path of a page, such as ?path=/articles/moon.');
  }
  const reader = services();
  const page = await findPage({ services: reader, access: reader.access(actor), actor }, path);
  if (page === undefined) throw new NotFoundError(`No content is at ${path}.`, { parameter: 'path' });
  if (!page.access.allows('update', page.entity)) {
    throw new ForbiddenError('Draft mode is for accounts that can change the content at this path.');
  }
  return { path, resourceVersion };
}

async function signedBody({ request, services }: PageRequest): Promise<z.output<typeof signedSchema>> {
  const text = await readBody(request, services().settings.limits, 'subrequestsBytes');
  const parsed = signedSchema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  const [name = ''] = parsed.error.issues[0]?.path ?? [];
  const field = String(name);
  throw name === ''
    ? refused('The body is not a JSON object.', '')
    : refused(`Field '${field}' is missing or has a wrong type.`, `/${field}`);
}

/** Clients read the title as the message. */
function refused(title: string, pointer: string): DomainError {
  const detail = 'Open /next/draft-url?path=… on the content server: it makes a new address.';
  return new DomainError('invalid', detail, { title, source: { pointer } });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Throws unless the address was signed with the key within the last minutes. */
function check({ secret, ...signed }: z.output<typeof signedSchema>, key: string, now: number) {
  const expected = Buffer.from(signatureOf(signed, key));
  const given = Buffer.from(secret);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
    throw refused('The provided secret is invalid.', '/secret');
  }
  if (now > signed.timestamp + LIFETIME) {
    throw refused('The provided secret has expired.', '/timestamp');
  }
  return { path: signed.path, maxAge: LIFETIME };
}

function signatureOf({ timestamp, path, resourceVersion }: Signed, key: string): string {
  const text = JSON.stringify(['draft-mode', timestamp, path, resourceVersion]);
  return createHmac('sha256', key).update(text).digest('base64url');
}

function json(value: unknown): Response {
  return new Response(JSON.stringify(value), { headers: { ...NO_STORE, 'content-type': JSON_MEDIA_TYPE } });
}
