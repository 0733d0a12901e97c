import { FACETS_PARAMETER, type FilterNode, type Query } from '../../../../../integration/core/engine/ast.ts';
import { DEFAULT_LIMITS, type Limits } from '../../../../../integration/core/engine/limits.ts';
import { parseQuery } from '../../../../../integration/core/engine/parse/parse-query.ts';
import {
  isValues,
  lastValue,
  leafNames,
  parseQueryString,
  type QueryTree,
} from '../../../../../integration/core/engine/parse/query-string.ts';
import { BadParameterError } from '../../../../../integration/core/util/errors.ts';
import { decodeUri } from '../../../../../integration/core/util/text.ts';
import { bundleAt, type Schema } from '../../../api/schema.ts';
import {
  createCondition,
  createForm,
  createGroup,
  createSort,
  type FormNode,
  type QueryForm,
} from './form.ts';

/** A part of a URL that the form cannot show. */
export interface UrlProblem {
  /** Full parameter name; empty if the path is at fault. */
  readonly parameter: string;
  readonly message: string;
}

export interface ParsedUrl {
  /** Undefined if the path is not a collection of this site. */
  readonly form: QueryForm | undefined;
  /** The key of an input by the parameter that it writes. */
  readonly inputs: ReadonlyMap<string, string>;
  readonly problems: readonly UrlProblem[];
}

/**
 * Reads an API path with its query, `/node/article?filter[title]=x`, into a form, with the parser of the query engine.
 * Parameters that the API would reject or ignore become problems; the form holds the rest.
 */
export function readPath(schema: Schema, path: string): ParsedUrl {
  const mark = path.indexOf('?');
  const pathname = mark < 0 ? path : path.slice(0, mark);
  const match = bundleAt(schema, pathname);
  if (match !== undefined && match.rest.length === 0) {
    return readQuery(match.bundle.name, mark < 0 ? '' : path.slice(mark + 1));
  }
  const message =
    pathname === '/'
      ? 'This is the entry point, which links to all collections. The form cannot show it, but you can run it.'
      : match === undefined
        ? `This site has no collection at "${pathname}".`
        : `"${pathname}" is a single resource, so the form cannot show it. You can still run it.`;
  return { form: undefined, inputs: new Map(), problems: [{ parameter: '', message }] };
}

/**
 * The API path in a pasted URL: `/node/article?…` for a URL of the API on any host, because `localhost` and `127.0.0.1`
 * are often the same site, or for a path without base and prefix; `/` for the entry point. Undefined for other URLs.
 */
export function apiPath(text: string, base: string): string | undefined {
  const prefix = `${base}/jsonapi`;
  let [rest = ''] = text
    .trim()
    .replace(/^get\s+/i, '')
    .split('#', 1);
  const [origin] = /^https?:\/\/[^/?]+/i.exec(rest) ?? [];
  rest = rest.slice(origin?.length ?? 0);
  if (rest === prefix || rest === `${prefix}/`) return '/';
  if (rest.startsWith(`${prefix}/`) || rest.startsWith(`${prefix}?`)) return rest.slice(prefix.length);
  const isPath = /^\/(?!\/)/.test(rest) && !rest.startsWith(`${base}/api/`);
  return origin === undefined && isPath ? rest : undefined;
}

function readQuery(type: string, queryString: string): ParsedUrl {
  const { query, tree, problems } = parseLeniently(queryString);
  const inputs = new Map<string, string>();
  const form = createForm(type);
  const readNode = (node: FilterNode): FormNode[] => {
    switch (node.kind) {
      case 'search':
        form.search = node.text;
        form.searchOperator = node.isRelated ? 'RELATED_TO' : node.isTolerant ? 'SEARCH' : '=';
        inputs.set('filter[fulltext]', 'search');
        return [];
      case 'group':
        return [createGroup(node.conjunction, node.members.flatMap(readNode))];
      case 'condition': {
        const { path, operator, value } = node;
        const values = value === null ? [] : Array.isArray(value) ? value.map(String) : [String(value)];
        const condition = createCondition(path, operator, values);
        inputs.set(node.parameter?.replace(/\[path\]$/, '') ?? '', `condition-${condition.id}`);
        return [condition];
      }
    }
  };
  form.filter.members = query.filter.members.flatMap(readNode);
  form.replaced = (['filter', 'include'] as const).filter((name) => lastValue(tree[name]) === '');
  form.sort = query.sort.map(({ path, direction, parameter = 'sort' }, index) => {
    if (!inputs.has(parameter)) inputs.set(parameter, `sort-${index}`);
    return createSort(path, direction);
  });
  form.include = [...query.include];
  inputs.set('include', 'include');
  for (const [name, fields] of Object.entries(query.fields)) {
    form.fields[name] = [...fields];
    inputs.set(`fields[${name}]`, `fields-${name}`);
  }
  const isNumbered = pageValue(tree, 'number') !== '' || pageValue(tree, 'size') !== '';
  for (const [key, alias] of [
    ['offset', 'number'],
    ['limit', 'size'],
  ] as const) {
    const value = query.page[key];
    form[key] = isNumbered && Number.isFinite(value) ? String(value) : pageValue(tree, key);
    inputs.set(`page[${key}]`, key);
    inputs.set(`page[${alias}]`, key);
  }
  form.facets = query.facets.map(({ path }) => path).join(',');
  for (const { parameter = '' } of query.facets) inputs.set(parameter, 'facets');
  return { form, inputs, problems: [...problems, ...facetOptions(tree)] };
}

/** The options of facets, which the form does not have. */
function facetOptions(tree: QueryTree): readonly UrlProblem[] {
  const facets = tree[FACETS_PARAMETER];
  if (facets === undefined || isValues(facets)) return [];
  return Object.entries(facets).flatMap(([path, options]) => {
    if (isValues(options)) return [];
    const parameters = leafNames(options, [FACETS_PARAMETER, path]);
    return parameters.map((parameter) => ({ parameter, message: 'The form has no options of facets.' }));
  });
}

/** Leaves out one parameter after the other until the engine accepts the rest. */
function parseLeniently(queryString: string): {
  readonly query: Query;
  readonly tree: QueryTree;
  readonly problems: readonly UrlProblem[];
} {
  const problems: UrlProblem[] = [];
  let rest = queryString;
  for (;;) {
    try {
      const query = parseQuery(rest, 'collection', RULES);
      const ignored = query.ignored.map((parameter) => ({
        parameter,
        message: CURSORS.has(parameter) ? 'The form has no cursors.' : 'The API ignores this parameter.',
      }));
      return { query, tree: parseQueryString(rest, LIMITS), problems: [...problems, ...ignored] };
    } catch (error) {
      if (!(error instanceof BadParameterError)) throw error;
      const parameter = error.source?.parameter ?? '';
      problems.push({ parameter, message: error.detail });
      rest = withoutParameter(rest, parameter);
    }
  }
}

/** The query string without a parameter, or without the nearest one around it. */
function withoutParameter(query: string, parameter: string): string {
  const pairs = query.split('&');
  for (let name = parameter; name !== ''; name = name.replace(/(?:\[[^[]*|[^[]+)$/, '')) {
    const others = pairs.filter((pair) => {
      const other = decodeUri((pair.split('=', 1)[0] ?? '').replaceAll('+', ' '));
      return other !== name && !other.startsWith(`${name}[`);
    });
    if (others.length < pairs.length) return others.join('&');
  }
  return '';
}

function pageValue({ page }: QueryTree, key: string): string {
  const node = page === undefined || isValues(page) ? undefined : page[key];
  return node !== undefined && isValues(node) ? (node.at(-1) ?? '') : '';
}

const CURSORS: ReadonlySet<string> = new Set(['page[after]', 'page[before]']);

/** The server checks its own limits. */
const LIMITS: Limits = {
  ...DEFAULT_LIMITS,
  ...{ parameters: Infinity, conditions: Infinity, groupDepth: Infinity, listValues: Infinity },
  ...{ pathDepth: Infinity, sortKeys: Infinity, includePaths: Infinity, includeDepth: Infinity },
};
const RULES = { limits: LIMITS, pageSize: { default: Infinity, max: Infinity, unlimited: true } };
