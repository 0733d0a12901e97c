import type { Heading } from '../../core/builder/body-headings.ts';
import type { QueryRunner } from '../../core/builder/run-query.ts';
import type { Loaders } from '../../core/read/reader.ts';
import { BadParameterError, ServiceUnavailableError } from '../../core/util/errors.ts';
import { INCOMPLETE, loadCode } from '../../core/util/lazy-code.ts';
import {
  createAnswers,
  errorResponse,
  type RespondError,
  type SnapshotHandler,
  type SnapshotServer,
} from './answer.ts';
import type { ReadFile } from './files.ts';
import { createListServer } from './list-server.ts';
import { type OpenSnapshot, openSnapshot } from './open.ts';
import type { SnapshotServices } from './services.ts';

/**
 * `own` is an address of the API. `possible` can be one in another language, such as `/de/jsonapi`, or a page of the site, such
 * as `/blog/jsonapi`: the manifest says so. `file` ends in `.json`, and the host has no such file.
 */
export type ApiAddress = 'own' | 'possible' | 'file';

/** What a page gets from the snapshot of its site. */
export interface Site {
  /**
   * Answers a request for content. `send` sends it to the host, which answers if the site has a server, or no such
   * address.
   */
  answer(request: Request, address: ApiAddress, send: () => Promise<Response>): Promise<Response>;
  /** Runs the query of a builder. */
  query<T>(run: (runner: QueryRunner) => T | Promise<T>): Promise<T>;
  /** The next request notices a deployment. */
  refresh(): void;
}

/** Loads the server of all requests but lists. */
type LoadServer = () => Promise<(services: SnapshotServices, respondError: RespondError) => SnapshotServer>;

/** Opens the snapshot of a site. */
export type OpenSite = (read: ReadFile) => Site;

/**
 * `loadComplete` is given if errors about queries have no texts in this code. It returns the same function of code that has
 * them, which then answers the requests that fail with such an error.
 */
export function openSite(
  read: ReadFile,
  loadServer: LoadServer,
  describeMatches: Loaders['describeMatches'],
  loadComplete?: () => Promise<OpenSite>,
): Site {
  const snapshot = openSnapshot(read);
  const handle = createSiteHandler(snapshot, loadServer, async (request, form, error) => {
    try {
      if (loadComplete === undefined || !isAboutQuery(error)) throw error;
      const site = await completeSite(loadComplete);
      return await site.answer(request, 'own', () => {
        throw new ServiceUnavailableError(INCOMPLETE, 1);
      });
    } catch (cause) {
      return errorResponse(request, form, cause);
    }
  });
  let complete: Site | undefined;

  async function completeSite(load: () => Promise<OpenSite>): Promise<Site> {
    complete ??= (await loadCode(load))(read);
    // It may have read the manifest of an earlier deployment.
    complete.refresh();
    return complete;
  }

  const runners = new WeakMap<SnapshotServices, QueryRunner>();
  return {
    refresh: snapshot.refresh,
    async answer(request, address, send) {
      // An error of the manifest is an answer, but not to the request for a page of the site.
      const exists = await snapshot.exists().catch(() => address === 'own' || undefined);
      if (exists) return (await handle(request)) ?? send();
      const response = await send();
      const isMissing = exists === undefined && response.status === 404;
      if (address !== 'own' && !isMissing) return response;
      return isFromServer(response) ? response : ((await handle(request)) ?? response);
    },
    async query(run) {
      try {
        return await snapshot.use(async (services) => {
          const { createQueryRunner } = await loadCode(() => import('../../core/builder/run-query.ts'));
          const runner =
            runners.get(services) ??
            createQueryRunner({ ...services, features: { describeMatches } }, headingsOf);
          runners.set(services, runner);
          return run(runner);
        });
      } catch (error) {
        if (loadComplete === undefined || !isAboutQuery(error)) throw error;
        return (await completeSite(loadComplete)).query(run);
      }
    },
  };
}

/** Answers lists at once, and loads what answers all other requests. */
export function createSiteHandler(
  snapshot: OpenSnapshot,
  loadServer: LoadServer,
  respondError: RespondError = errorResponse,
): SnapshotHandler {
  return createAnswers(
    snapshot,
    (services) => {
      const list = createListServer(services);
      let server: SnapshotServer | undefined;
      return async (request) => {
        const response = await list(request);
        if (response !== undefined) return response;
        server ??= (await loadCode(loadServer))(services, respondError);
        return server(request);
      };
    },
    respondError,
  );
}

/** True for the error of a bad query, and for that of a builder, which has it as its cause. */
function isAboutQuery(error: unknown): boolean {
  return (
    error instanceof BadParameterError || (error instanceof Error && error.cause instanceof BadParameterError)
  );
}

/** False for the page that a host of files returns if a file is missing. */
function isFromServer({ status, headers }: Response): boolean {
  return status === 204 || status === 304 || headers.get('content-type')?.includes('json') === true;
}

/** The browser's own parser reads what a package reads at build time. */
function headingsOf(html: string): readonly Heading[] {
  const { body } = new DOMParser().parseFromString(html, 'text/html');
  return [...body.querySelectorAll('h1, h2, h3, h4, h5, h6')].flatMap(({ id, tagName, textContent }) =>
    id === '' ? [] : [{ depth: Number(tagName[1]), slug: id, text: textContent.trim() }],
  );
}
