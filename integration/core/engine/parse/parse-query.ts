import type { Languages } from '../../content/languages.ts';
import { collectErrors } from '../../util/collect-errors.ts';
import { BadParameterError, type DomainError, NotAcceptableError } from '../../util/errors.ts';
import { shortened } from '../../util/text.ts';
import { EMPTY_FILTER, FACETS_PARAMETER, type Page, type Query, type SortKey } from '../ast.ts';
import { checkIncludePaths, checkLimit, checkPath, type Limits } from '../limits.ts';
import { parseFacets } from './parse-facets.ts';
import { parseFilter } from './parse-filter.ts';
import {
  ignoreOthers,
  isValues,
  lastValue,
  leafNames,
  orderedEntries,
  parameterName,
  parseQueryString,
  type QueryNode,
  type QueryTree,
  wholeNumber,
} from './query-string.ts';

export interface PagingRules {
  readonly pageSize: PageSize;
}

/** Option `pageSize`. */
export interface PageSize {
  readonly default: number;
  readonly max: number;
  /** True if a limit of 0 returns everything. If not, it is a 400. */
  readonly unlimited: boolean;
}

/** Option `bundles.<bundle>.defaults`. */
export interface QueryDefaults {
  readonly include?: readonly string[] | undefined;
  readonly filter?: QueryTree | undefined;
  readonly pageSize?: number | undefined;
}

/** The options that affect queries. */
export interface QueryRules extends PagingRules {
  readonly limits: Limits;
  /** What replaces parameters that are not sent. */
  readonly defaults?: QueryDefaults;
  /** Undefined if all content has one language. */
  readonly languages?: Languages | undefined;
}

/** The resource a query is about. A `resource` has past versions. */
export type QueryTarget = 'collection' | 'individual' | 'resource';

/**
 * Parses a JSON:API query string (without `?`). Parameters are the families of JSON:API 1.1, with Drupal's filter, sort
 * and page strategies. Individual resources ignore filter, sort and page. Throws BadParameterError for invalid
 * parameters and for unknown names of lower-case letters only; other unknown names are added to `ignored`. The error is
 * about all parameters that are wrong. A list with cursors has another `readPage`.
 */
export function parseQuery(
  query: string,
  target: QueryTarget,
  rules: QueryRules,
  readPage = parsePage,
): Query {
  const { limits, defaults = {} } = rules;
  const tree = parseQueryString(query, limits);
  const isCollection = target === 'collection';
  const ignored: string[] = [];
  const {
    filter: filterNode = defaults.filter,
    sort: sortNode,
    page: pageNode,
    [FACETS_PARAMETER]: facetsNode,
  } = isCollection ? tree : NO_PARAMETERS;
  const [, version, filter, sort, page, facets, include, fields] = collectErrors(
    () =>
      collectErrors(
        ...Object.entries(tree).map(
          ([name, node]) =>
            () =>
              checkParameter(name, node),
        ),
      ),
    () => tree[VERSION_PARAMETER] && parseVersion(tree[VERSION_PARAMETER], target === 'resource'),
    () => (filterNode ? parseFilter(filterNode, { commaLists: false, limits }, ignored) : EMPTY_FILTER),
    () => parseSort(sortNode, limits, ignored),
    () => (isCollection ? readPage(pageNode, rules, ignored) : { offset: 0, limit: 1 }),
    () => (facetsNode ? parseFacets(facetsNode, limits) : []),
    () => (tree.include ? parseInclude(tree.include, limits) : (defaults.include ?? [])),
    () => parseFields(tree.fields),
  );
  return {
    ...{ filter, sort, page, facets, include, fields, ignored },
    includeSent: tree.include !== undefined || include.length > 0,
    ...(version !== undefined && { version }),
  };

  function checkParameter(name: string, node: QueryNode): void {
    // The server has chosen the language before it parses the rest.
    if (rules.languages !== undefined && LANGUAGE_PARAMETERS.includes(name)) return;
    const isParameter = PARAMETERS.includes(name);
    if (isParameter && (isCollection || !COLLECTION_ONLY.includes(name))) return;
    if (!isParameter) checkUnknown(name, node, rules);
    ignored.push(...leafNames(node, [name]));
  }
}

/**
 * `sort=-a,b`, whose keys `parseKey` parses, or `sort[x][path]=a&sort[x][direction]=DESC`. Any direction but `desc` (any
 * case) is ascending.
 */
export function parseSort(
  node: QueryNode | undefined,
  limits: Limits,
  ignored: string[],
  parseKey = parseSortKey,
): readonly SortKey[] {
  if (node === undefined) return [];
  const keys = isValues(node)
    ? collectErrors(...(node.at(-1) ?? '').split(',').map((key) => () => parseKey(key, limits)))
    : collectErrors(
        ...orderedEntries(node).map(
          ([label, item]) =>
            () =>
              sortObject(label, item, limits, ignored),
        ),
      );
  checkLimit('sortKeys', keys.length, 'sort', limits);
  return keys;
}

/** `-a` or `a`. */
export function parseSortKey(key: string, limits: Limits): SortKey {
  const descending = key.startsWith('-');
  const path = checkPath(descending ? key.slice(1) : key, 'sort', limits);
  return { path, direction: descending ? 'DESC' : 'ASC', parameter: 'sort' };
}

function sortObject(label: string, item: QueryNode, limits: Limits, ignored: string[]): SortKey {
  const keys = ['sort', label];
  const parameter = parameterName([...keys, 'path']);
  const path = isValues(item) ? undefined : lastValue(item.path);
  if (isValues(item) || path === undefined) {
    throw new BadParameterError(parameterName(keys), `Write sort=title,-created, or ${parameter}=<field>.`);
  }
  const direction = lastValue(item.direction)?.toUpperCase();
  const hasDirection = direction === 'ASC' || direction === 'DESC';
  ignoreOthers(item, keys, hasDirection ? ['path', 'direction'] : ['path'], ignored);
  return {
    path: checkPath(path, parameter, limits),
    direction: direction === 'DESC' ? 'DESC' : 'ASC',
    parameter,
  };
}

/**
 * `page[offset]` and `page[limit]`, or `page[number]` and `page[size]`; other members of `page` are ignored. Source:
 * Drupal: a limit that is not a number is the default, a larger one the maximum; fractions are cut. Our own: 0 is
 * everything, and numbered pages.
 */
export function parsePage(node: QueryNode | undefined, rules: PagingRules, ignored: string[]): Page {
  if (node === undefined) return { offset: 0, limit: rules.pageSize.default };
  if (isValues(node)) {
    throw new BadParameterError('page', 'Write page[limit]=… and page[offset]=… instead of page=….');
  }
  const first = NUMBERED_PAGE.find((name) => node[name] !== undefined);
  const other = first && OFFSET_PAGE.find((name) => node[name] !== undefined);
  if (first && other) {
    throw new BadParameterError(
      parameterName(['page', first]),
      `page[${first}] and page[${other}] cannot be combined. Send page[number] with page[size], or page[offset] with page[limit].`,
    );
  }
  ignoreOthers(node, ['page'], first ? NUMBERED_PAGE : OFFSET_PAGE, ignored);
  return first
    ? parseNumberedPage(node, rules)
    : { offset: parseOffset(node.offset), limit: parseLimit(node.limit, rules, ignored) };
}

/** Throws BadParameterError for parameters of a list that only has those in `valid`, and those of languages. */
export function rejectParameters(others: QueryTree, valid: readonly string[]): void {
  for (const [name, node] of Object.entries(others)) {
    if (LANGUAGE_PARAMETERS.includes(name)) continue;
    throw new BadParameterError(
      leafNames(node, [name])[0] ?? name,
      `The query parameter '${name}' does not exist here. Parameters: ${valid.join(', ')}.`,
    );
  }
}

const OFFSET_PAGE = ['offset', 'limit'] as const;
const NUMBERED_PAGE = ['number', 'size'] as const;

function parseNumberedPage({ number, size }: QueryTree, rules: PagingRules): Page {
  const page = number === undefined ? 1 : wholeNumber(lastValue(number) ?? 'a list', 'page[number]', 1);
  const limit =
    size === undefined
      ? rules.pageSize.default
      : boundLimit(wholeNumber(lastValue(size) ?? 'a list', 'page[size]', 0), rules, 'page[size]');
  if (page === 1) return { offset: 0, limit };
  if (Number.isFinite(limit)) return { offset: (page - 1) * limit, limit };
  throw new BadParameterError('page[number]', 'A list without a limit has one page: page[number] must be 1.');
}

/** Applies the rules to a limit that is a number. */
export function boundLimit(limit: number, rules: PagingRules, parameter: string): number {
  if (limit === 0 && rules.pageSize.unlimited) return Number.POSITIVE_INFINITY;
  if (limit < 1) {
    const unlimited = rules.pageSize.unlimited ? ', or 0 for everything' : '';
    throw new BadParameterError(
      parameter,
      `A page holds 1 to ${rules.pageSize.max} entities${unlimited}, not ${limit}.`,
    );
  }
  return Math.min(Math.trunc(limit), rules.pageSize.max);
}

function parseLimit(node: QueryNode | undefined, rules: PagingRules, ignored: string[]): number {
  if (node === undefined) return rules.pageSize.default;
  const value = isValues(node) ? node.at(-1) : undefined;
  if (value === '') {
    throw new BadParameterError('page[limit]', 'page[limit] is empty. Send a number, or leave it out.');
  }
  const limit = value === undefined ? undefined : numericLimit(value, rules);
  if (limit === undefined) {
    ignored.push(...leafNames(node, ['page', 'limit']));
    return rules.pageSize.default;
  }
  return boundLimit(limit, rules, 'page[limit]');
}

function parseOffset(node: QueryNode | undefined): number {
  if (node === undefined) return 0;
  const value = lastValue(node) ?? 'a list';
  const offset = Math.trunc(leadingNumber(value) ?? Number.NaN);
  if (offset >= 0 && offset <= Number.MAX_SAFE_INTEGER) return offset;
  throw new BadParameterError('page[offset]', `An offset is an integer from 0, not '${value}'.`);
}

/**
 * Like PHP, compares a string that only begins with a number with the maximum as a string: `2;a` is 2, `5a` is too
 * large. Such a string never means 0, because 0 returns everything.
 */
function numericLimit(value: string, { pageSize }: PagingRules): number | undefined {
  const limit = leadingNumber(value);
  if (limit === undefined || !/[^\s\d.e+-]/i.test(value)) return limit;
  return value > String(pageSize.max) || limit === 0 ? undefined : limit;
}

/** The number that a string begins with, as in PHP: ` 3`, `1.5`, `1e1`. */
function leadingNumber(value: string): number | undefined {
  const match = /^\s*[+-]?\d+(\.\d+)?(e[+-]?\d+)?/i.exec(value);
  return match === null ? undefined : Number(match[0]);
}

/** `include=a,b.c`: paths in the order sent, without duplicates. `read/include.ts` checks that they exist. */
function parseInclude(node: QueryNode, limits: Limits): readonly string[] {
  if (!isValues(node)) {
    throw new BadParameterError('include', 'Several include paths are separated by commas: include=a,b.c.');
  }
  const value = node.at(-1) ?? '';
  if (value === '') return [];
  const paths = value.split(',').map((path) => path.trim());
  if (paths.includes('')) {
    throw new BadParameterError(
      'include',
      'An include path is empty. Separate paths by single commas: include=a,b.c.',
    );
  }
  return checkIncludePaths([...new Set(paths)], limits);
}

/** `fields[type]=a,b`. Unknown names and types are reported by `read/sparse-fields.ts`, which has the types. */
function parseFields(node: QueryNode | undefined): Query['fields'] {
  const fields: Record<string, readonly string[]> = Object.create(null);
  if (node === undefined) return fields;
  if (isValues(node)) {
    throw new BadParameterError('fields', 'Sparse fields name a resource type: fields[node--article]=title.');
  }
  for (const [type, names] of Object.entries(node)) {
    const parameter = parameterName(['fields', type]);
    if (!isValues(names)) {
      throw new BadParameterError(
        parameter,
        `Several field names are separated by commas: ${parameter}=title,body.`,
      );
    }
    fields[type] = [...new Set((names.at(-1) ?? '').split(','))].filter((name) => name !== '');
  }
  return fields;
}

/** The parameter that names a version. Source: Drupal's JSON:API. */
export const VERSION_PARAMETER = 'resourceVersion';

/** The language of the content, and whether other languages stand in. Source: Drupal's module jsonapi_multilingual. */
export const LANGUAGE_PARAMETER = 'langCode';
export const FALLBACK_PARAMETER = 'includeFallback';
export const LANGUAGE_PARAMETERS: readonly string[] = [LANGUAGE_PARAMETER, FALLBACK_PARAMETER];

/** The entity with its unfinished changes. */
export const WORKING_COPY = 'rel:working-copy';
/** Without unfinished changes, and in a list, both mean the current file. */
export const PRESENT_VERSIONS: readonly string[] = ['rel:latest-version', WORKING_COPY];

/**
 * The commit hash, or its beginning, of `id:<commit>`; `WORKING_COPY` of a single resource (`isSingle`); undefined for the
 * current version. Throws BadParameterError for anything else, and for a past version of a list.
 */
export function parseVersion(node: QueryNode, isSingle: boolean): string | undefined {
  const version = lastValue(node) ?? '';
  if (PRESENT_VERSIONS.includes(version)) return isSingle && version === WORKING_COPY ? version : undefined;
  const [, commit] = PAST_VERSION.exec(version) ?? [];
  if (isSingle && commit !== undefined) return commit.toLowerCase();
  throw new BadParameterError(
    VERSION_PARAMETER,
    commit === undefined
      ? `There is no version '${shortened(version, MAX_ECHOED)}'. Versions: ${PRESENT_VERSIONS.join(', ')}, id:<hash of a commit>.`
      : `Only GET of a single resource on a server accepts a past version. Versions here: ${PRESENT_VERSIONS.join(', ')}.`,
  );
}

/** As long as a SHA-256 hash. */
const PAST_VERSION = /^id:([0-9a-f]{1,64})$/i;
const MAX_ECHOED = 80;

/** Throws BadParameterError if a change is about the working copy: unfinished changes have an address of their own. */
export function rejectWorkingCopy(query: string, limits: QueryRules['limits']): void {
  const node = parseQueryString(query, limits)[VERSION_PARAMETER];
  if (node === undefined || lastValue(node) !== WORKING_COPY) return;
  throw new BadParameterError(
    VERSION_PARAMETER,
    `Only GET accepts ${WORKING_COPY}. Unfinished changes are changed at the address of their draft, below _drafts.`,
  );
}

/** Throws for an unknown parameter, unless its name has other characters than a-z. */
function checkUnknown(name: string, node: QueryNode, rules: QueryRules): void {
  if (name === '_format') throw unneededFormat(node);
  if (!/^[a-z]+$/.test(name)) return;
  throw new BadParameterError(
    leafNames(node, [name])[0] ?? name,
    `There is no query parameter '${name}'. Parameters: ${parameterNames(PARAMETERS, rules)}. Parameters of your own need a character other than a-z.`,
  );
}

/** The valid parameters, for messages. */
export function parameterNames(names: readonly string[], { languages }: QueryRules): string {
  return [...names, ...(languages === undefined ? [] : LANGUAGE_PARAMETERS)].join(', ');
}

function unneededFormat(node: QueryNode): DomainError {
  if (lastValue(node) === 'api_json') {
    return new BadParameterError('_format', 'Everything under this path is JSON:API: leave _format out.');
  }
  return new NotAcceptableError('Only JSON:API is served here: leave _format out.', {
    parameter: '_format',
  });
}

const COLLECTION_ONLY: readonly string[] = ['filter', 'sort', 'page', FACETS_PARAMETER];
const PARAMETERS: readonly string[] = [...COLLECTION_ONLY, 'include', 'fields', VERSION_PARAMETER];
const NO_PARAMETERS: QueryTree = {};
