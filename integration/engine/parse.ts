import { BadParameterError, type DomainError, NotAcceptableError } from '../util/errors.ts';
import { EMPTY_FILTER, type Page, type Query, type SortKey } from './ast.ts';
import { beyondLimit, type Limits } from './limits.ts';
import { parseFilter } from './parse-filter.ts';
import { type PagingRules, parsePage } from './parse-page.ts';
import { checkPath } from './parse-path.ts';
import { parseVersion, VERSION_PARAMETER } from './parse-version.ts';
import {
  isValues,
  leafNames,
  parameterName,
  parseQueryString,
  type QueryNode,
  type QueryTree,
  sentEntries,
} from './query-string.ts';

/** What the options say of queries. */
export interface QueryRules extends PagingRules {
  readonly limits: Limits;
}

/** What a JSON:API query string may hold depends on what is asked for. Of a `resource` there are past versions. */
export type QueryTarget = 'collection' | 'individual' | 'resource';

/**
 * A JSON:API query string (without `?`) as a Query. Parameters are the families of JSON:API 1.1 with Drupal's
 * filter, sort and page strategies. On an individual resource filter, sort and page are sent in vain.
 * Throws BadParameterError for what cannot be read, and for an unknown name of lower-case letters only;
 * other unknown names are listed in `ignored`.
 */
export function parseQuery(query: string, target: QueryTarget, rules: QueryRules): Query {
  const { limits } = rules;
  const tree = parseQueryString(query, limits);
  const ignored: string[] = [];
  for (const [name, node] of Object.entries(tree)) {
    if (!PARAMETERS.includes(name)) checkUnknown(name, node, ignored);
    else if (target !== 'collection' && COLLECTION_ONLY.includes(name))
      ignored.push(...leafNames(node, [name]));
  }
  const version = parseVersion(tree[VERSION_PARAMETER], target === 'resource');
  const { filter, sort, page } =
    target === 'collection' ? parseCollection(tree, rules, ignored) : NO_COLLECTION;
  return {
    filter,
    sort,
    page,
    include: parseInclude(tree.include, limits),
    includeSent: tree.include !== undefined,
    fields: parseFields(tree.fields),
    ignored,
    ...(version !== undefined && { version }),
  };
}

function parseCollection(tree: QueryTree, rules: QueryRules, ignored: string[]): CollectionPart {
  return {
    filter:
      tree.filter === undefined
        ? EMPTY_FILTER
        : parseFilter(tree.filter, { commaLists: false, limits: rules.limits }, ignored),
    sort: parseSort(tree.sort, rules.limits, ignored),
    page: parsePage(tree.page, rules, ignored),
  };
}

/** `sort=-a,b` or `sort[x][path]=a&sort[x][direction]=DESC`. Any direction but `desc` (any case) is ascending. */
export function parseSort(
  node: QueryNode | undefined,
  limits: Limits,
  ignored: string[],
): readonly SortKey[] {
  if (node === undefined) return [];
  const keys = isValues(node)
    ? (node.at(-1) ?? '').split(',').map((key) => sortKey(key, 'sort', limits))
    : sentEntries(node).map(([label, item]) => sortObject(label, item, limits, ignored));
  return checkSortKeys(keys, 'sort', limits);
}

/** The keys themselves, once they are known to be no more than may be. */
export function checkSortKeys(
  keys: readonly SortKey[],
  parameter: string,
  { sortKeys }: Limits,
): readonly SortKey[] {
  if (keys.length <= sortKeys) return keys;
  throw beyondLimit(
    parameter,
    'sortKeys',
    `A query may sort by ${sortKeys} paths at most, not ${keys.length}`,
  );
}

function sortKey(key: string, parameter: string, limits: Limits): SortKey {
  const descending = key.startsWith('-');
  return {
    path: checkPath(descending ? key.slice(1) : key, parameter, limits),
    direction: descending ? 'DESC' : 'ASC',
    parameter,
  };
}

function sortObject(label: string, item: QueryNode, limits: Limits, ignored: string[]): SortKey {
  const keys = ['sort', label];
  const parameter = parameterName([...keys, 'path']);
  const path = isValues(item) ? undefined : item.path;
  if (isValues(item) || path === undefined || !isValues(path)) {
    throw new BadParameterError(parameterName(keys), `Write sort=title,-created, or ${parameter}=<field>.`);
  }
  const sent = item.direction;
  const direction = sent === undefined || !isValues(sent) ? undefined : sent.at(-1)?.toUpperCase();
  for (const [key, part] of Object.entries(item)) {
    const known = key === 'path' || (key === 'direction' && (direction === 'ASC' || direction === 'DESC'));
    if (!known) ignored.push(...leafNames(part, [...keys, key]));
  }
  return {
    path: checkPath(path.at(-1) ?? '', parameter, limits),
    direction: direction === 'DESC' ? 'DESC' : 'ASC',
    parameter,
  };
}

/** `include=a,b.c`: paths in the order sent, each once. Whether they exist is known to `read/include.ts`. */
function parseInclude(node: QueryNode | undefined, limits: Limits): readonly string[] {
  if (node === undefined) return [];
  if (!isValues(node)) {
    throw new BadParameterError('include', 'Several include paths are separated by commas: include=a,b.c.');
  }
  const sent = node.at(-1) ?? '';
  if (sent === '') return [];
  if (sent.split(',').some((path) => path.trim() === '')) {
    throw new BadParameterError(
      'include',
      'An include path is empty. Separate paths by single commas: include=a,b.c.',
    );
  }
  const paths = new Set(sent.split(',').map((path) => path.trim()));
  return checkIncludePaths([...paths], limits);
}

/** The paths themselves, once they are known to be no more and no longer than may be. */
export function checkIncludePaths(paths: readonly string[], limits: Limits): readonly string[] {
  for (const path of paths) checkIncludePath(path, limits);
  if (paths.length <= limits.includePaths) return paths;
  throw beyondLimit(
    'include',
    'includePaths',
    `A query may have ${limits.includePaths} include paths at most, not ${paths.length}`,
  );
}

function checkIncludePath(path: string, { includeDepth }: Limits): void {
  const members = path.split('.');
  if (members.includes('')) {
    throw new BadParameterError(
      'include',
      `The path '${path}' has an empty part. Members are separated by single dots.`,
    );
  }
  if (members.length <= includeDepth) return;
  throw beyondLimit(
    'include',
    'includeDepth',
    `An include path may lead through ${includeDepth} references at most, not ${members.length}`,
  );
}

/** `fields[type]=a,b`. Unknown names and types are found where the types are known. */
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

function checkUnknown(name: string, node: QueryNode, ignored: string[]): void {
  if (name === '_format') throw unneededFormat(node);
  if (!/^[a-z]+$/.test(name)) {
    ignored.push(...leafNames(node, [name]));
    return;
  }
  const [parameter = name] = leafNames(node, [name]);
  throw new BadParameterError(
    parameter,
    `There is no query parameter '${name}'. Parameters: ${PARAMETERS.join(', ')}. Parameters of your own need a character other than a-z.`,
  );
}

function unneededFormat(node: QueryNode): DomainError {
  if (isValues(node) && node.at(-1) === 'api_json') {
    return new BadParameterError('_format', 'Everything under this path is JSON:API: leave _format out.');
  }
  return new NotAcceptableError('Only JSON:API is answered here: leave _format out.', {
    parameter: '_format',
  });
}

const PARAMETERS: readonly string[] = ['filter', 'sort', 'page', 'include', 'fields', VERSION_PARAMETER];
const COLLECTION_ONLY: readonly string[] = ['filter', 'sort', 'page'];

const NO_COLLECTION: CollectionPart = { filter: EMPTY_FILTER, sort: [], page: { offset: 0, limit: 1 } };

interface CollectionPart {
  readonly filter: Query['filter'];
  readonly sort: readonly SortKey[];
  readonly page: Page;
}
