import { AsyncLocalStorage } from 'node:async_hooks';
import { z } from 'zod';
import type { AskedQuery, QueryObserver } from '../../builder/observe-queries.ts';
import type { Reference } from '../../content/model.ts';
import { digestText } from '../../util/revision.ts';
import { importedBy } from './call-site.ts';

/** Pages and queries of shared modules that are remembered; the oldest leave first. */
export const MAX_REMEMBERED = 500;

/** A query and its latest answer. */
export interface MadeQuery extends AskedQuery {
  /** How long the answer took, in milliseconds. */
  readonly ms: number;
  /** Entities in the answer; the number itself for `count()`. */
  readonly count: number;
  readonly failed: boolean;
  /** The first entities of the answer, whose files an editor can open. */
  readonly entities: readonly Reference[];
  /** The module that asked while it was loaded, or whose `getStaticPaths` did, for all its pages. */
  readonly module?: string;
}

/** Whether a page is made with a module (an absolute path). */
export type UsesModule = (module: string) => boolean;

/** What each page of a dev server has asked of the content. Addresses are paths with their query string. */
export interface PageQueries {
  readonly observe: QueryObserver;
  /**
   * Runs what answers a request. Queries are those of the page at `url`, and also of `from`: the page whose scripts
   * and islands make the request.
   */
  answering<T>(url: string, from: string | undefined, answer: () => T): T;
  /** Undefined for a page that was not answered here. */
  of(url: string, uses: UsesModule): readonly MadeQuery[] | undefined;
  /** Asks again what these pages asked. Answers those that have another answer now; of unknown ones, none. */
  changed(pages: ReadonlyMap<string, UsesModule>): Promise<ReadonlySet<string>>;
  forget(): void;
}

/** `version` is that of the content: where it has not moved, nothing is asked again. */
export function createPageQueries(version: () => number): PageQueries {
  const pages = new Map<string, Map<string, Made>>();
  const shared = new Map<string, Made>();
  const asking = new AsyncLocalStorage<readonly Map<string, Made>[]>();

  const observe: QueryObserver = async (query, ask) => {
    const at = version();
    const start = performance.now();
    const module = importedBy();
    const outcome = await settled(ask);
    const made: Made = {
      ...query,
      ms: performance.now() - start,
      ...summary(outcome),
      ...(module !== undefined && { module }),
      version: at,
      ask: async () => summary(await settled(ask)),
    };
    const key = `${query.actor.name} ${query.actor.roles} ${query.code}`;
    if (module !== undefined) remember(shared, `${module} ${key}`, made);
    else for (const page of asking.getStore() ?? []) remember(page, key, made);
    if ('error' in outcome) throw outcome.error;
    return outcome.answer;
  };

  function used(url: string, uses: UsesModule): readonly Made[] | undefined {
    const page = pages.get(url);
    if (page === undefined) return undefined;
    return [...shared.values()]
      .filter(({ module }) => module !== undefined && uses(module))
      .concat(...page.values());
  }

  /** Whether the answer is another one than before. */
  async function askAgain(made: Made): Promise<boolean> {
    const now = version();
    if (made.version === now) return false;
    const before = made.digest;
    Object.assign(made, await made.ask(), { version: now });
    return made.digest !== before;
  }

  return {
    observe,
    answering(url, from, answer) {
      const page = new Map<string, Made>();
      remember(pages, url, page);
      const around = from === undefined || from === url ? undefined : pages.get(from);
      return asking.run(around === undefined ? [page] : [page, around], answer);
    },
    of: used,
    async changed(asked) {
      const outcomes = new Map<Made, boolean>();
      const other = new Set<string>();
      for (const [url, uses] of asked) {
        for (const made of used(url, uses) ?? []) {
          const known = outcomes.get(made) ?? (await askAgain(made));
          outcomes.set(made, known);
          if (known) other.add(url);
          if (known) break;
        }
      }
      return other;
    },
    forget() {
      pages.clear();
      shared.clear();
    },
  };
}

interface Made extends MadeQuery {
  readonly digest: string;
  /** Of the content that was asked. */
  readonly version: number;
  ask(): Promise<Summary>;
}

type Summary = Pick<Made, 'count' | 'failed' | 'entities' | 'digest'>;
type Outcome<T> = { readonly answer: T } | { readonly error: unknown };

async function settled<T>(ask: () => Promise<T>): Promise<Outcome<T>> {
  try {
    return { answer: await ask() };
  } catch (error) {
    return { error };
  }
}

function summary(outcome: Outcome<unknown>): Summary {
  if ('error' in outcome) {
    return { count: 0, failed: true, entities: [], digest: `failed: ${outcome.error}` };
  }
  const { answer } = outcome;
  const list = entitiesOf(answer);
  const entities = list.slice(0, MAX_ENTITIES).flatMap((each) => {
    const { data } = reference.safeParse(each);
    return data === undefined ? [] : [data];
  });
  const count = typeof answer === 'number' ? answer : list.length;
  return { count, failed: false, entities, digest: digestText(JSON.stringify(answer) ?? '') };
}

/** Of a list, of one entity or of a document. */
function entitiesOf(answer: unknown): readonly unknown[] {
  if (Array.isArray(answer)) return answer;
  if (typeof answer !== 'object' || answer === null) return [];
  return 'jsonapi' in answer && 'data' in answer ? [answer.data ?? []].flat() : [answer];
}

const MAX_ENTITIES = 5;
const reference = z.object({ type: z.string(), id: z.string() });

function remember<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= MAX_REMEMBERED) return;
    map.delete(oldest);
  }
}
