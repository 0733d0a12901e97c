import { answer, type QueriedServices } from '../api/jsonapi/answer.ts';
import type { DataDocument } from '../read/document-types.ts';
import { type AsOption, actorOf, checkOptionNames } from './as-option.ts';
import { createEntities, type UntypedQueryBuilder } from './create-builder.ts';
import { jsonapiCall } from './format-query.ts';
import { headingsOf } from './headings.ts';
import type { LanguageOption } from './language-option.ts';
import { createLazyRunner } from './lazy-runner.ts';
import { observeRunner, type QueryObserver, runUnobserved } from './observe-queries.ts';
import type { RuntimePath } from './paths.ts';
import type { QueryBuilder } from './query-builder.ts';
import { requestError } from './query-errors.ts';
import { cacheKey, createQueryRunner, type QueryRunner } from './run-query.ts';
import { readSuggestions, type SuggestOptions } from './suggest.ts';

/**
 * What `astro-jsonapi:content` exports. `S` is the type of the project's schema, `{}` without one: then every bundle is
 * loose, with any name and any path. `L` are further bundle names that the schema does not describe, `Lang` the languages
 * of the site.
 */
export interface ContentApi<
  S,
  L extends string = [keyof S] extends [never] ? string : never,
  Lang extends string = string,
  Options = AsOption & LanguageOption<Lang>,
> {
  /** A query on the entities of a bundle, with the permissions of anonymous visitors unless `as` is set. */
  // Without an alias, an error about another name lists the bundles.
  entities<const B extends { [K in keyof S & string]: K }[keyof S & string] | L>(
    bundle: B,
    options?: Options,
  ): QueryBuilder<S, B>;
  /**
   * The document that a server returns for a path below `/jsonapi`, such as `/node/article?filter[status]=1`. Rejects
   * with an Error if the server would return an error.
   */
  jsonapi(url: string, options?: AsOption): Promise<DataDocument>;
  /**
   * A key for `getStaticPaths` of results: entities, lists and documents. It changes whenever one of them does, with
   * its included entities.
   */
  cacheKey(...answers: readonly unknown[]): string;
  /**
   * A path that the code does not contain, such as one from a query string, for `where`, `sort` and `include`. An invalid path
   * is an Error when the query runs.
   */
  runtimePath(path: string): RuntimePath;
}

/** `ContentApi` at run time; `astro-jsonapi:content` exports it with the types of the schema. */
export interface UntypedContentApi {
  entities(bundle: string, options?: AsOption & LanguageOption): UntypedQueryBuilder;
  jsonapi(url: string, options?: AsOption): Promise<DataDocument>;
  suggest(words: string, options?: SuggestOptions & AsOption): Promise<object>;
  cacheKey(...answers: readonly unknown[]): string;
  runtimePath(path: string): string;
  /** The content of a preview, in code of its page, and that of the site. Without a collection, it counts as a query of the page. */
  previewed?(collection?: string): Readonly<Record<'shown' | 'site', QueriedServices>> | undefined;
  /** Is called around reads of collections of Astro. */
  readonly observe?: QueryObserver;
}

/**
 * The API for the site's own code; `observe` is called around every query. Queries are about the content that `shown` returns
 * when they run.
 */
export function createContentApi(
  services: QueriedServices,
  observe: QueryObserver = runUnobserved,
  shown: (collection?: string) => QueriedServices | undefined = () => undefined,
): UntypedContentApi {
  const runners = new WeakMap<QueriedServices, QueryRunner>();
  const runnerOf = (content = services) => {
    const runner = runners.get(content) ?? createQueryRunner(content, headingsOf);
    runners.set(content, runner);
    return runner;
  };
  const lazy = createLazyRunner(async (run) => await run(runnerOf(shown())), runnerOf().toUrl);
  const runner = observeRunner(lazy, services, observe);
  const content: UntypedContentApi = {
    entities: createEntities(runner, ['as', 'lang', 'fallback']),
    async jsonapi(url, options = {}) {
      checkOptionNames(options, `jsonapi('${url}')`);
      try {
        const actor = actorOf(options);
        const query = { code: jsonapiCall(url, options), path: url, actor };
        return await observe(query, () => answer(shown() ?? services, url, { actor }));
      } catch (error) {
        throw requestError(error, url);
      }
    },
    suggest: (words, { as, ...options } = {}) =>
      readSuggestions((path) => content.jsonapi(path, { as }), words, options),
    cacheKey,
    runtimePath: (path) => path,
    observe,
    previewed(collection) {
      const content = shown(collection);
      return content && { shown: content, site: services };
    },
  };
  return content;
}
