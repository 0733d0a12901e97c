import { ADMIN_PATH, EXPLORER_PATH } from '../../core/api/paths.ts';
import type { Services, StaticDocument, StaticDocuments } from '../../core/api/request.ts';
import { CONTENT_FILES_PREFIX } from '../../core/content/model.ts';
import { belowPrefix, pathSegments } from '../../core/read/url-path.ts';
import { errorResponse } from '../../core/server/errors.ts';
import type { Handler } from '../../core/server/handler.ts';
import { respond } from '../../core/server/respond.ts';
import { NotFoundError } from '../../core/util/errors.ts';
import { digestText } from '../../core/util/revision.ts';
import { errorMessage } from '../../core/util/text.ts';
import { staticDocuments, withinBounds } from './documents/documents.ts';
import { SNAPSHOT_PATH } from './format.ts';

export interface StaticAnswersDeps {
  readonly services: Services;
  /** The files from which scripts answer queries. */
  readonly snapshot: () => AsyncIterable<StaticDocument>;
  /** Serves all other requests. */
  readonly handle: Handler;
  readonly log: { warn(message: string): void; error(message: string): void };
}

/**
 * The handler of `astro dev` for a site without an adapter. Serves `.json` paths with the documents that the build will
 * write, and a 404 if it will not write one. Serves other paths like a server, with one warning that the build will not
 * have them.
 */
export function createStaticAnswers({ services, snapshot, handle, log }: StaticAnswersDeps): Handler {
  const { base, prefix = '', health } = services.settings;
  const ownPages = [base + prefix + EXPLORER_PATH, base + ADMIN_PATH, `${base}/node/`];
  // Decided once, because it writes some documents of each folder.
  let bounded: ReturnType<typeof withinBounds> | undefined;
  async function* boundedDocuments(): StaticDocuments {
    bounded ??= withinBounds(services);
    yield* staticDocuments((await bounded).services);
  }
  const documents = createListing(services, boundedDocuments, log);
  const snapshotFiles = createListing(services, snapshot, log);
  const folder = `${prefix}${SNAPSHOT_PATH}/`.slice(1);
  let hasWarned = false;

  return async (request, context) => {
    const { pathname, search } = new URL(request.url);
    if (request.method !== 'GET' && request.method !== 'HEAD') return handle(request, context);
    // The explorer and the admin of a dev server send queries.
    if (isFrom(request, ownPages)) return handle(request, context);
    if (pathname.endsWith('.json') && !pathname.startsWith(base + CONTENT_FILES_PREFIX)) {
      try {
        const path = pathSegments(pathname.slice(base.length)).join('/');
        const listed = await (path.startsWith(folder) ? snapshotFiles : documents)();
        const document = listed.get(path);
        if (document === undefined) throw new NotFoundError(`The build writes no file '${path}'.`);
        const bytes = new Uint8Array(await document.write());
        const written = { bytes, tag: digestText(new TextDecoder().decode(bytes)) };
        return respond(request, { status: 200, contentType: 'application/json', written });
      } catch (error) {
        return errorResponse(request, 'jsonapi', error);
      }
    }
    const isHealth = health !== false && pathname === base + health;
    const isPage = ownPages.some((page) => pathname.startsWith(page));
    if (!hasWarned && !isHealth && !isPage) {
      hasWarned = true;
      log.warn(missing(prefix, belowPrefix(pathname + search, services.settings) || pathname));
    }
    return handle(request, context);
  };
}

/** Lists documents by path, again after a change. Logs the first one that cannot be written, and omits the rest. */
function createListing(
  { store }: Services,
  documents: () => AsyncIterable<StaticDocument>,
  log: StaticAnswersDeps['log'],
): () => Promise<ReadonlyMap<string, StaticDocument>> {
  let cached:
    | { readonly version: number; readonly listed: Promise<ReadonlyMap<string, StaticDocument>> }
    | undefined;

  async function list(): Promise<ReadonlyMap<string, StaticDocument>> {
    const listed = new Map<string, StaticDocument>();
    try {
      for await (const document of documents()) listed.set(document.path, document);
    } catch (error) {
      log.error(`The build will fail: ${errorMessage(error)}`);
    }
    return listed;
  }

  return () => {
    const { version } = store;
    if (cached?.version !== version) cached = { version, listed: list() };
    return cached.listed;
  };
}

function isFrom({ headers }: Request, pages: readonly string[]): boolean {
  const from = headers.get('referer');
  if (from === null || !URL.canParse(from)) return false;
  return pages.some((page) => new URL(from).pathname.startsWith(page));
}

function missing(prefix: string, path: string): string {
  return `${path} works in astro dev only: this site has no adapter, so its build writes .json files only, such as ${prefix}/jsonapi/node/<bundle>.json. List the query in option prebuild to have it at ${prefix}/jsonapi/q/<name>.json, or add an adapter.`;
}
