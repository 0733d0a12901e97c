import { collectionDocument, parseList } from '../../core/api/jsonapi/document.ts';
import type { FilterNode, Group, Query } from '../../core/engine/ast.ts';
import type { Limits } from '../../core/engine/limits.ts';
import { parseFilter } from '../../core/engine/parse/parse-filter.ts';
import { parseQuery } from '../../core/engine/parse/parse-query.ts';
import {
  ignoreOthers,
  isValues,
  lastValue,
  parseQueryString,
  type QueryTree,
  wholeNumber,
} from '../../core/engine/parse/query-string.ts';
import type { ComposedDocument, Resources } from '../../core/read/compose.ts';
import { findType, hasEntityType } from '../../core/read/find.ts';
import { type Pager, type QueryParameter, readParameters, writeParameters } from '../../core/read/links.ts';
import type { DocumentContext, Reader } from '../../core/read/reader.ts';
import { splitPath } from '../../core/read/url-path.ts';
import { BadParameterError, NotFoundError } from '../../core/util/errors.ts';
import { VIEWS_PATH } from './named-paths.ts';

/** A listed query that is served as a view: `node`, `article` and the query string. */
export interface View extends ViewName {
  readonly segments: readonly string[];
  readonly query: string;
}

interface ViewName {
  readonly name: string;
  readonly display: string;
}

/**
 * The view at `views/recent/block_1`, which is the query `recent--block_1` of option `prebuild`, or `recent` for the display
 * `default`. Undefined for other paths, and if the content has an entity type of that name. Throws NotFoundError if there is
 * no such query.
 */
export function findView(
  { store, settings }: Pick<Reader, 'store' | 'settings'>,
  [first, name, display, ...rest]: readonly string[],
): View | undefined {
  if (first?.toLowerCase() !== VIEWS_PATH || name === undefined || display === undefined) return undefined;
  if (rest.length > 0 || hasEntityType(store, VIEWS_PATH)) return undefined;
  const queries = settings.staticQueries;
  const names = display === DEFAULT_DISPLAY ? [`${name}--${display}`, name] : [`${name}--${display}`];
  const found = names.find((each) => Object.hasOwn(queries, each));
  const path = found === undefined ? undefined : queries[found];
  if (path !== undefined) return { name, display, ...splitPath(path, settings) };
  const views = viewNames(queries).map((view) => `${view.name}/${view.display}`);
  throw new NotFoundError(
    `The view '${name}/${display}' does not exist. ${views.length === 0 ? 'Option prebuild is empty.' : `Views: ${views.join(', ')}.`}`,
  );
}

const DEFAULT_DISPLAY = 'default';

/** The names and displays of the views of listed queries. */
export function viewNames(queries: Readonly<Record<string, string>>): readonly ViewName[] {
  return Object.keys(queries).map((query) => {
    const [name = '', ...display] = query.split('--');
    return { name, display: display.join('--') || DEFAULT_DISPLAY };
  });
}

/**
 * One page of a view. A request can select the page (`page`, from 0), add conditions (`views-filter`), change the order
 * (`views-sort[sort_by]`, `views-sort[sort_order]`) and the representation (`include`, `fields`). `href` is its address
 * without a query. Source: Drupal's module jsonapi_views.
 */
export async function viewDocument(
  context: DocumentContext,
  view: View,
  search: string,
  href: string,
): Promise<ComposedDocument<Resources>> {
  const { services } = context;
  const { settings, store } = services;
  const [entityType = '', bundle = '', ...below] = view.segments;
  if (below.length > 0)
    throw new NotFoundError(`The view '${view.name}/${view.display}' is not a list of entities.`);
  const tree = parseQueryString(search, settings.limits);
  const type = findType(store, entityType, bundle);
  const base = await parseList(context, type, view.query);
  const sent = parseQuery(withoutOwn(search), 'individual', settings);
  const { limit } = base.page;
  const number = pageNumber(tree, limit);
  const ignored = [...base.ignored, ...sent.ignored];
  const query: Query = {
    ...base,
    filter: exposedFilter(tree, base, settings.limits, ignored),
    sort: exposedSort(tree, ignored) ?? base.sort,
    page: { offset: number === 0 ? base.page.offset : base.page.offset + number * limit, limit },
    ...(sent.includeSent && { include: sent.include, includeSent: true }),
    fields: { ...base.fields, ...sent.fields },
    ignored,
  };
  const pager = createViewPager(href, search, base.page.offset);
  return collectionDocument(context, [type], query, pager);
}

/** The page, from 0. */
function pageNumber({ page }: QueryTree, limit: number): number {
  if (page === undefined) return 0;
  const number = wholeNumber(isValues(page) ? (lastValue(page) ?? '') : 'a list', 'page', 0);
  if (number === 0 || Number.isFinite(limit)) return number;
  throw new BadParameterError('page', 'This view has one page, 0.');
}

/** The filter of the view, and the conditions of the request. */
function exposedFilter(tree: QueryTree, { filter }: Query, limits: Limits, ignored: string[]): Group {
  const node = tree[FILTER];
  if (node === undefined) return filter;
  const ineffective: string[] = [];
  try {
    const added = parseFilter(node, { commaLists: false, limits }, ineffective);
    ignored.push(...ineffective.map((parameter) => PREFIX + parameter));
    return { ...filter, members: [...filter.members, withPrefix(added)] };
  } catch (error) {
    if (!(error instanceof BadParameterError)) throw error;
    throw new BadParameterError(PREFIX + (error.source?.parameter ?? 'filter'), error.detail);
  }
}

/** The same node, whose errors name `views-filter`. */
function withPrefix<Node extends FilterNode>(node: Node): Node {
  if (node.kind === 'group') return { ...node, members: node.members.map(withPrefix) };
  return { ...node, parameter: PREFIX + (node.parameter ?? 'filter') };
}

/** As in `sort`, any direction but `desc` is ascending. */
function exposedSort(tree: QueryTree, ignored: string[]): Query['sort'] | undefined {
  const node = tree[SORT];
  if (node === undefined) return undefined;
  const parameter = `${SORT}[sort_by]`;
  const path = isValues(node) ? undefined : lastValue(node.sort_by);
  if (isValues(node) || path === undefined)
    throw new BadParameterError(parameter, `Add ${parameter}=<field>.`);
  const order = lastValue(node.sort_order)?.toUpperCase();
  const hasOrder = order === 'ASC' || order === 'DESC';
  ignoreOthers(node, [SORT], hasOrder ? ['sort_by', 'sort_order'] : ['sort_by'], ignored);
  return [{ path, direction: order === 'DESC' ? 'DESC' : 'ASC', parameter }];
}

const PREFIX = 'views-';
const FILTER = `${PREFIX}filter`;
const SORT = `${PREFIX}sort`;
const OWN: readonly string[] = ['page', FILTER, SORT];

/** The parameters that every resource has. */
function withoutOwn(search: string): string {
  return writeParameters(readParameters(search).filter(({ family }) => !OWN.includes(family))).slice(1);
}

/** Pages by number, from 0. */
function createViewPager(href: string, search: string, first: number): Pager {
  const parameters = readParameters(search);
  const others = parameters.filter(({ family }) => family !== 'page');
  return {
    self: href + writeParameters(parameters),
    at({ offset, limit }) {
      const number = limit === Number.POSITIVE_INFINITY ? 0 : (offset - first) / limit;
      if (number < 0) return undefined;
      const page: QueryParameter = { family: 'page', name: 'page', value: String(number) };
      return href + writeParameters([...others, page]);
    },
  };
}
