import { type Actor, ANONYMOUS } from '../../core/access/actor.ts';
import { serveFeatures } from '../../core/api/features.ts';
import type { Services } from '../../core/api/request.ts';
import { actorOf } from '../../core/builder/as-option.ts';
import { createEntities } from '../../core/builder/create-builder.ts';
import { headingsOf } from '../../core/builder/headings.ts';
import { createContentApi } from '../../core/builder/index.ts';
import { createLazyRunner } from '../../core/builder/lazy-runner.ts';
import { createQueryRunner } from '../../core/builder/run-query.ts';
import { createTimeSlices } from '../../core/engine/time-slices.ts';
import { createResponseLimiter } from '../../core/read/response-limiter.ts';
import type { Runtime, ServedRuntime } from '../../core/runtime/runtime.ts';
import type { Site } from '../../core/runtime/site.ts';
import { createHandler } from '../../core/server/handler.ts';
import { CORE_HANDLERS } from '../../core/server/handlers.ts';
import type { FileSource } from '../../core/storage/file-source.ts';
import { createSnapshotFiles, untilLoaded } from './files.ts';
import { MANIFEST, type Manifest } from './format.ts';
import { createSnapshotServices } from './services.ts';

/** A snapshot in a build. */
export interface CarriedSnapshot {
  /** Each file by name. */
  readonly files: ReadonlyMap<string, () => Promise<{ readonly default: string }>>;
  /** When publication dates change what visitors see, in milliseconds since the Unix epoch. */
  readonly until: number;
}

/** Routes that a snapshot answers. Others need the sources, such as the sub-requests of Drupal. */
const ROUTES: ReadonlySet<string> = new Set([
  'content-file',
  'entry',
  'explorer',
  'health',
  'index',
  'jsonapi',
  'menu',
  'rest',
  'rest-entry',
  'schema',
  'translate-path',
  'view',
]);

/**
 * A runtime that answers anonymous visitors from the snapshot of the build, and so starts without reading the content.
 * `openSources` is called when a request or a query needs more.
 */
export async function openBuiltSnapshot(
  { files: carried, until }: CarriedSnapshot,
  contentFiles: FileSource,
  { features, settings }: Pick<Site, 'features' | 'settings'>,
  openSources: () => Promise<Runtime>,
): Promise<ServedRuntime> {
  const read = async (name: string) => (await carried.get(name)?.())?.default;
  const manifest: Manifest = JSON.parse((await read(MANIFEST)) ?? '');
  const encoder = new TextEncoder();
  const files = createSnapshotFiles(async (name) => {
    const text = await read(name);
    return text === undefined ? undefined : encoder.encode(text);
  }, manifest.packed);
  const clock = { now: Date.now, nextScheduledChange: () => until };
  const slices = createTimeSlices(setImmediate);
  const services: Services = {
    features: serveFeatures(features, CORE_HANDLERS),
    ...createSnapshotServices(manifest, files, slices),
    files: contentFiles,
    responseLimiter: createResponseLimiter(slices),
    clock,
  };
  const isAnswered = (actor: Actor) => actor === ANONYMOUS && clock.now() < until;
  const answer = createHandler(services, settings);
  const own = createContentApi(services, (_, run) => untilLoaded(files, run));
  const ownRunner = createQueryRunner(services, headingsOf);
  const runner = createLazyRunner(
    async (run, spec) =>
      isAnswered(actorOf(spec ?? {}))
        ? untilLoaded(files, () => run(ownRunner))
        : run(createQueryRunner((await openSources()).services, headingsOf)),
    ownRunner.toUrl,
  );
  return {
    async handle(request, context = {}) {
      const { actor = ANONYMOUS, target } = context;
      if (isAnswered(actor) && target !== undefined && ROUTES.has(target.route.name)) {
        return untilLoaded(files, () => answer(request, context));
      }
      return (await openSources()).handle(request, context);
    },
    content: {
      ...own,
      entities: createEntities(runner, ['as', 'lang', 'fallback']),
      jsonapi: async (url, options = {}) =>
        isAnswered(actorOf(options))
          ? own.jsonapi(url, options)
          : (await openSources()).content.jsonapi(url, options),
    },
    visitor: async () => ANONYMOUS,
    useRouteCache(cache) {
      // Publication dates remove pages from the cache. Nothing else changes the content of a build.
      if (until < Number.POSITIVE_INFINITY) {
        void openSources().then(
          (sources) => sources.useRouteCache(cache),
          () => undefined,
        );
      }
    },
  };
}
