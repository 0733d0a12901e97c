import type { FilterNode, Operator, Page } from '../engine/ast.ts';
import type { FacetCounts } from '../read/document-types.ts';
import type { FlatEntity } from '../read/flatten.ts';
import { type AsOption, checkOptionNames } from './as-option.ts';
import {
  type ConditionValue,
  makeCondition,
  makeGroup,
  makeRelated,
  makeSearch,
  type RelatedEntity,
  type SearchOptions,
} from './conditions.ts';
import { entitiesCall, type QuerySpec, queryCall } from './format-query.ts';
import type { LanguageOption } from './language-option.ts';
import { type PaginatedPage, type PaginateOptions, paginate } from './paginate.ts';
import { atCall } from './query-errors.ts';
import type { FacetInputs, QueryPlan, QueryRunner, SearchResults, Surroundings } from './run-query.ts';

/** `QueryBuilder` at run time, without the types of the schema. */
export interface UntypedQueryBuilder {
  where(path: string | Build, operator?: Operator, ...value: readonly ConditionValue[]): UntypedQueryBuilder;
  search(words: string, options?: SearchOptions): UntypedQueryBuilder;
  relatedTo(entity: RelatedEntity): UntypedQueryBuilder;
  sort(...paths: readonly string[]): UntypedQueryBuilder;
  include(...paths: readonly string[]): UntypedQueryBuilder;
  fields(...names: readonly string[]): UntypedQueryBuilder;
  limit(limit: number): UntypedQueryBuilder;
  page(page: Partial<Page>): UntypedQueryBuilder;
  all(): Promise<FlatEntity[]>;
  first(): Promise<FlatEntity | undefined>;
  firstOrThrow(): Promise<FlatEntity>;
  get(id: string): Promise<FlatEntity | undefined>;
  surroundings(id: string): Promise<Surroundings<FlatEntity>>;
  results(): Promise<SearchResults<FlatEntity>>;
  count(): Promise<number>;
  facets(facets: FacetInputs): Promise<Readonly<Record<string, FacetCounts>>>;
  paginate<Params, Props>(
    options: PaginateOptions<Params, Props>,
  ): Promise<PaginatedPage<FlatEntity, Params, Props>[]>;
  cacheKey(): Promise<string>;
  explain(facets?: FacetInputs): Promise<QueryPlan>;
  toUrl(): string;
}

/** `entities()` over a runner. `names` are the names of its options. */
export function createEntities(
  run: QueryRunner,
  names: readonly string[],
): (bundle: string, options?: AsOption & LanguageOption) => UntypedQueryBuilder {
  return (bundle, options = {}) => {
    const { as, lang, fallback } = options;
    checkOptionNames(options, `entities('${bundle}')`, names);
    return createBuilder(Object.freeze({ ...EMPTY_QUERY, bundle, as, lang, fallback }), run);
  };
}

const EMPTY_QUERY = {
  filter: [],
  sort: [],
  page: { offset: 0, limit: Number.POSITIVE_INFINITY },
  include: [],
  fields: undefined,
} as const;

/** A frozen builder; every method returns a new one or runs the query. */
function createBuilder(spec: QuerySpec, run: QueryRunner): UntypedQueryBuilder {
  const extend = (more: Partial<QuerySpec>) => createBuilder(Object.freeze({ ...spec, ...more }), run);
  const filter = (node: FilterNode) => extend({ filter: [...spec.filter, node] });
  const first = async () => (await run.all(onePage(spec)))[0];
  return Object.freeze({
    where: (path: string | Build, operator?: Operator, ...value: readonly ConditionValue[]) =>
      filter(filterNode(path, operator, value)),
    search: (words: string, options?: SearchOptions) => filter(makeSearch(words, options)),
    relatedTo: (entity: RelatedEntity) => filter(makeRelated(entity)),
    sort: (...paths: readonly string[]) => extend({ sort: [...spec.sort, ...paths.map(sortKey)] }),
    include: (...paths: readonly string[]) => extend({ include: [...new Set([...spec.include, ...paths])] }),
    fields: (...names: readonly string[]) =>
      extend({ fields: [...new Set([...(spec.fields ?? []), ...names])] }),
    limit: (limit: number) => extend({ page: checkPage({ ...spec.page, limit }) }),
    page: (page: Partial<Page>) => extend({ page: checkPage({ ...spec.page, ...page }) }),
    all: () => atCall(() => run.all(spec)),
    first: () => atCall(first),
    firstOrThrow: () =>
      atCall(async () => {
        const entity = await first();
        if (entity !== undefined) return entity;
        throw new Error(`${queryCall(spec, 'firstOrThrow()')}: no entity matches.`);
      }),
    get: (id: string) => atCall(() => run.get(spec, checkId(spec, 'get', id))),
    surroundings: (id: string) => atCall(() => run.surroundings(spec, checkId(spec, 'surroundings', id))),
    results: () => atCall(() => run.results(spec)),
    count: () => atCall(() => run.count(spec)),
    facets: (facets: FacetInputs) => atCall(() => run.facets(spec, facets)),
    paginate: <Params, Props>(options: PaginateOptions<Params, Props>) =>
      atCall(async () => paginate(await run.all(spec), options, await run.site())),
    cacheKey: () => atCall(() => run.cacheKey(spec)),
    explain: (facets?: FacetInputs) => atCall(() => run.explain(spec, facets)),
    toUrl: () => run.toUrl(spec),
  });
}

function onePage(spec: QuerySpec): QuerySpec {
  return { ...spec, page: { ...spec.page, limit: Math.min(1, spec.page.limit) } };
}

function filterNode(
  path: string | Build,
  operator: Operator | undefined,
  value: readonly ConditionValue[],
): FilterNode {
  if (typeof path === 'function') return checkNode(path(EXPRESSIONS));
  if (operator !== undefined) return makeCondition(path, operator, ...value);
  throw new Error(`where('${path}'): the operator is missing. Write where('${path}', '=', …).`);
}

function checkNode(node: FilterNode | undefined): FilterNode {
  if (node?.kind === 'condition' || node?.kind === 'group' || node?.kind === 'search') return node;
  throw new Error(
    'where(callback): the callback must return the result of where(…), search(…), and(…) or or(…). Is a return missing?',
  );
}

const EXPRESSIONS = /* @__PURE__ */ Object.freeze({
  where: makeCondition,
  search: makeSearch,
  relatedTo: makeRelated,
  and: (...members: readonly FilterNode[]) => makeGroup('AND', members),
  or: (...members: readonly FilterNode[]) => makeGroup('OR', members),
});

function sortKey(key: string): QuerySpec['sort'][number] {
  const descending = key.startsWith('-');
  return Object.freeze({
    path: descending ? key.slice(1) : key,
    direction: descending ? 'DESC' : 'ASC',
    parameter: `sort('${key}')`,
  });
}

/** The id. Throws an Error for other values, which code has that TypeScript does not check. */
function checkId(spec: QuerySpec, method: 'get' | 'surroundings', id: unknown): string {
  if (typeof id === 'string') return id;
  throw new Error(
    `${entitiesCall(spec)}.${method}(${id}): the id must be a string. Astro.params has the parameters of the route: [id].astro sets Astro.params.id.`,
  );
}

function checkPage(page: Page): Page {
  if (isCount(page.offset) && (isCount(page.limit) || page.limit === Number.POSITIVE_INFINITY)) return page;
  throw new Error(
    `page({ limit: ${page.limit}, offset: ${page.offset} }): both must be whole numbers from 0. Leave limit out for all.`,
  );
}

function isCount(value: number): boolean {
  return Number.isInteger(value) && value >= 0;
}

type Build = (expressions: typeof EXPRESSIONS) => FilterNode;
