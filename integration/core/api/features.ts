import type { ContentFeature, OpenedHandlers, RouteHandlers, ServedFeatures } from './request.ts';
import { CORE_ROUTES, type Route, routeTable } from './routes.ts';

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
    uploads: opened.find(({ uploads }) => uploads)?.uploads,
    readOperations: opened.find(({ readOperations }) => readOperations)?.readOperations,
    fileLinks: features.find(({ fileLinks }) => fileLinks !== undefined)?.fileLinks,
    describeMatches: features.find(({ describeMatches }) => describeMatches)?.describeMatches,
    notes: async () => (await Promise.all(opened.map(({ notes }) => notes?.() ?? []))).flat(),
    documentSegments: features.flatMap(({ documents }) => documents?.segments ?? []),
    files: (route) =>
      owners
        .get(route)
        ?.files?.()
        .then((files) => files[route]),
    async describe() {
      return (await Promise.all(features.map((feature) => feature.describe?.() ?? []))).flat();
    },
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
