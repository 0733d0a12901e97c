import type { FieldKind, ResourceType } from '../content/model.ts';
import { EMPTY_FILTER, OPERATORS } from '../engine/ast.ts';
import type { EngineQuery, QueryAccess } from '../engine/engine.ts';
import { parseQuery } from '../engine/parse/parse-query.ts';
import { isValues, parseQueryString } from '../engine/parse/query-string.ts';
import { findType } from '../read/find.ts';
import { staticPage } from '../read/links.ts';
import { visibleFields } from '../read/sparse-fields.ts';
import { belowPrefix, splitPath } from '../read/url-path.ts';
import { BadParameterError, NotFoundError } from '../util/errors.ts';
import type { Services } from './services.ts';

/** The content types and features that the explorer offers. */
export interface ExplorerSchemaDocument {
  readonly types: readonly {
    readonly name: string;
    readonly entityType: string;
    readonly bundle: string;
    /** Number of entities that the actor may see. */
    readonly count: number;
    readonly fields: readonly {
      readonly name: string;
      readonly kind: FieldKind;
      readonly list: boolean;
      readonly targets: readonly string[];
      readonly properties: readonly { readonly name: string; readonly kind: FieldKind }[];
      /** True if the schema requires a value. */
      readonly required: boolean;
      /** Texts of the schema for editors. */
      readonly label?: string;
      readonly description?: string;
      /** The allowed values. */
      readonly choices?: readonly (string | number | boolean)[];
    }[];
  }[];
  readonly operators: readonly string[];
  readonly staticQueries: readonly { readonly name: string; readonly query: string; readonly url: string }[];
  /** True if full-text search is on. */
  readonly fulltext: boolean;
  /** True if the server writes. */
  readonly writes: boolean;
  /** True if accounts can sign in. */
  readonly signIn: boolean;
  readonly mode: 'server' | 'static';
  /** Astro's `base`, without a trailing slash. */
  readonly base: string;
}

/** The plan and timing of a query. Times are in milliseconds. */
export interface ExplainDocument {
  /** The requested URL. */
  readonly url: string;
  readonly plan: string;
  readonly count: number;
  readonly resolveMs: number;
  readonly executeMs: number;
  /** Includes parsing the URL. */
  readonly totalMs: number;
  readonly ast: EngineQuery;
}

export async function explorerSchema(
  services: Services,
  access: QueryAccess,
  mode: 'server' | 'static',
): Promise<ExplorerSchemaDocument> {
  const { base, staticQueries, fulltext = true, signIn = false } = services.settings;
  const root = `${base}/jsonapi`;
  const types: ExplorerSchemaDocument['types'][number][] = [];
  for (const type of services.store.types.values()) types.push(await describeType(services, access, type));
  return {
    types,
    operators: OPERATORS,
    staticQueries: Object.entries(staticQueries).map(([name, path]) => {
      const query = belowPrefix(path, base);
      return { name, query, url: mode === 'static' ? staticPage(`${root}/q/${name}`, 1) : root + query };
    }),
    fulltext,
    writes: mode === 'server' && services.writer !== null,
    signIn: mode === 'server' && signIn,
    mode,
    base,
  };
}

/** Explains the query in `url=<path of a collection with its query>`. Throws like a request for that collection. */
export async function explain(
  services: Services,
  access: QueryAccess,
  query: string,
): Promise<ExplainDocument> {
  const url = parseQueryString(query, services.settings.limits).url;
  const path = url === undefined || !isValues(url) ? undefined : url.at(-1);
  if (path === undefined || !path.startsWith('/')) {
    throw new BadParameterError(
      'url',
      'url must be the percent-encoded path to explain, for example url=%2Fjsonapi%2Fnode%2Farticle.',
    );
  }
  const start = performance.now();
  const { segments, query: search } = splitPath(path, services.settings.base);
  const [entityType = '', bundle = '', ...id] = segments;
  const type = findType(services.store, entityType, bundle);
  if (id.length > 0)
    throw new NotFoundError(`'${path}' is a single resource. Only collections have a query plan.`);
  const { filter, sort, page } = parseQuery(search, 'collection', services.settings);
  const { plan, resolveMs, executeMs, ast, result } = await services.engine.explain(
    type,
    { filter, sort, page },
    access,
  );
  return {
    url: path,
    plan,
    count: result.count,
    resolveMs,
    executeMs,
    totalMs: performance.now() - start,
    ast,
  };
}

async function describeType(
  services: Services,
  access: QueryAccess,
  type: ResourceType,
): Promise<ExplorerSchemaDocument['types'][number]> {
  const everything = { filter: EMPTY_FILTER, sort: [], page: { offset: 0, limit: 0 } };
  const { count } = await services.engine.run(type, everything, access);
  return {
    name: type.name,
    entityType: type.entityType,
    bundle: type.bundle,
    count,
    fields: visibleFields(type, access).map(
      ({ name, kind, list, targets, properties, required, rules = {} }) => ({
        name,
        kind,
        list,
        targets,
        properties: Object.values(properties).map((property) => ({
          name: property.name,
          kind: property.kind,
        })),
        required,
        ...(rules.title !== undefined && { label: rules.title }),
        ...(rules.description !== undefined && { description: rules.description }),
        ...(rules.enum !== undefined && { choices: rules.enum }),
      }),
    ),
  };
}
