import { ANONYMOUS } from '../access/actor.ts';
import { createRouteMatcher, type Target } from '../api/match-route.ts';
import { writeJson } from '../read/compose.ts';
import { createContentServer, type RouteHandlers } from '../server/content-server.ts';
import { errorResponse } from '../server/errors.ts';
import { JSONAPI_HANDLERS } from '../server/read-handlers.ts';
import { ServiceUnavailableError } from '../util/errors.ts';
import {
  createSnapshotFiles,
  MissingFileError,
  type ReadFile,
  readFile,
  type SnapshotFiles,
  untilLoaded,
} from './files.ts';
import { FORMAT, MANIFEST, type Manifest } from './format.ts';
import { createSnapshotServices } from './services.ts';

export type { ReadFile } from './files.ts';

/** Answers requests for content as a server would, for anonymous visitors; undefined for all other requests. */
export type SnapshotHandler = (request: Request) => Promise<Response | undefined>;

/** Milliseconds after which the manifest is read again. */
const MANIFEST_LIFETIME = 60_000;

/**
 * Answers requests from the files of a snapshot. The manifest is read at the first request, after a minute, and if a file
 * of it does not exist any more, because the site was deployed in the meantime.
 */
export function createSnapshotHandler(read: ReadFile, now: () => number = Date.now): SnapshotHandler {
  let opened: { readonly snapshot: Promise<Snapshot>; readonly until: number } | undefined;

  function open(): Promise<Snapshot> {
    const previous = opened?.snapshot;
    const snapshot = openSnapshot(read, previous);
    const current = { snapshot, until: now() + MANIFEST_LIFETIME };
    opened = current;
    snapshot.catch(() => {
      if (opened === current) opened = undefined;
    });
    return snapshot;
  }

  return async (request) => {
    try {
      const isCurrent = opened !== undefined && now() < opened.until;
      try {
        return await answer(await (isCurrent && opened ? opened.snapshot : open()), request);
      } catch (error) {
        if (!(error instanceof MissingFileError)) throw error;
        return await answer(await open(), request);
      }
    } catch (error) {
      return failure(request, error);
    }
  };
}

interface Snapshot {
  /** The text of the manifest. */
  readonly text: string;
  readonly files: SnapshotFiles;
  readonly match: (url: string) => Target | undefined;
  readonly serve: ReturnType<typeof createContentServer>;
}

/** The previous snapshot if its manifest has not changed, or cannot be read at the moment. */
async function openSnapshot(read: ReadFile, previous?: Promise<Snapshot>): Promise<Snapshot> {
  const last = await previous?.catch(() => undefined);
  let bytes: Uint8Array | undefined;
  try {
    bytes = await readFile(read, MANIFEST);
  } catch (error) {
    if (last !== undefined) return last;
    throw error;
  }
  if (bytes === undefined) throw new MissingFileError(MANIFEST, 'is missing');
  const text = new TextDecoder().decode(bytes);
  if (last?.text === text) return last;
  const manifest: Manifest = JSON.parse(text);
  if (manifest.format !== FORMAT) {
    throw new ServiceUnavailableError(
      `The snapshot has the format ${manifest.format}, but this page reads the format ${FORMAT}. Reload the page.`,
      1,
    );
  }
  const files = createSnapshotFiles(read, manifest.pack);
  const services = createSnapshotServices(manifest, files);
  const { base, api, drupal, languages } = services.settings;
  const match = createRouteMatcher({
    base,
    api,
    drupal,
    languages,
    explorer: false,
    signIn: false,
    admin: false,
    health: false,
  });
  return { text, files, match, serve: createContentServer(services, match, HANDLERS) };
}

/** What few sites use is loaded at its first request. */
const HANDLERS: RouteHandlers = {
  ...JSONAPI_HANDLERS,
  'rest-entry': { answer: async (request) => (await import('../api/rest/document.ts')).readBundles(request) },
  rest: {
    answer: async (request) => (await import('../api/rest/document.ts')).readRest(request),
    options: async (request) => (await import('../api/rest/document.ts')).restOptions(request),
  },
  'translate-path': {
    async answer(request) {
      const { translatePath } = await import('../api/drupal/translate-path.ts');
      return writeJson(await translatePath(request, request.target.origin, request.target.query));
    },
  },
};

async function answer({ files, match, serve }: Snapshot, request: Request): Promise<Response | undefined> {
  const target = match(request.url);
  if (target === undefined || HANDLERS[target.route.name] === undefined) return undefined;
  return untilLoaded(files, () => serve(request, target, { actor: ANONYMOUS }, {}));
}

function failure(request: Request, error: unknown): Response {
  if (!(error instanceof MissingFileError)) return errorResponse(request, 'jsonapi', error);
  return errorResponse(
    request,
    'jsonapi',
    new ServiceUnavailableError(`${error.detail} Build and deploy the site again.`, 60, error),
  );
}
