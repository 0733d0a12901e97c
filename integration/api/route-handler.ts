import type { Actor } from '../access/actor.ts';
import type { Streamed, Written } from '../read/compose.ts';
import type { Target } from './match-route.ts';
import type {
  ChangeRequest,
  ClientContext,
  ReadRequest,
  SignIn,
  WriteAnswer,
  WriteRequest,
} from './request.ts';
import type { Services } from './services.ts';

/** Serves a route: from the content, or as pages. */
export type RouteHandler = ContentHandler | PageHandler;

/** The handlers of routes by name. */
export type RouteHandlers = Readonly<Record<string, RouteHandler>>;

export interface ContentHandler {
  /** The response to the methods of the route but OPTIONS. */
  answer(request: ReadRequest): Promise<RouteAnswer>;
  /** The document about OPTIONS; undefined to list the methods of the route. Throws like `answer`. */
  options?(request: ReadRequest): Promise<OptionsDocument | undefined>;
  /** Carries out methods that change content. */
  write?(request: WriteRequest): Promise<WriteAnswer>;
  /** Carries out methods that change something else, on a server that cannot write too. */
  change?(request: ChangeRequest): Promise<WriteAnswer>;
}

export interface PageHandler {
  /** Undefined if the site serves the request itself. What it throws is an error response. */
  respond(call: PageRequest): Promise<Response | undefined>;
  /** True if it also serves a site whose content could not be loaded. Then it uses only the request. */
  readonly needsNoContent?: true;
}

export type RouteAnswer = (Written | Streamed) & {
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
