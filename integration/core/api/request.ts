import type { Access } from '../access/access.ts';
import type { Actor } from '../access/actor.ts';
import type { Collector } from '../content/collect.ts';
import type { FileSources } from '../content/file-catalog.ts';
import type { Entity, FieldDefinition, ResourceType } from '../content/model.ts';
import { LANGUAGE_PARAMETER, parseQuery } from '../engine/parse/parse-query.ts';
import type { ComposedDocument, SerializedBody, Streamed } from '../read/compose.ts';
import { encode } from '../read/links.ts';
import type { DescribeMatches, DocumentContext, FileLinks, Reader } from '../read/reader.ts';
import type { RequestLanguage } from '../read/request-language.ts';
import type { ResponseLimiter, ResponseWork } from '../read/response-limiter.ts';
import type { Diagnostic } from '../source/diagnostic.ts';
import type { UncommittedFile } from '../storage/driver.ts';
import { BadParameterError, MethodNotAllowedError } from '../util/errors.ts';
import type { JsonValue } from '../util/json.ts';
import type { Commits, Conflicts } from '../write/commits.ts';
import type {
  ContentWriter,
  ErrorPlace,
  Operation,
  Preconditions,
  UploadTarget,
  Writer,
} from '../write/writer.ts';
import type { DescribeRoutes } from './description.ts';
import type { JsonApiContext } from './jsonapi/context.ts';
import type { Target } from './match-route.ts';
import type { Route } from './routes.ts';
import { methodsOf, READING_METHODS } from './routes.ts';

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
  readonly work: ResponseWork;
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
  /** Loads the page at an absolute URL. The result renders it in this process, and rejects with a PageError if its template fails. */
  readonly openPage?: ((url: string) => Promise<() => Promise<Response>>) | undefined;
  /** The HTML of the query explorer. Without it, the explorer's page is not served. */
  readonly explorerPage?: (() => string | Promise<string>) | undefined;
}

/** The template of a page has failed. */
export class PageError extends Error {
  override readonly name = 'PageError';
  /** The place in the template, such as `src/pages/index.astro:12:3`. */
  readonly location: string | undefined;
  constructor(message: string, location?: string) {
    super(message);
    this.location = location;
  }
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
export interface WriteResponse {
  /** `pending` if the change is not committed yet; `empty` if the response has no body. */
  readonly outcome: 'changed' | 'created' | 'pending' | 'empty';
  readonly written: SerializedBody | null;
  /** Id of the commit job that the response reports. */
  readonly job?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** The JSON pointer of an entity or of a field in the request; undefined if the request does not have it. */
  pointerOf?(entity: Entity, field: string | undefined): string | undefined;
}

/** `WriteResponse.pointerOf` for a request about one entity. */
export function pointerIn({ pointer }: ErrorPlace): NonNullable<WriteResponse['pointerOf']> {
  return (_, field) => pointer(field === undefined ? [] : [field]);
}

/** Stores files from requests. */
export interface Uploads {
  /**
   * Carries out a request of JSON:API whose body is a file: for a new entity if `id` is empty, else for a field of that
   * entity. Source: Drupal, "File uploads" of JSON:API.
   */
  upload(
    request: WriteRequest,
    type: ResourceType,
    field: FieldDefinition,
    id: readonly string[],
  ): Promise<WriteResponse>;
  /** Stores the body of a request under the name in its headers. Throws DomainError. */
  storeBody(request: WriteRequest, upload: UploadTarget, when: Preconditions): Promise<StoredBody>;
}

export interface StoredBody {
  /** The file, as fields return it. */
  readonly attributes: { readonly uri: { readonly value: string; readonly url: string } } & Readonly<
    Record<string, JsonValue>
  >;
  /** The absolute URL of the file. */
  readonly location: string;
  /** Id of the commit job. */
  readonly job: string | undefined;
}

export function noContent({ job }: { readonly job?: string | undefined }): WriteResponse {
  return { outcome: 'empty', written: null, job };
}

export function writerOf({ actor, access }: ApiRequest): Writer {
  return { actor, access };
}

export function preconditionsOf({ headers }: ApiRequest): Preconditions {
  return { ifMatch: headers.get('if-match'), ifNoneMatch: headers.get('if-none-match') };
}

/** Throws if a request for a change has a language at an address without languages. */
export function checkWithoutLanguage({ language, method }: WriteRequest): void {
  if (language === undefined) return;
  if (!language.inQuery) throw new MethodNotAllowedError(method, READING_METHODS);
  throw new BadParameterError(
    LANGUAGE_PARAMETER,
    'Leave out langCode: here, requests change sources. Translations are changed at the address of their entity.',
  );
}

/** Throws if a request for a change has a method that its route does not have, a language, or parameters. */
export function checkPlainChange(request: WriteRequest): void {
  const { method, target, services } = request;
  checkMethod(method, methodsOf(target.route));
  checkWithoutLanguage(request);
  parseQuery(target.query, 'individual', services.settings);
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

/** Serves a route: from the content, or as pages. */
export type RouteHandler = ContentHandler | PageHandler;

/** The handlers of routes by name. */
export type RouteHandlers = Readonly<Record<string, RouteHandler>>;

export interface ContentHandler {
  /** The response to the methods of the route but OPTIONS. */
  answer(request: ReadRequest): Promise<RouteResponse>;
  /** The document about OPTIONS; undefined to list the methods of the route. Throws like `answer`. */
  options?(request: ReadRequest): Promise<OptionsDocument | undefined>;
  /** Carries out methods that change content. */
  write?(request: WriteRequest): Promise<WriteResponse>;
  /** Carries out methods that change something else, on a server that cannot write too. */
  change?(request: ChangeRequest): Promise<WriteResponse>;
}

export interface PageHandler {
  /** Undefined if the site serves the request itself. An error that it throws becomes a response. */
  respond(call: PageRequest): Promise<Response | undefined>;
  /** True if it also serves a site whose content could not be loaded. Then it uses only the request. */
  readonly needsNoContent?: true;
}

export type RouteResponse = (SerializedBody | Streamed) & {
  /** 200 by default. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
};

interface OptionsDocument {
  readonly meta: { readonly allow: readonly string[] };
}

/** The sender of a request. */
export interface Visitor {
  readonly actor: Actor;
  /** How the actor signed in; undefined for anonymous. */
  readonly signIn?: SignIn | undefined;
}

/** A visitor, and the cookie that the response sets. */
export interface IdentifiedVisitor extends Visitor {
  readonly setCookie?: string | undefined;
}

export interface PageRequest {
  readonly request: Request;
  readonly target: Target;
  readonly context: ClientContext;
  /** The content that the API has. */
  services(): Services;
  /** Finds out who sends the request. Throws for wrong credentials. */
  visitor(): Promise<Visitor>;
  /** Serves a request to a path of the API, such as `/jsonapi`, for the same sender. */
  send(path: string, init?: RequestInit): Promise<Response>;
}

/** What a feature adds to the API. Everything is plain data or loaded when it is needed, because browsers use it too. */
export interface ContentFeature {
  readonly name: string;
  readonly routes?: readonly Route[];
  /** Loads the handlers of its routes, by name of the route. */
  handlers?(): Promise<RouteHandlers>;
  readonly documents?: NamedDocuments;
  /** Loads what OpenAPI says about its routes. */
  describe?(): Promise<readonly DescribeRoutes[]>;
  /** Loads what adds links to the resources of files. */
  fileLinks?(): Promise<FileLinks>;
  /** Loads what describes the matches of searches. */
  describeMatches?(): Promise<DescribeMatches>;
  /** Loads what writes the files of its prebuilt routes on a site without a server, by name of the route. */
  files?(): Promise<StaticFiles>;
}

/** Lists the files of routes by name. */
export type StaticFiles = Readonly<Record<string, (site: StaticSite) => StaticDocuments>>;

/** A site without a server, as anonymous visitors see it in one language. */
export interface StaticSite extends DocumentContext {
  readonly services: Services;
}

export type StaticDocuments = AsyncGenerator<StaticDocument, void, undefined>;

export interface StaticDocument {
  /** Below the site's root, decoded, without a leading slash: `jsonapi/node/article.json`. */
  readonly path: string;
  /** Returns JSON in UTF-8, or the bytes of a file. */
  write(): Promise<Uint8Array>;
}

/** Documents below `/jsonapi` that are not collections. An entity type of the same name takes precedence. */
export interface NamedDocuments {
  /** The first segments of their paths, in lower case. */
  readonly segments: readonly string[];
  /** Loads the function that finds a document. It throws NotFoundError if only its name is wrong. */
  load(): Promise<FindDocument>;
}

export type FindDocument = (services: Reader, segments: readonly string[]) => NamedDocument | undefined;

/** Writes a document, for a query string without `?`. */
export type NamedDocument = (context: JsonApiContext, query: string) => Promise<ComposedDocument>;

/** Identifies the sender of a request; undefined if it cannot. `target` is undefined for a page of the site. */
export type Identify = (
  request: Request,
  context: ClientContext,
  target: Target | undefined,
) => Promise<IdentifiedVisitor | undefined>;

/** The features of a site, as its API uses them. */
export interface ServedFeatures {
  readonly routes: readonly Route[];
  /** The handler of a route; undefined if no feature has one. */
  handler(name: string): Promise<RouteHandler> | undefined;
  /** What lists the files of a prebuilt route; undefined if the features have nothing. */
  files(route: string): Promise<StaticFiles[string] | undefined> | undefined;
  /** The document at a path below `/jsonapi`. */
  findDocument(services: Reader, segments: readonly string[]): Promise<NamedDocument | undefined>;
  /** What OpenAPI says about the routes of all features. */
  describe(): Promise<readonly DescribeRoutes[]>;
  /** The first segments of paths of such documents. */
  readonly documentSegments: readonly string[];
  readonly fileLinks?: ContentFeature['fileLinks'];
  readonly describeMatches?: ContentFeature['describeMatches'];
  /** The sender of a request; undefined if no feature knows it. */
  readonly identify: Identify;
  /** Undefined if files cannot be uploaded to fields. */
  readonly uploads?: Uploads | undefined;
  /** Problems that are in none of the content files. */
  notes(): Promise<readonly Diagnostic[]>;
  /** Undefined without the feature for operations. */
  readonly readOperations?: ReadOperations | undefined;
}

/** Reads the operations in the body of a request. Throws DomainError. Source: JSON:API extension "Atomic Operations". */
export type ReadOperations = (request: WriteRequest) => Promise<readonly Operation[]>;

/** Handlers of an opened feature, and how it identifies the senders of requests. */
export interface OpenedHandlers {
  readonly handlers?: RouteHandlers;
  readonly uploads?: Uploads;
  readonly readOperations?: ReadOperations;
  readonly identify?: Identify;
  readonly notes?: ServedFeatures['notes'];
}

/** What every surface of a server uses. Created once by the runtime. */
export interface Services extends Reader {
  readonly features: ServedFeatures;
  readonly responseLimiter: ResponseLimiter;
  /** Null on a server that only reads. */
  readonly writer: ContentWriter | null;
  /** The files of the content folder and of `public/`. */
  readonly fileSources: FileSources;
  /** Decodes bytes as if a file had them. Absent if the content is not in files. */
  readonly preview?: Collector['preview'] | undefined;
  /** The content files that differ from the last commit; undefined if the content is not in git. */
  uncommitted(): Promise<readonly UncommittedFile[] | undefined>;
  /** Present if changes are committed to git. */
  readonly commits?: Commits | undefined;
  /** Present with option `editing.git.pull`. */
  readonly conflicts?: Conflicts | undefined;
  /** Present with option `engine`. */
  readonly database?: { health(): DatabaseHealth } | undefined;
  /** Present if the content follows a branch of a remote repository. */
  readonly replica?: Replica | undefined;
}

export interface DatabaseHealth {
  /** `stale` if the content may be older than option `engine.maxAge` allows. */
  readonly content: 'ok' | 'stale';
  /** Seconds since the content of this server was last known to be that of the database. */
  readonly ageSeconds: number;
}

/** Content that follows a branch, with the commit that answers are made from. */
export interface Replica {
  /**
   * The commit of the content: one object until anything changes. Undefined while the content is changing, or has changes that
   * the remote does not have.
   */
  state(): { readonly commit: string } | undefined;
  /** A commit on the branch that contains all changes of this server; undefined if some are not there yet. */
  ownCommit(): Promise<string | undefined>;
  /** True if the content has a commit. Does not ask the remote. */
  has(commit: string): Promise<boolean>;
  /**
   * Waits a few seconds until the content has a commit, or until the signal aborts. Throws a DomainError:
   * `precondition-failed` if the branch does not have it, ServiceUnavailableError if the remote does not respond.
   */
  reach(commit: string, signal: AbortSignal): Promise<void>;
  /** Gives the content the files that have come from the branch. */
  settle(): Promise<void>;
  /** Looks at the branch soon, and returns without waiting. Absent if something else fetches it. */
  lookSoon?(): void;
  /** Name of the branch, if it is known. */
  branch(): string | undefined;
}
