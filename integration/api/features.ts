import type { ComposedDocument } from '../read/compose.ts';
import type { Reader } from '../read/reader.ts';
import type { JsonApiContext } from './jsonapi/context.ts';
import type { Target } from './match-route.ts';
import type { ClientContext } from './request.ts';
import type { IdentifiedVisitor, RouteHandler, RouteHandlers } from './route-handler.ts';
import { CORE_ROUTES, type Route, routeTable } from './routes.ts';

/** What a feature adds to the API. Everything is plain data or loaded when it is needed, because browsers use it too. */
export interface ContentFeature {
  readonly name: string;
  readonly routes?: readonly Route[];
  /** Loads the handlers of its routes, by name of the route. */
  handlers?(): Promise<RouteHandlers>;
  readonly documents?: NamedDocuments;
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

/** Finds out who sends a request; undefined if it cannot tell. `target` is undefined for a page of the site. */
export type Identify = (
  request: Request,
  context: ClientContext,
  target: Target | undefined,
) => Promise<IdentifiedVisitor | undefined>;

/** The features of a site, as its API uses them. */
export interface ServedFeatures {
  readonly routes: readonly Route[];
  /** The handler of a route; undefined if the features have none. */
  handler(name: string): Promise<RouteHandler> | undefined;
  /** The document at a path below `/jsonapi`. */
  findDocument(services: Reader, segments: readonly string[]): Promise<NamedDocument | undefined>;
  /** The first segments of paths of such documents. */
  readonly documentSegments: readonly string[];
  /** Who sends a request; undefined if no feature can tell. */
  readonly identify: Identify;
}

/** Handlers of an opened feature, and how it identifies the senders of requests. */
export interface OpenedHandlers {
  readonly handlers?: RouteHandlers;
  readonly identify?: Identify;
}

/** The table of all routes. */
export function routesOf(features: readonly ContentFeature[]): readonly Route[] {
  return routeTable([...CORE_ROUTES, ...features.flatMap(({ routes = [] }) => routes)]);
}

/** Combines features with the handlers of the core. `opened` have a runtime, and so handlers of their own. */
export function serveFeatures(
  features: readonly ContentFeature[],
  coreHandlers: RouteHandlers,
  opened: readonly OpenedHandlers[] = [],
): ServedFeatures {
  const ready: RouteHandlers = Object.assign({}, coreHandlers, ...opened.map(({ handlers }) => handlers));
  const owners = new Map(
    features.flatMap((feature) => (feature.routes ?? []).map(({ name }) => [name, feature] as const)),
  );
  return {
    routes: routesOf(features),
    handler(name) {
      const handler = ready[name];
      if (handler !== undefined) return Promise.resolve(handler);
      return owners
        .get(name)
        ?.handlers?.()
        .then((handlers) => handlers[name]!);
    },
    documentSegments: features.flatMap(({ documents }) => documents?.segments ?? []),
    async findDocument(services, segments) {
      for (const { documents } of features) {
        if (!documents?.segments.includes((segments[0] ?? '').toLowerCase())) continue;
        const found = (await documents.load())(services, segments);
        if (found !== undefined) return found;
      }
      return undefined;
    },
    async identify(...args) {
      for (const { identify } of opened) {
        const visitor = await identify?.(...args);
        if (visitor !== undefined) return visitor;
      }
      return undefined;
    },
  };
}
