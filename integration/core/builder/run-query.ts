import type { ResourceType } from '../content/model.ts';
import type { Facet } from '../engine/ast.ts';
import { checkLimits } from '../engine/check-limits.ts';
import type { EngineQuery, QueryAccess, QueryResult } from '../engine/engine.ts';
import { checkLimit, type Limits } from '../engine/limits.ts';
import { createFacet, type FacetInput } from '../engine/parse/parse-facets.ts';
import { inOrder, searchedTexts } from '../engine/resolve/resolve-filter.ts';
import type { FacetCounts, SearchMeta } from '../read/document-types.ts';
import { facetCounts } from '../read/facets.ts';
import { createFlattener, type FlatEntity } from '../read/flatten.ts';
import { entityReferences, includeTree } from '../read/include.ts';
import { apiRoot } from '../read/links.ts';
import type { Reader } from '../read/reader.ts';
import { searchMeta } from '../read/search-meta.ts';
import type { ApiSettings } from '../read/settings.ts';
import { closestName, didYouMean } from '../util/closest-name.ts';
import { digestText } from '../util/revision.ts';
import { actorOf } from './as-option.ts';
import { type HeadingsOf, withHeadings } from './body-headings.ts';
import { makeCondition, makeGroup } from './conditions.ts';
import { entitiesCall, facetsCall, type QuerySpec, queryPath } from './format-query.ts';
import { chosenLanguage } from './language-option.ts';
import { findType, queryError } from './query-errors.ts';
import { createResultCache } from './result-cache.ts';

/** How the engine answers a query. Times are milliseconds. */
export interface QueryPlan {
  /** The steps with their counts, as `astro-jsonapi explain` prints them. */
  readonly plan: string;
  /** Matching entities on all pages. */
  readonly count: number;
  readonly resolveMs: number;
  readonly executeMs: number;
}

/** The neighbors of an entity in a list; undefined at its ends, and if the entity is not in the list. */
export interface Surroundings<T> {
  readonly previous: T | undefined;
  readonly next: T | undefined;
}

/** One page of the results of a search. `highlights` has one member for each entity. */
export interface SearchResults<T> extends SearchMeta {
  readonly entities: T[];
  /** Matching entities on all pages. */
  readonly count: number;
}

type PageSettings = Pick<ApiSettings, 'base' | 'trailingSlash'>;

/** Runs the query of a builder. */
export interface QueryRunner {
  /** What the addresses of pages depend on. */
  site(): PageSettings | Promise<PageSettings>;
  all(spec: QuerySpec): Promise<FlatEntity[]>;
  get(spec: QuerySpec, id: string): Promise<FlatEntity | undefined>;
  /** The entities before and after the one with this id, in the order of the query and on all pages. */
  surroundings(spec: QuerySpec, id: string): Promise<Surroundings<FlatEntity>>;
  /** The page with the number of all matching entities, and what its searches have found. */
  results(spec: QuerySpec): Promise<SearchResults<FlatEntity>>;
  /** Matching entities on all pages. */
  count(spec: QuerySpec): Promise<number>;
  /** Counts by path, on all pages. */
  facets(spec: QuerySpec, facets: FacetInputs): Promise<Readonly<Record<string, FacetCounts>>>;
  /** Differs whenever `all` or `count` does. Renders no Markdown. */
  cacheKey(spec: QuerySpec): Promise<string>;
  /** With facets, the plan has a line for each of them. */
  explain(spec: QuerySpec, facets?: FacetInputs): Promise<QueryPlan>;
  toUrl(spec: QuerySpec): string;
}

/** The options of facets by path. */
export type FacetInputs = Readonly<Record<string, FacetInput>>;

export function createQueryRunner(reader: Reader, headingsOf: HeadingsOf): QueryRunner {
  const { store, engine, settings } = reader;
  const results = createResultCache(reader);

  /** `written` is the query of the caller, whose limits are checked. */
  function prepare(spec: QuerySpec, written = spec): PreparedQuery {
    try {
      checkLimits(written, settings.limits);
    } catch (error) {
      throw queryError(error, spec);
    }
    const type = findType(store.types, spec.bundle);
    const language = chosenLanguage(spec, settings.languages, entitiesCall(spec));
    const access = reader.access(actorOf(spec), language);
    checkNames(spec, type, reader, access);
    const filter: EngineQuery['filter'] = { kind: 'group', conjunction: 'AND', members: spec.filter };
    return { type, access, query: inOrder([type], { filter, sort: spec.sort, page: spec.page }, access) };
  }

  async function run(
    spec: QuerySpec,
    written?: QuerySpec,
  ): Promise<PreparedQuery & { readonly result: QueryResult }> {
    const prepared = prepare(spec, written);
    try {
      return { ...prepared, result: await results.run(prepared.type, prepared.query, prepared.access) };
    } catch (error) {
      throw queryError(error, spec);
    }
  }

  async function flatten(
    from: Reader,
    spec: QuerySpec,
    { access, result }: Awaited<ReturnType<typeof run>>,
  ): Promise<FlatEntity[]> {
    const flattener = createFlattener(from, access, (body) => withHeadings(body, headingsOf));
    const flat: FlatEntity[] = [];
    for (let at = 0; at < result.entities.length; at += FLATTENED_AT_ONCE) {
      const part = result.entities.slice(at, at + FLATTENED_AT_ONCE);
      flat.push(...(await Promise.all(part.map((entity) => flattener.flatten(entity, spec)))));
    }
    return flat;
  }

  return {
    site: () => settings,
    // Awaited so that the stack of an error leads back to the caller.
    all: async (spec) => await flatten(reader, spec, await run(spec)),
    async get(spec, id) {
      // A group of its own, so that it shares no list item with other conditions.
      const filter = [...spec.filter, makeGroup('AND', [makeCondition('id', '=', id)])];
      const extended = { ...spec, filter, page: ALL };
      const entities = await flatten(reader, extended, await run(extended, spec));
      return entities.find((entity) => entity.id === id);
    },
    async surroundings(spec, id) {
      const answer = await run({ ...spec, page: ALL }, spec);
      const { entities } = answer.result;
      const index = entities.findIndex((entity) => entity.id === id);
      const flatAt = async (position: number) => {
        const neighbor = index < 0 ? undefined : entities[position];
        if (neighbor === undefined) return undefined;
        const result = { ...answer.result, entities: [neighbor] };
        return (await flatten(reader, spec, { ...answer, result }))[0];
      };
      const [previous, next] = await Promise.all([flatAt(index - 1), flatAt(index + 1)]);
      return { previous, next };
    },
    async results(spec) {
      const answer = await run(spec);
      const { access, query, result } = answer;
      const [entities, matches = { search: [], highlights: [] }] = await Promise.all([
        flatten(reader, spec, answer),
        searchMeta({ services: reader, access }, searchedTexts(query.filter, 'isTolerant'), result.entities),
      ]);
      return { entities, count: result.count, ...matches };
    },
    count: async (spec) => (await run({ ...spec, page: NONE })).result.count,
    async facets(spec, inputs) {
      try {
        const { type, access, query } = prepare({ ...spec, page: NONE });
        const facets = createFacets(inputs, settings.limits, 'facets');
        const result = await results.run(type, { ...query, sort: [], facets }, access);
        return await facetCounts(reader, access, facets, result.facets ?? []);
      } catch (error) {
        throw queryError(error, spec);
      }
    },
    async cacheKey(spec) {
      const answer = await run(spec);
      return cacheKey(answer.result.count, await flatten(withoutRendering(reader), spec, answer));
    },
    async explain(spec, inputs = {}) {
      const { type, access, query } = prepare(spec);
      try {
        const facets = createFacets(inputs, settings.limits, 'explain');
        const answer = await engine.explain(type, { ...query, facets }, access);
        const { plan, resolveMs, executeMs, result } = answer;
        return { plan, count: result.count, resolveMs, executeMs };
      } catch (error) {
        throw queryError(error, spec);
      }
    },
    toUrl(spec) {
      const type = findType(store.types, spec.bundle);
      return apiRoot(settings) + queryPath(type, spec, settings.queryDefaults?.[type.name]);
    },
  };
}

function createFacets(inputs: FacetInputs, limits: Limits, method: 'facets' | 'explain'): readonly Facet[] {
  const facets = Object.entries(inputs).map(([path, input]) =>
    createFacet(path, input, limits, () => facetsCall({ [path]: input }, method)),
  );
  checkLimit('facets', facets.length, `${method}({ … })`, limits);
  return facets;
}

/**
 * A key of 16 hexadecimal digits for results of `entities()` and `jsonapi()`. It changes whenever one of them does, with
 * its included entities and the titles of its references. For `cacheKey` of `getStaticPaths`.
 */
export function cacheKey(...answers: readonly unknown[]): string {
  return digestText(JSON.stringify(answers));
}

/** A reader that returns the source of a body instead of its HTML. MDX is rendered, because components are part of it. */
function withoutRendering(reader: Reader): Reader {
  return {
    ...reader,
    async renderBody(entity) {
      const { key, revision, values, body } = entity;
      return body?.format === 'mdx' ? reader.renderBody(entity) : JSON.stringify([key, revision, values]);
    },
  };
}

/** Throws an Error with the valid names if the bundle has no such field or include path. */
function checkNames(spec: QuerySpec, type: ResourceType, reader: Reader, access: QueryAccess): void {
  for (const name of spec.fields ?? []) checkField(spec, type, access, name);
  for (const path of spec.include) {
    try {
      includeTree(reader, access, [type], [path], entityReferences);
    } catch (error) {
      throw queryError(error, spec, `include('${path}')`);
    }
  }
}

function checkField(spec: QuerySpec, type: ResourceType, access: QueryAccess, name: string): void {
  if (name === 'id' || name === 'type') return;
  const call = `${entitiesCall(spec)}.fields('${name}')`;
  if (type.fields.has(name)) {
    if (access.fieldVisible(type, name)) return;
    throw new Error(
      actorOf(spec).name === null
        ? `${call}: anonymous visitors may not see ${name}. Write { as: 'everyone' }.`
        : `${call}: the actor may not see ${name}.`,
    );
  }
  const names = [...type.fields.keys()].filter((each) => access.fieldVisible(type, each));
  const guess = didYouMean(closestName(name, names));
  throw new Error(`${call}: ${type.name} has no field "${name}".${guess} Valid: ${names.join(', ')}.`);
}

/** More would keep their references and bodies in memory at once. */
const FLATTENED_AT_ONCE = 1000;
const ALL = { offset: 0, limit: Number.POSITIVE_INFINITY } as const;
const NONE = { offset: 0, limit: 0 } as const;

interface PreparedQuery {
  readonly type: ResourceType;
  readonly access: QueryAccess;
  readonly query: EngineQuery;
}
