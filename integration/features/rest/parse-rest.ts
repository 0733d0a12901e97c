import {
  EMPTY_FILTER,
  FACETS_PARAMETER,
  type Facet,
  type Group,
  type SortKey,
} from '../../core/engine/ast.ts';
import { checkPath, type Limits } from '../../core/engine/limits.ts';
import { parseFacets } from '../../core/engine/parse/parse-facets.ts';
import { parseFilter } from '../../core/engine/parse/parse-filter.ts';
import {
  boundLimit,
  LANGUAGE_PARAMETERS,
  type PagingRules,
  parameterNames,
  parseSort,
  parseSortKey,
  parseVersion,
  type QueryRules,
  VERSION_PARAMETER,
} from '../../core/engine/parse/parse-query.ts';
import {
  isValues,
  leafNames,
  parseQueryString,
  type QueryNode,
  type QueryTree,
  wholeNumber,
} from '../../core/engine/parse/query-string.ts';
import { collectErrors } from '../../core/util/collect-errors.ts';
import { BadParameterError, NotAcceptableError } from '../../core/util/errors.ts';

/** A query of `/api/content`. */
export interface RestQuery {
  readonly filter: Group;
  readonly sort: readonly SortKey[];
  readonly facets: readonly Facet[];
  /** From 1. */
  readonly page: number;
  /** Page size; `Infinity` for all. */
  readonly limit: number;
  /** Field names, or undefined for all. */
  readonly fields: readonly string[] | undefined;
  /** Parameters that have no effect. */
  readonly ignored: readonly string[];
  /** Lower-case hash of a commit, or a prefix of it, for a past version. */
  readonly version?: string;
}

/** The kind of address. A `resource` has past versions. */
export type RestTarget = 'list' | 'entity' | 'resource';

/**
 * Parses a query string (without `?`) of `/api/content`: `filter` in bracket notation, with `a,b` for any of several values;
 * `sort=-a,b`, `sort=a:desc,b:asc`, or `sort_by=a` with `order=desc`; `facetBy` as in JSON:API; `page` from 1; `limit` or
 * `pageSize`; `fields=a,b`.
 * For one entity only `fields` and `resourceVersion` have an effect. Throws BadParameterError, or NotAcceptableError for an
 * unsupported `_format`.
 */
export function parseRestQuery(query: string, target: RestTarget, rules: QueryRules): RestQuery {
  const { limits } = rules;
  const tree = parseQueryString(query, limits);
  const ignored: string[] = [];
  for (const [name, node] of Object.entries(tree)) {
    if (rules.languages !== undefined && LANGUAGE_PARAMETERS.includes(name)) continue;
    if (!PARAMETERS.includes(name)) checkUnknown(name, node, ignored, rules);
    else if (target !== 'list' && !ENTITY_PARAMETERS.includes(name)) ignored.push(...leafNames(node, [name]));
  }
  checkFormat(tree._format);
  const fields = parseFields(tree.fields);
  const version = tree[VERSION_PARAMETER] && parseVersion(tree[VERSION_PARAMETER], target === 'resource');
  if (target !== 'list') {
    const common = { fields, ignored, ...(version !== undefined && { version }) };
    return { filter: EMPTY_FILTER, sort: [], facets: [], page: 1, limit: 1, ...common };
  }
  const facetsNode = tree[FACETS_PARAMETER];
  const [filter, sort, facets, page, limit] = collectErrors(
    () =>
      tree.filter === undefined
        ? EMPTY_FILTER
        : parseFilter(tree.filter, { commaLists: true, limits }, ignored),
    () => parseRestSort(tree, limits, ignored),
    () => (facetsNode ? parseFacets(facetsNode, limits) : []),
    () => numberOf(tree, 'page', 1, 1),
    () => parseLimit(tree, rules),
  );
  return { filter, sort, facets, page, limit, fields, ignored };
}

function parseRestSort(tree: QueryTree, limits: Limits, ignored: string[]): readonly SortKey[] {
  if (tree.sort !== undefined && tree.sort_by !== undefined) {
    throw new BadParameterError('sort_by', 'Send sort or sort_by, not both.');
  }
  if (tree.sort_by !== undefined) {
    const direction = parseDirection(one(tree, 'order') ?? 'asc', 'order');
    const path = checkPath(one(tree, 'sort_by') ?? '', 'sort_by', limits);
    return [{ path, direction, parameter: 'sort_by' }];
  }
  if (tree.order !== undefined) {
    throw new BadParameterError('order', 'order is the direction of sort_by: send sort_by=<field> too.');
  }
  return parseSort(tree.sort, limits, ignored, sortKey);
}

/** `-a`, `a:desc` or `a`. */
function sortKey(key: string, limits: Limits): SortKey {
  const colon = key.lastIndexOf(':');
  if (colon < 0) return parseSortKey(key, limits);
  const direction = parseDirection(key.slice(colon + 1), 'sort');
  return { path: checkPath(key.slice(0, colon), 'sort', limits), direction, parameter: 'sort' };
}

function parseDirection(sent: string, parameter: string): SortKey['direction'] {
  const direction = sent.toUpperCase();
  if (direction === 'ASC' || direction === 'DESC') return direction;
  throw new BadParameterError(parameter, `'${sent}' is not a direction. Directions: asc, desc.`);
}

function parseLimit(tree: QueryTree, paging: PagingRules): number {
  if (tree.limit !== undefined && tree.pageSize !== undefined) {
    throw new BadParameterError('pageSize', 'Send limit or pageSize, not both.');
  }
  const parameter = tree.pageSize === undefined ? 'limit' : 'pageSize';
  if (tree[parameter] === undefined) return paging.pageSize.default;
  return boundLimit(numberOf(tree, parameter, paging.pageSize.default, 0), paging, parameter);
}

function numberOf(tree: QueryTree, name: string, fallback: number, least: number): number {
  const sent = one(tree, name);
  return sent === undefined ? fallback : wholeNumber(sent, name, least);
}

function parseFields(node: QueryNode | undefined): readonly string[] | undefined {
  if (node === undefined) return undefined;
  if (!isValues(node))
    throw new BadParameterError(
      'fields',
      'fields must be a comma-separated list of names: fields=title,body.',
    );
  return (node.at(-1) ?? '').split(',').filter((name) => name !== '');
}

function checkFormat(node: QueryNode | undefined): void {
  if (node === undefined || (isValues(node) && node.at(-1) === 'json')) return;
  throw new NotAcceptableError('Only JSON is available here. Omit _format, or send _format=json.', {
    parameter: '_format',
  });
}

function checkUnknown(name: string, node: QueryNode, ignored: string[], rules: QueryRules): void {
  const [parameter = name] = leafNames(node, [name]);
  if (name === 'include') {
    throw new BadParameterError(
      parameter,
      'include works below /jsonapi only. References here are {type, id, title}.',
    );
  }
  if (/^[a-z]+$/.test(name)) {
    throw new BadParameterError(
      parameter,
      `'${name}' is not a query parameter. Parameters: ${parameterNames(PARAMETERS, rules)}.`,
    );
  }
  ignored.push(...leafNames(node, [name]));
}

/** The value of a parameter; the last one if it is repeated. */
function one(tree: QueryTree, name: string): string | undefined {
  const node = tree[name];
  if (node === undefined) return undefined;
  if (isValues(node)) return node.at(-1);
  throw new BadParameterError(
    leafNames(node, [name])[0] ?? name,
    `${name} must be a single value, without brackets.`,
  );
}

const PARAMETERS: readonly string[] = [
  'filter',
  'sort',
  'sort_by',
  'order',
  'page',
  'limit',
  'pageSize',
  FACETS_PARAMETER,
  'fields',
  '_format',
  VERSION_PARAMETER,
];
const ENTITY_PARAMETERS: readonly string[] = ['fields', '_format', VERSION_PARAMETER];
