import type { FlatEntity } from '../api/rest/flatten.ts';
import type { FilterNode, Operator, Page, Scalar } from '../engine/ast.ts';
import { makeCondition, makeGroup, makeSearch } from './make-condition.ts';
import type { QuerySpec } from './query-spec.ts';
import type { QueryRunner } from './run-query.ts';
import type { Window } from './window.ts';
import { paginate } from './window.ts';

/** `QueryBuilder` as it is at run time, where the schema's types are gone. */
export interface UntypedQueryBuilder {
  where(path: string | Build, operator?: Operator, ...value: readonly Value[]): UntypedQueryBuilder;
  search(words: string): UntypedQueryBuilder;
  sort(...paths: readonly string[]): UntypedQueryBuilder;
  include(...paths: readonly string[]): UntypedQueryBuilder;
  fields(...names: readonly string[]): UntypedQueryBuilder;
  page(page: Partial<Page>): UntypedQueryBuilder;
  all(): Promise<FlatEntity[]>;
  first(): Promise<FlatEntity | undefined>;
  get(id: string): Promise<FlatEntity | undefined>;
  count(): Promise<number>;
  paginate(options: { readonly size: number }): Promise<Window<FlatEntity>[]>;
  cacheKey(): Promise<string>;
}

/** A frozen builder that answers a new one to every call. Runs nothing itself. */
export function createBuilder(spec: QuerySpec, run: QueryRunner): UntypedQueryBuilder {
  const told = (more: Partial<QuerySpec>) => createBuilder(Object.freeze({ ...spec, ...more }), run);
  return Object.freeze({
    where: (path: string | Build, operator?: Operator, ...value: readonly Value[]) =>
      told({ filter: [...spec.filter, filterNode(path, operator, value)] }),
    search: (words: string) => told({ filter: [...spec.filter, makeSearch(words)] }),
    sort: (...paths: readonly string[]) => told({ sort: [...spec.sort, ...paths.map(sortKey)] }),
    include: (...paths: readonly string[]) => told({ include: [...new Set([...spec.include, ...paths])] }),
    fields: (...names: readonly string[]) =>
      told({ fields: [...new Set([...(spec.fields ?? []), ...names])] }),
    page: (page: Partial<Page>) => told({ page: checkPage({ ...spec.page, ...page }) }),
    all: () => run.all(spec),
    first: async () => (await run.all(onePage(spec)))[0],
    get: (id: string) => run.get(spec, id),
    count: () => run.count(spec),
    paginate: async ({ size }: { readonly size: number }) => paginate(await run.all(spec), size),
    cacheKey: () => run.cacheKey(spec),
  });
}

function onePage(spec: QuerySpec): QuerySpec {
  return { ...spec, page: { ...spec.page, limit: Math.min(1, spec.page.limit) } };
}

function filterNode(
  path: string | Build,
  operator: Operator | undefined,
  value: readonly Value[],
): FilterNode {
  if (typeof path === 'function') return built(path(EXPRESSIONS));
  if (operator !== undefined) return makeCondition(path, operator, ...value);
  throw new Error(`where('${path}'): say how to compare it, such as where('${path}', '=', …).`);
}

function built(node: FilterNode | undefined): FilterNode {
  if (node?.kind === 'condition' || node?.kind === 'group' || node?.kind === 'search') return node;
  throw new Error(
    'where(callback): the callback must return what where(…), search(…), and(…) or or(…) gave it. Is a return missing?',
  );
}

const EXPRESSIONS = Object.freeze({
  where: makeCondition,
  search: makeSearch,
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
type Value = Scalar | readonly Scalar[] | undefined;
