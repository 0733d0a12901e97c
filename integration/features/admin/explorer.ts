import type { Actor } from '../../core/access/actor.ts';
import type { Services } from '../../core/api/request.ts';
import type { FieldDefinition, ResourceType } from '../../core/content/model.ts';
import { EMPTY_FILTER, OPERATORS } from '../../core/engine/ast.ts';
import type { QueryAccess } from '../../core/engine/engine.ts';
import { parseQuery } from '../../core/engine/parse/parse-query.ts';
import { isValues, parseQueryString } from '../../core/engine/parse/query-string.ts';
import { findType } from '../../core/read/find-type.ts';
import { splitLanguage } from '../../core/read/language-paths.ts';
import { apiRoot, staticPage } from '../../core/read/links.ts';
import { requestLanguage } from '../../core/read/request-language.ts';
import { visibleFields } from '../../core/read/sparse-fields.ts';
import { belowPrefix, splitPath } from '../../core/read/url-path.ts';
import { BadParameterError, NotFoundError } from '../../core/util/errors.ts';

/** The content types and features that the explorer offers. */
export type ExplorerSchema = Awaited<ReturnType<typeof explorerSchema>>;

export async function explorerSchema(services: Services, access: QueryAccess, mode: 'server' | 'static') {
  const { settings } = services;
  const { base, staticQueries, fulltext = true, signIn = false } = settings;
  const root = apiRoot(settings);
  const types: Awaited<ReturnType<typeof describeType>>[] = [];
  for (const type of services.store.types.values()) types.push(await describeType(services, access, type));
  return {
    types,
    operators: OPERATORS,
    staticQueries: Object.entries(staticQueries).map(([name, path]) => {
      const query = belowPrefix(path, settings);
      return { name, query, url: mode === 'static' ? staticPage(`${root}/q/${name}`, 1) : root + query };
    }),
    /** Codes of the site's languages, the default first; empty if all content has one. */
    languages: languageCodesOf(services.settings),
    /** Entities per page and operations per request, at most. */
    limits: { pageSize: services.settings.pageSize.max, operations: services.settings.limits.operations },
    /** True if full-text search is on. */
    fulltext,
    /** True if the server writes. */
    writes: mode === 'server' && services.writer !== null,
    /** True if accounts can sign in. */
    signIn: mode === 'server' && signIn,
    mode,
    /** Astro's `base`, without a trailing slash. */
    base,
  };
}

function languageCodesOf({ languages }: Services['settings']): readonly string[] {
  const codes = languages?.all.map(({ code }) => code) ?? [];
  return codes.sort(
    (one, other) => Number(other === languages?.default) - Number(one === languages?.default),
  );
}

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
  const { filter, sort, page, facets } = parseQuery(search, 'collection', services.settings);
  const { plan, resolveMs, executeMs, ast, result } = await services.engine.explain(
    type,
    { filter, sort, page, facets },
    services.access(actor, language),
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

/** `count` is the number of entities that the actor may see. */
async function describeType(services: Services, access: QueryAccess, type: ResourceType) {
  const everything = { filter: EMPTY_FILTER, sort: [], page: { offset: 0, limit: 0 } };
  const { count } = await services.engine.run(type, everything, access);
  const { name, entityType, bundle } = type;
  const fields = visibleFields(type, access).map(describeField);
  return { name, entityType, bundle, count, fields };
}

function describeField(field: FieldDefinition) {
  const { name, kind, list, targets, properties, required, untranslated, storedIn, rules = {} } = field;
  return {
    name,
    kind,
    list,
    targets,
    properties: Object.values(properties).map((property) => ({ name: property.name, kind: property.kind })),
    /** True if the schema requires a value. */
    required,
    // True for a field that all translations share.
    ...(untranslated && { untranslated }),
    // The field with the value of a title. Forms have one input for both.
    ...(storedIn !== undefined && { storedIn }),
    // Texts of the schema for editors.
    ...(rules.title !== undefined && { label: rules.title }),
    ...(rules.description !== undefined && { description: rules.description }),
    ...(rules.enum !== undefined && { choices: rules.enum }),
  };
}
