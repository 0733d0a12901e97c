import type { ResourceType } from '../content/model.ts';
import {
  type Condition,
  FACETS_PARAMETER,
  type FilterNode,
  type Group,
  type Page,
  type Scalar,
  SEARCH_PATH,
  type Search,
  type SortKey,
} from '../engine/ast.ts';
import type { FacetInput } from '../engine/parse/parse-facets.ts';
import type { QueryDefaults } from '../engine/parse/parse-query.ts';
import { type AsOption, optionsCode } from './as-option.ts';
import { type LanguageOption, languageParameters } from './language-option.ts';

/** The state of a builder, which is immutable. */
export interface QuerySpec extends AsOption, LanguageOption {
  /** As the caller wrote it. */
  readonly bundle: string;
  /** Members of the root AND group. */
  readonly filter: readonly FilterNode[];
  readonly sort: readonly SortKey[];
  readonly page: Page;
  readonly include: readonly string[];
  /** Undefined for all fields. */
  readonly fields: readonly string[] | undefined;
}

/** A query to write as code or as a URL. */
export interface FormattedQuery {
  /** Members of the root AND group. */
  readonly filter: readonly FilterNode[];
  readonly sort: readonly SortKey[];
  readonly include: readonly string[];
  readonly page: { readonly offset?: number | string; readonly limit?: number | string };
}

/** The query as code on one line; `end` is the method that runs it. */
export function queryCall(spec: QuerySpec, end: string): string {
  const { offset, limit } = spec.page;
  const page = { ...(offset > 0 && { offset }), ...(Number.isFinite(limit) && { limit }) };
  return [entitiesCall(spec), ...formatCalls({ ...spec, page }, spec.fields ?? []), end].join('.');
}

export function entitiesCall(spec: QuerySpec): string {
  return `entities(${quote(spec.bundle)}${optionsCode(spec)})`;
}

/** `facets({ field_tags: { limit: 20 } })`. */
export function facetsCall(
  facets: Readonly<Record<string, FacetInput>>,
  method: 'facets' | 'explain' = 'facets',
): string {
  const members = Object.entries(facets).map(([path, options]) => {
    const values = optionsOf(options).map(([name, value]) => `${name}: ${valueCode(value)}`);
    const key = /^[a-z_]\w*$/i.test(path) ? path : quote(path);
    return `${key}: ${values.length === 0 ? '{}' : `{ ${values.join(', ')} }`}`;
  });
  return `${method}({ ${members.join(', ')} })`;
}

/** `facetBy[field_tags][limit]=20`. A facet without options is `facetBy[field_tags]=`. */
export function facetParameters(facets: Readonly<Record<string, FacetInput>>): readonly Parameter[] {
  return Object.entries(facets).flatMap(([path, options]) => {
    const name = `${FACETS_PARAMETER}[${path}]`;
    const values = optionsOf(options);
    if (values.length === 0) return [parameter(name, '')];
    return values.map(([option, value]) => parameter(`${name}[${option}]`, String(value)));
  });
}

function optionsOf(options: FacetInput): readonly (readonly [string, Scalar | readonly Scalar[]])[] {
  return Object.entries(options).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
}

export function jsonapiCall(url: string, options: AsOption): string {
  return `jsonapi(${quote(url)}${optionsCode(options)})`;
}

/** The path of the query below `/jsonapi`. Queries of pages have no defaults, so the path replaces those of the bundle. */
export function queryPath(
  { name, entityType, bundle }: Pick<ResourceType, 'name' | 'entityType' | 'bundle'>,
  spec: QuerySpec,
  defaults: QueryDefaults = {},
): string {
  const { offset, limit } = spec.page;
  const page = { ...(offset > 0 && { offset }), ...(Number.isFinite(limit) && limit > 0 && { limit }) };
  const parameters = formatParameters({ ...spec, page }, spec.fields ? { [name]: spec.fields } : {});
  const path = `/${encodeURIComponent(entityType)}/${encodeURIComponent(bundle)}`;
  const language = languageParameters(spec).map(([key, value]) => parameter(key, value));
  const replaced = (['filter', 'include'] as const).flatMap((family) =>
    defaults[family] !== undefined && spec[family].length === 0 ? parameter(family, '') : [],
  );
  const texts = [...replaced, ...parameters, ...language].map(({ text }) => text);
  return texts.length === 0 ? path : `${path}?${texts.join('&')}`;
}

/** The calls of a query builder, in order: `where('title', '=', 'x')`. Groups longer than `lineLength` have several lines. */
export function formatCalls(
  { filter, sort, include, page: { offset, limit } }: FormattedQuery,
  fields: readonly string[],
  lineLength = Number.POSITIVE_INFINITY,
): readonly string[] {
  const page = Object.entries({ offset, limit }).filter(([, value]) => value !== undefined);
  return [
    ...filter.map((node) => (node.kind === 'group' ? groupCall(node, lineLength) : expression(node))),
    ...listCall('sort', sort.map(sortText)),
    ...listCall('include', include),
    ...listCall('fields', fields),
    ...(page.length > 0 ? [`page({ ${page.map((entry) => entry.join(': ')).join(', ')} })`] : []),
  ];
}

function groupCall(group: Group, lineLength: number): string {
  const functions = new Set<string>();
  const text = expression(group, lineLength, functions);
  const start = `where(({ ${[...functions].sort().join(', ')} }) =>`;
  return Number.isFinite(lineLength) ? `${start}\n${indent(text)},\n)` : `${start} ${text})`;
}

/** One expression. Adds the functions it calls to `functions`. */
function expression(
  node: FilterNode,
  lineLength = Number.POSITIVE_INFINITY,
  functions = new Set<string>(),
): string {
  const method = node.kind === 'search' && node.isRelated ? 'relatedTo' : FUNCTIONS[node.kind];
  const name = node.kind === 'group' ? node.conjunction.toLowerCase() : method;
  functions.add(name);
  if (node.kind === 'search')
    return `${name}(${quote(node.text)}${node.isTolerant ? ', { tolerant: true }' : ''})`;
  if (node.kind === 'condition') return `${name}(${conditionArguments(node)})`;
  const members = node.members.map((member) => expression(member, lineLength, functions));
  const line = `${name}(${members.join(', ')})`;
  if (line.length <= lineLength && !line.includes('\n')) return line;
  return `${name}(\n${members.map((member) => `${indent(member)},`).join('\n')}\n)`;
}

const FUNCTIONS = { group: 'and', condition: 'where', search: 'search' } as const;

function conditionArguments({ path, operator, value }: Condition): string {
  const start = `${quote(path)}, ${quote(operator)}`;
  return value === null ? start : `${start}, ${valueCode(value)}`;
}

/** A value as code: `'x'`, `[1, 2]`. */
export function valueCode(value: Scalar | readonly Scalar[]): string {
  if (Array.isArray(value)) return `[${value.map(valueCode).join(', ')}]`;
  return typeof value === 'string' ? quote(value) : String(value);
}

function listCall(name: string, items: readonly string[]): readonly string[] {
  return items.length === 0 ? [] : [`${name}(${items.map(quote).join(', ')})`];
}

/** A string literal in single quotes. */
export function quote(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

function indent(text: string): string {
  return `  ${text.replaceAll('\n', '\n  ')}`;
}

function sortText({ path, direction }: SortKey): string {
  return direction === 'DESC' ? `-${path}` : path;
}

/** A parameter of a URL. */
export interface Parameter {
  /** `sort=-changed`; brackets and other readable characters are not percent-encoded. */
  readonly text: string;
  /** Its name, or the beginning that all parameters of one condition or group share: `filter[c1][condition]`. */
  readonly name: string;
  /** The node that it is a part of; the first one for `sort`. */
  readonly node?: FilterNode | SortKey | undefined;
}

/** The parameters of a URL. `fields` are by resource type name. */
export function formatParameters(
  { filter, sort, include, page }: FormattedQuery,
  fields: Readonly<Record<string, readonly string[]>>,
): readonly Parameter[] {
  const { offset, limit } = page;
  return [
    ...filterParameters(filter),
    ...(sort.length > 0 ? [parameter('sort', sort.map(sortText).join(','), sort[0])] : []),
    ...(include.length > 0 ? [parameter('include', include.join(','))] : []),
    ...Object.entries(fields).map(([type, names]) => parameter(`fields[${type}]`, names.join(','))),
    ...(offset === undefined ? [] : [parameter('page[offset]', offset)]),
    ...(limit === undefined ? [] : [parameter('page[limit]', limit)]),
  ];
}

/** `filter[path]` for the only condition on a path, numbered conditions and groups for everything else. */
function filterParameters(root: readonly FilterNode[]): readonly Parameter[] {
  const short = shortNames(root);
  const names = new Set(short.values());
  const counts = { c: 0, g: 0 };
  const label = (letter: 'c' | 'g'): string => {
    const name = `${letter}${++counts[letter]}`;
    return names.has(name) ? label(letter) : name;
  };

  function write(node: FilterNode, memberOf?: string): readonly Parameter[] {
    const shortName = short.get(node);
    const group = node.kind === 'group' ? label('g') : undefined;
    const name =
      group !== undefined
        ? `filter[${group}][group]`
        : `filter[${shortName ?? label('c')}]${shortName === undefined ? '[condition]' : ''}`;
    const part = (key: string, value: Scalar) => parameter(name + key, value, node, name);
    const above = memberOf === undefined ? [] : [part('[memberOf]', memberOf)];
    if (node.kind === 'group') {
      const members = node.members.flatMap((member) => write(member, group));
      return [part('[conjunction]', node.conjunction), ...above, ...members];
    }
    const { path, operator, value } = conditionOf(node);
    if (shortName !== undefined && operator === '=') return [part('', String(value))];
    const values = Array.isArray(value) ? value : value === null ? [] : [value];
    return [
      ...(shortName === undefined ? [part('[path]', path)] : []),
      ...(operator === '=' ? [] : [part('[operator]', operator)]),
      ...values.map((each) => part(Array.isArray(value) ? '[value][]' : '[value]', each)),
      ...(node.kind === 'search' && node.highlight ? [part('[highlight]', true)] : []),
      ...above,
    ];
  }

  return root.flatMap((node) => write(node));
}

/** The nodes that need no label: the only condition on a path, if it has a value, and the first search. */
function shortNames(root: readonly FilterNode[]): ReadonlyMap<FilterNode, string> {
  const short = new Map<FilterNode, string>();
  const search = root.find(({ kind }) => kind === 'search');
  if (search !== undefined) short.set(search, SEARCH_PATH);
  for (const node of root) {
    if (node.kind !== 'condition' || node.path === SEARCH_PATH || !/^[\w.-]+$/.test(node.path)) continue;
    const isOnly = root.every(
      (other) => other === node || other.kind !== 'condition' || other.path !== node.path,
    );
    const hasValue = Array.isArray(node.value) ? node.value.length > 0 : node.value !== null;
    if (isOnly && hasValue) short.set(node, node.path);
  }
  return short;
}

function conditionOf(
  node: Condition | Search,
): Pick<Condition, 'path' | 'value'> & { readonly operator: string } {
  if (node.kind === 'condition') return node;
  const operator = node.isRelated ? 'RELATED_TO' : node.isTolerant ? 'SEARCH' : '=';
  return { path: SEARCH_PATH, operator, value: node.text };
}

function parameter(name: string, value: Scalar, node?: Parameter['node'], owner = name): Parameter {
  return { text: `${encode(name)}=${encode(String(value))}`, name: owner, node };
}

function encode(text: string): string {
  return encodeURIComponent(text)
    .replace(/%(?:5B|5D|2C|3A|2F|40|24)/g, decodeURIComponent)
    .replaceAll("'", '%27');
}
