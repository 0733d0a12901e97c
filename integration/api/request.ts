import type { Access } from '../access/access.ts';
import type { Actor } from '../access/actor.ts';
import type { Entity } from '../content/model.ts';
import { LANGUAGE_PARAMETER } from '../engine/parse/parse-query.ts';
import type { Written } from '../read/compose.ts';
import { encode } from '../read/links.ts';
import type { Production } from '../read/production.ts';
import type { RequestLanguage } from '../read/request-language.ts';
import { BadParameterError, MethodNotAllowedError } from '../util/errors.ts';
import type { ContentWriter, ErrorPlace, Preconditions, Writer } from '../write/writer.ts';
import type { Target } from './match-route.ts';
import { READING_METHODS } from './routes.ts';
import type { Services } from './services.ts';

/** A request for one of the routes, with the actor it comes from. */
export interface ApiRequest {
  readonly services: Services;
  readonly actor: Actor;
  readonly access: Access;
  readonly target: Target;
  readonly headers: Headers;
  /** How the actor signed in; undefined for anonymous. */
  readonly signIn?: SignIn | undefined;
  /** The language that the request asks for; undefined for the default one. `access` is in that language. */
  readonly language?: RequestLanguage | undefined;
  /** The body as text. Throws if it has more bytes than this limit allows. */
  body(limit: 'bodyBytes' | 'subrequestsBytes'): Promise<string>;
  /** Does long work in slices. */
  readonly work: Production;
  readonly client: ClientContext;
}

/** `local` is the local author of a dev server. */
export interface SignIn {
  readonly by: 'session' | 'basic' | 'bearer' | 'local';
  /** The token for the header `X-CSRF-Token`; null without a session. */
  readonly csrf: string | null;
}

/** The session and address of a client. */
export interface ClientContext {
  /** The browser's session, if the site has sessions and the request may belong to one. */
  readonly session?: RequestSession | undefined;
  /** The client's address, as the adapter reports it. */
  readonly address?: string | undefined;
  /** The HTML of the query explorer. Without it, the explorer's page is not served. */
  readonly explorerPage?: (() => string | Promise<string>) | undefined;
}

/** A browser's session: `Astro.session`. */
export interface RequestSession {
  get(key: string): Promise<unknown>;
  set(key: string, value: unknown): void;
  delete(key: string): void;
  /** Gives the session a new id and keeps its data. */
  regenerate(): Promise<void>;
  destroy(): void;
}

export interface ReadRequest extends ApiRequest {
  /** Serves another request for the same actor; undefined if no route matches. */
  forward(request: Request): Promise<Response | undefined>;
}

export interface ChangeRequest extends ApiRequest {
  readonly method: string;
  readonly hasBody: boolean;
}

/** A request that changes content. */
export interface WriteRequest extends ChangeRequest {
  readonly writer: ContentWriter;
  bytes(limit: 'uploadBytes'): Promise<Uint8Array>;
}

/** The result of a change. */
export interface WriteAnswer {
  /** `pending` if the change is not committed yet; `empty` if the response has no body. */
  readonly outcome: 'changed' | 'created' | 'pending' | 'empty';
  readonly written: Written | null;
  /** Id of the commit job that the response reports. */
  readonly job?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** The JSON pointer of an entity or of a field in the request; undefined if the request does not have it. */
  pointerOf?(entity: Entity, field: string | undefined): string | undefined;
}

/** `WriteAnswer.pointerOf` for a request about one entity. */
export function pointerIn({ pointer }: ErrorPlace): NonNullable<WriteAnswer['pointerOf']> {
  return (_, field) => pointer(field === undefined ? [] : [field]);
}

export function noContent({ job }: { readonly job?: string | undefined }): WriteAnswer {
  return { outcome: 'empty', written: null, job };
}

export function writerOf({ actor, access }: ApiRequest): Writer {
  return { actor, access };
}

export function preconditionsOf({ headers }: ApiRequest): Preconditions {
  return { ifMatch: headers.get('if-match'), ifNoneMatch: headers.get('if-none-match') };
}

/** Throws if a request has a language at an address that has none when content is changed. */
export function checkWithoutLanguage({ language, method }: WriteRequest): void {
  if (language === undefined) return;
  if (!language.inQuery) throw new MethodNotAllowedError(method, READING_METHODS);
  throw new BadParameterError(
    LANGUAGE_PARAMETER,
    'Leave out langCode: here, requests change sources. Translations are changed at the address of their entity.',
  );
}

/** Throws MethodNotAllowedError unless the method is one of `allowed`. */
export function checkMethod(method: string, allowed: readonly string[]): void {
  if (!allowed.includes(method)) throw new MethodNotAllowedError(method, allowed);
}

/** The absolute URL of path segments below the route of a request, without the prefix of a language. */
export function addressOf({ services, target }: ApiRequest, ...segments: readonly string[]): string {
  const { base, siteBase = base, trailingSlash } = services.settings;
  const path = [target.route.path, ...segments.map(encode)].join('/');
  return target.origin + siteBase + path + (trailingSlash === 'always' ? '/' : '');
}
