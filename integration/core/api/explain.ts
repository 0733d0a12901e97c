import type { Actor } from '../access/actor.ts';
import { pageParser } from '../engine/parse/parse-cursor-page.ts';
import { isValues, parseQueryString } from '../engine/parse/query-string.ts';
import { inOrder } from '../engine/resolve/resolve-filter.ts';
import { findType } from '../read/find.ts';
import { splitLanguage } from '../read/language-paths.ts';
import { requestLanguage } from '../read/request-language.ts';
import { splitPath } from '../read/url-path.ts';
import { BadParameterError, NotFoundError } from '../util/errors.ts';
import { parseList } from './jsonapi/document.ts';
import type { Services } from './request.ts';

/**
 * The plan and timing, in milliseconds, of the query in `url=<path of a collection with its query>`. Throws like a request
 * for that collection.
 */
export async function explain(services: Services, actor: Actor, query: string) {
  const url = parseQueryString(query, services.settings.limits).url;
  const path = url === undefined || !isValues(url) ? undefined : url.at(-1);
  if (path === undefined || !path.startsWith('/')) {
    throw new BadParameterError(
      'url',
      'url must be the percent-encoded path to explain, for example url=%2Fjsonapi%2Fnode%2Farticle.',
    );
  }
  const start = performance.now();
  const { langcode, path: plain } = splitLanguage(services.settings, path);
  const { segments, query: search } = splitPath(plain, services.settings);
  const language = requestLanguage(services.settings.languages, search, langcode);
  const [entityType = '', bundle = '', ...id] = segments;
  const type = findType(services.store, entityType, bundle);
  if (id.length > 0)
    throw new NotFoundError(`'${path}' is a single resource. Only collections have a query plan.`);
  const access = services.access(actor, language);
  const { filter, sort, page, facets } = await parseList(
    { services, access },
    type,
    search,
    pageParser(false),
  );
  const { plan, resolveMs, executeMs, ast, result } = await services.engine.explain(
    type,
    inOrder([type], { filter, sort, page, facets }, access),
    access,
  );
  return {
    url: path,
    plan,
    count: result.count,
    resolveMs,
    executeMs,
    /** Includes parsing the URL. */
    totalMs: performance.now() - start,
    ast,
  };
}
