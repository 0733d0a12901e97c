import { type ApiError, BadParameterError, NotAcceptableError, NotFoundError } from '../errors.ts';
import { EMPTY_FILTER, type Page, type Query, type SortKey } from './ast.ts';
import { MAX_INCLUDE_PATHS, MAX_SORT_KEYS } from './limits.ts';
import { parseFilter } from './parse-filter.ts';
import { type PagingRules, parsePage } from './parse-page.ts';
import { checkPath } from './parse-path.ts';
import {
  isValues,
  leafNames,
  parameterName,
  parseQueryString,
  type QueryNode,
  type QueryTree,
  sentEntries,
} from './query-string.ts';

/** What a JSON:API query string may hold depends on what is asked for. */
export type QueryTarget = 'collection' | 'individual';

/**
 * A JSON:API query string (without `?`) as a Query. Parameters are the families of JSON:API 1.1 with Drupal's
 * filter, sort and page strategies. On an individual resource filter, sort and page are sent in vain.
 * Throws BadParameterError for what cannot be read, and for an unknown name of lower-case letters only;
 * other unknown names are listed in `ignored`.
 */
export function parseQuery(query: string, target: QueryTarget, paging: PagingRules): Query {
  const tree = parseQueryString(query);
  const ignored: string[] = [];
  for (const [name, node] of Object.entries(tree)) {
    if (!PARAMETERS.includes(name)) checkUnknown(name, node, ignored);
    else if (target === 'individual' && COLLECTION_ONLY.includes(name))
      ignored.push(...leafNames(node, [name]));
  }
  checkResourceVersion(tree.resourceVersion, target);
  const { filter, sort, page } =
    target === 'collection' ? parseCollection(tree, paging, ignored) : NO_COLLECTION;
  return {
    filter,
    sort,
    page,
    include: parseInclude(tree.include),
    includeSent: tree.include !== undefined,
    fields: parseFields(tree.fields),
    ignored,
  };
}

function parseCollection(tree: QueryTree, paging: PagingRules, ignored: string[]): CollectionPart {
  return {
    filter:
      tree.filter === undefined ? EMPTY_FILTER : parseFilter(tree.filter, { commaLists: false }, ignored),
    sort: parseSort(tree.sort, ignored),
    page: parsePage(tree.page, paging, ignored),
  };
}

/** `sort=-a,b` or `sort[x][path]=a&sort[x][direction]=DESC`. Any direction but `desc` (any case) is ascending. */
export function parseSort(node: QueryNode | undefined, ignored: string[]): readonly SortKey[] {
  if (node === undefined) return [];
  const keys = isValues(node)
    ? (node.at(-1) ?? '').split(',').map((key) => sortKey(key, 'sort'))
    : sentEntries(node).map(([label, item]) => sortObject(label, item, ignored));
  if (keys.length <= MAX_SORT_KEYS) return keys;
  throw new BadParameterError(
    'sort',
    `A query may sort by ${MAX_SORT_KEYS} paths at most, not ${keys.length}.`,
  );
}

function sortKey(key: string, parameter: string): SortKey {
  const descending = key.startsWith('-');
  return {
    path: checkPath(descending ? key.slice(1) : key, parameter),
    direction: descending ? 'DESC' : 'ASC',
    parameter,
  };
}

function sortObject(label: string, item: QueryNode, ignored: string[]): SortKey {
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
    path: checkPath(path.at(-1) ?? '', parameter),
    direction: direction === 'DESC' ? 'DESC' : 'ASC',
    parameter,
  };
}

/** `include=a,b.c`: paths in the order sent, each once. Whether they exist is known to `jsonapi/include.ts`. */
function parseInclude(node: QueryNode | undefined): readonly string[] {
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
  const paths = new Set(sent.split(',').map((path) => checkPath(path.trim(), 'include')));
  if (paths.size <= MAX_INCLUDE_PATHS) return [...paths];
  throw new BadParameterError(
    'include',
    `A query may have ${MAX_INCLUDE_PATHS} include paths at most, not ${paths.size}.`,
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

function unneededFormat(node: QueryNode): ApiError {
  if (isValues(node) && node.at(-1) === 'api_json') {
    return new BadParameterError('_format', 'Everything under this path is JSON:API: leave _format out.');
  }
  return new NotAcceptableError('Only JSON:API is answered here: leave _format out.', {
    parameter: '_format',
  });
}

/** Source: Drupal's `resourceVersion`; content in files has one version, the working copy. */
function checkResourceVersion(node: QueryNode | undefined, target: QueryTarget): void {
  if (node === undefined) return;
  const version = isValues(node) ? (node.at(-1) ?? '') : '';
  if (version === 'rel:latest-version' || version === 'rel:working-copy') return;
  if (target === 'individual' && /^id:./.test(version)) {
    throw new NotFoundError(
      `There is no version '${version}' of this resource. Only the latest version is kept.`,
    );
  }
  throw new BadParameterError(
    'resourceVersion',
    `There is no version '${version}'. Versions: rel:latest-version, rel:working-copy.`,
  );
}

const PARAMETERS: readonly string[] = ['filter', 'sort', 'page', 'include', 'fields', 'resourceVersion'];
const COLLECTION_ONLY: readonly string[] = ['filter', 'sort', 'page'];

const NO_COLLECTION: CollectionPart = { filter: EMPTY_FILTER, sort: [], page: { offset: 0, limit: 1 } };

interface CollectionPart {
  readonly filter: Query['filter'];
  readonly sort: readonly SortKey[];
  readonly page: Page;
}
