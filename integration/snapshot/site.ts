import type { Services } from '../api/services.ts';
import type { Heading } from '../builder/body-headings.ts';
import type { QueryRunner } from '../builder/run-query.ts';
import { loadCode } from '../util/lazy-code.ts';
import type { ReadFile } from './files.ts';
import { createSnapshotHandler } from './handler.ts';
import { openSnapshot } from './open.ts';

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

export function openSite(read: ReadFile): Site {
  const snapshot = openSnapshot(read);
  const handle = createSnapshotHandler(snapshot);
  const runners = new WeakMap<Services, QueryRunner>();
  return {
    refresh: snapshot.refresh,
    async answer(request, address, send) {
      // An error of the manifest is an answer, but not to the request for a page.
      const exists = await snapshot.exists().catch(() => address === 'own');
      if (exists) return (await handle(request)) ?? send();
      const response = await send();
      if (address !== 'own') return response;
      return isFromServer(response) ? response : ((await handle(request)) ?? response);
    },
    query: (run) =>
      snapshot.use(async (services) => {
        const { createQueryRunner } = await loadCode(() => import('../builder/run-query.ts'));
        const runner = runners.get(services) ?? createQueryRunner(services, headingsOf);
        runners.set(services, runner);
        return run(runner);
      }),
  };
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
