import { EXPLORER_PATH } from '../../api/routes.ts';
import type { Services } from '../../api/services.ts';
import { type StaticDocument, staticDocuments } from '../../api/static/documents.ts';
import { CONTENT_FILES_PREFIX } from '../../content/file-place.ts';
import { belowPrefix, pathSegments } from '../../read/url-path.ts';
import { errorResponse } from '../../server/errors.ts';
import type { Handler } from '../../server/handler.ts';
import { respond } from '../../server/respond.ts';
import { NotFoundError } from '../../util/errors.ts';
import { digestText } from '../../util/revision.ts';
import { errorMessage } from '../../util/text.ts';

export interface StaticAnswersDeps {
  readonly services: Services;
  /** Answers what is no file. */
  readonly handle: Handler;
  readonly log: { warn(message: string): void; error(message: string): void };
}

/**
 * A dev server of a site without an adapter: `.json` paths are answered with the very documents that the build will
 * write, and with a 404 where it will write none. Everything else is answered as a server would, with one line of log
 * that the build will not have it.
 */
export function createStaticAnswers({ services, handle, log }: StaticAnswersDeps): Handler {
  const { base, health } = services.settings;
  let listed: { readonly version: number; readonly documents: Promise<ReadonlyMap<string, StaticDocument>> };
  let told = false;

  function documents(): Promise<ReadonlyMap<string, StaticDocument>> {
    const { version } = services.store;
    if (listed?.version !== version) listed = { version, documents: list(services, log) };
    return listed.documents;
  }

  return async (request, context) => {
    const { pathname, search } = new URL(request.url);
    if (request.method !== 'GET' && request.method !== 'HEAD') return handle(request, context);
    // The explorer of a dev server asks a server.
    if (isFromExplorer(request, base)) return handle(request, context);
    if (pathname.endsWith('.json') && !pathname.startsWith(base + CONTENT_FILES_PREFIX)) {
      try {
        const path = pathSegments(pathname.slice(base.length)).join('/');
        const document = (await documents()).get(path);
        if (document === undefined) throw new NotFoundError(`The build writes no file '${path}'.`);
        const bytes = new Uint8Array(await document.write());
        const written = { bytes, tag: digestText(new TextDecoder().decode(bytes)) };
        return respond(request, { status: 200, contentType: 'application/json', written });
      } catch (error) {
        return errorResponse(request, 'jsonapi', error);
      }
    }
    const own = health !== false && pathname === base + health;
    if (!told && !own && !pathname.startsWith(base + EXPLORER_PATH)) {
      told = true;
      log.warn(missing(belowPrefix(pathname + search, base)));
    }
    return handle(request, context);
  };
}

/** Documents by path. What cannot be written is told, and the rest is answered. */
async function list(
  services: Services,
  log: StaticAnswersDeps['log'],
): Promise<ReadonlyMap<string, StaticDocument>> {
  const documents = new Map<string, StaticDocument>();
  try {
    for await (const document of staticDocuments(services)) documents.set(document.path, document);
  } catch (error) {
    log.error(`The build will fail: ${errorMessage(error)}`);
  }
  return documents;
}

function isFromExplorer({ headers }: Request, base: string): boolean {
  const from = headers.get('referer');
  return from !== null && URL.canParse(from) && new URL(from).pathname.startsWith(base + EXPLORER_PATH);
}

function missing(path: string): string {
  return `${path} is answered here, but this site has no adapter: its build writes .json files only, such as /jsonapi/node/<bundle>.json. List the query in option prebuild to have it at /jsonapi/q/<name>.json, or add an adapter.`;
}
