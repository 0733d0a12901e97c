import { objectOf } from '../api/document.ts';
import { type Bundle, type Field, pathTo, type Schema } from '../api/schema.ts';
import { SCHEDULE_FIELDS, startFields } from './publication.ts';
import { searchFilter } from './search.ts';

/** The contents of a content list. The address holds all of it, so that it can be bookmarked. */
export interface ListState {
  /** A resource type; empty for all bundles. */
  readonly type: string;
  /** Words of the full-text search. */
  readonly search: string;
  /** Selected values by field; an empty text selects content without a value. A year stands for all its dates. */
  readonly filters: ReadonlyMap<string, readonly string[]>;
  /** A field, with `-` in front for the descending order. Empty for the order of relevance or of the default. */
  readonly sort: string;
  /** From 1. */
  readonly page: number;
  /** Names of fields; undefined for the usual ones. */
  readonly columns: readonly string[] | undefined;
  /** A language code; empty for the source language of each entity. */
  readonly language: string;
}

/** The groups of values that a list can be filtered by. */
export interface FilterField {
  readonly field: Field;
  readonly kind: 'value' | 'reference' | 'year';
}

const FILTER_PREFIX = 'f.';
/** A query can have this many facets. */
const MAX_FILTERS = 20;
const NOT_IN_COLUMNS: readonly Field['kind'][] = ['formatted_text', 'object', 'json', 'image', 'file'];
const DATES: readonly Field['kind'][] = ['date', 'datetime'];
/** Columns that are shown unless others are chosen. Fields of the bundle come between these two groups. */
const FIRST_COLUMNS = ['status'];
const LAST_COLUMNS = ['changed'];
const OWN_COLUMNS = 3;
const BASE_FIELDS = ['title', 'status', 'created', 'changed', 'langcode', 'path', 'uid', 'body'];

/** Reads the query of an address. Unknown parameters are ignored. */
export function readState(query: URLSearchParams): ListState {
  const filters = new Map<string, readonly string[]>();
  for (const name of new Set(query.keys())) {
    if (name.startsWith(FILTER_PREFIX)) filters.set(name.slice(FILTER_PREFIX.length), query.getAll(name));
  }
  const page = Number(query.get('page'));
  return {
    type: query.get('type') ?? '',
    search: query.get('q') ?? '',
    filters,
    sort: query.get('sort') ?? '',
    page: Number.isInteger(page) && page > 0 ? page : 1,
    columns: query.get('columns')?.split(',').filter(Boolean),
    language: query.get('lang') ?? '',
  };
}

/** The query of an address, without `?`. */
export function writeState({ type, search, filters, sort, page, columns, language }: ListState): string {
  const query = new URLSearchParams();
  if (type !== '') query.set('type', type);
  if (search !== '') query.set('q', search);
  for (const [name, values] of filters) {
    for (const value of values) query.append(FILTER_PREFIX + name, value);
  }
  if (sort !== '') query.set('sort', sort);
  if (language !== '') query.set('lang', language);
  if (columns !== undefined) query.set('columns', columns.join(','));
  if (page > 1) query.set('page', String(page));
  return query.toString();
}

/** The state with a value of a filter selected, or no longer selected. Shows the first page. */
export function toggleFilter(state: ListState, name: string, value: string): ListState {
  const selected = state.filters.get(name) ?? [];
  const values = selected.includes(value) ? selected.filter((each) => each !== value) : [...selected, value];
  const filters = new Map(state.filters);
  if (values.length === 0) filters.delete(name);
  else filters.set(name, values);
  return { ...state, filters, page: 1 };
}

/** The state sorted by a field: ascending first, then descending. Shows the first page. */
export function toggleSort(state: ListState, name: string): ListState {
  return { ...state, sort: state.sort === name ? `-${name}` : name, page: 1 };
}

/** The bundles of a list. */
export function bundlesOf(schema: Schema, { type }: Pick<ListState, 'type'>): readonly Bundle[] {
  return type === '' ? schema.types : schema.types.filter(({ name }) => name === type);
}

/** The fields that every bundle of the list has. */
function sharedFields(bundles: readonly Bundle[]): readonly Field[] {
  const [first, ...others] = bundles;
  return (first?.fields ?? []).filter((field) =>
    others.every(({ fields }) =>
      fields.some(
        ({ name, kind, list }) => name === field.name && kind === field.kind && list === field.list,
      ),
    ),
  );
}

/** The fields that can be columns, in the order in which they are offered. */
export function columnFields(bundles: readonly Bundle[]): readonly Field[] {
  return sharedFields(bundles).filter(({ name, kind }) => name !== 'title' && !NOT_IN_COLUMNS.includes(kind));
}

/** The fields that are columns, beside the title. */
export function shownColumns(bundles: readonly Bundle[], columns: ListState['columns']): readonly Field[] {
  const fields = columnFields(bundles);
  const own = fields
    .filter(({ name }) => !BASE_FIELDS.includes(name))
    .sort(byUse)
    .slice(0, OWN_COLUMNS);
  const names = columns ?? [...FIRST_COLUMNS, ...own.map(({ name }) => name), ...LAST_COLUMNS];
  return names.flatMap((name) => fields.find((field) => field.name === name) ?? []);
}

/** The fields that a list can be filtered by. */
export function filterFields(bundles: readonly Bundle[]): readonly FilterField[] {
  return sharedFields(bundles)
    .flatMap((field): FilterField[] => {
      if (field.kind === 'reference') return [{ field, kind: 'reference' }];
      if (DATES.includes(field.kind)) return [{ field, kind: 'year' }];
      const isCountable =
        field.kind === 'boolean' || field.choices !== undefined || field.name === 'langcode';
      return isCountable || field.name === 'status' ? [{ field, kind: 'value' }] : [];
    })
    .sort((one, other) => rankOf(one) - rankOf(other))
    .slice(0, MAX_FILTERS);
}

/** The API path of the page that the list shows. */
export function pagePath(schema: Schema, state: ListState): string {
  const bundles = bundlesOf(schema, state);
  const query = filterQuery(schema, bundles, state);
  for (const { field, kind } of filterFields(bundles)) {
    query.set(`facetBy[${field.name}][operator]`, 'or');
    if (kind === 'year') query.set(`facetBy[${field.name}][interval]`, 'year');
  }
  const columns = shownColumns(bundles, state.columns);
  // The titles of references come with the list.
  const references = columns.filter(({ kind, targets }) => kind === 'reference' && targets.length > 0);
  if (references.length > 0) query.set('include', references.map(({ name }) => name).join(','));
  for (const target of references.flatMap(({ targets }) => targets)) query.set(`fields[${target}]`, 'title');
  selectFields(query, bundles, ['title', 'status', ...columns.map(({ name }) => name)]);
  const sort = sortPath(bundles, state);
  if (sort !== '') query.set('sort', sort);
  const { pageSize } = schema.limits;
  query.set('page[limit]', String(pageSize));
  if (state.page > 1) query.set('page[offset]', String((state.page - 1) * pageSize));
  return `${basePath(bundles, state)}?${query}`;
}

/** Limits a query to some fields of the bundles, and those that decide if an entity is published. */
export function selectFields(
  query: URLSearchParams,
  bundles: readonly Bundle[],
  names: readonly string[],
): void {
  for (const { name, fields } of bundles) {
    const scheduled = fields.map((field) => field.name).filter((field) => SCHEDULE_FIELDS.includes(field));
    query.set(`fields[${name}]`, [...new Set([...names, ...scheduled])].join(','));
  }
}

/** The values of the filter by status, if some of its entries can be scheduled; none otherwise. */
export function statusValues(bundles: readonly Bundle[]): readonly string[] {
  return startsOf(bundles).length > 0 ? ['true', 'false', SCHEDULED] : [];
}

/** The API path that counts the content with one status, under all other filters. */
export function statusCountPath(schema: Schema, state: ListState, status: string): string {
  const filters = new Map([...state.filters, ['status', [status]] as const]);
  const bundles = bundlesOf(schema, state);
  const query = filterQuery(schema, bundles, { ...state, filters });
  for (const { name } of bundles) query.set(`fields[${name}]`, 'title');
  query.set('page[limit]', '1');
  return `${basePath(bundles, state)}?${query}`;
}

/** The API path of one page of all matching content, counted from 0, with some fields. Ordered by id, which no change moves. */
export function matchesPath(
  schema: Schema,
  state: ListState,
  fields: readonly string[],
  page: number,
): string {
  const bundles = bundlesOf(schema, state);
  const query = filterQuery(schema, bundles, state);
  for (const { name } of bundles) query.set(`fields[${name}]`, fields.join(','));
  const { pageSize } = schema.limits;
  query.set('page[limit]', String(pageSize));
  query.set('page[offset]', String(page * pageSize));
  query.set('sort', 'id');
  return `${basePath(bundles, state)}?${query}`;
}

/** The value of a filter for a term of a facet; the empty text for content without a value. */
export function termValue(term: unknown): string {
  const { value } = objectOf(term);
  return value === null || value === undefined ? '' : String(value);
}

function basePath(bundles: readonly Bundle[], { type }: ListState): string {
  const [bundle] = bundles;
  return type === '' || bundle === undefined ? '/index/_all' : pathTo(bundle);
}

function filterQuery(
  schema: Schema,
  bundles: readonly Bundle[],
  { search, filters, language }: ListState,
): URLSearchParams {
  const query = new URLSearchParams(search === '' ? {} : searchFilter(schema, search));
  if (language !== '') query.set('langCode', language);
  const kinds = new Map(filterFields(bundles).map(({ field, kind }) => [field.name, { field, kind }]));
  for (const [name, values] of filters) {
    const filter = kinds.get(name);
    if (filter === undefined) continue;
    if (name === 'status' && startsOf(bundles).length > 0) {
      filterByStatus(query, startsOf(bundles), values);
      continue;
    }
    const group = `any-${name}`;
    const path = filter.kind === 'reference' ? `${name}.id` : name;
    const conditions = conditionsOf(filter, values);
    if (conditions.length > 1) query.set(`filter[${group}][group][conjunction]`, 'OR');
    conditions.forEach(({ operator, operands }, index) => {
      const condition = `filter[${name}-${index}][condition]`;
      query.set(`${condition}[path]`, path);
      query.set(`${condition}[operator]`, operator);
      for (const operand of operands) query.append(`${condition}[value][]`, operand);
      if (conditions.length > 1) query.set(`${condition}[memberOf]`, group);
    });
  }
  // Not the filter that the bundle has by default.
  if (![...query.keys()].some((name) => name.startsWith('filter'))) query.set('filter', '');
  return query;
}

/** A published entry with a later date of publication. */
export const SCHEDULED = 'scheduled';

/** The dates before which entries of these bundles are not published. Some bundles may lack them. */
function startsOf(bundles: readonly Bundle[]): readonly string[] {
  const all = startFields(bundles.flatMap(({ fields }) => fields));
  const others = all.filter(({ kind, list }) => kind !== 'datetime' || list).map(({ name }) => name);
  return [...new Set(all.map(({ name }) => name))].filter((name) => !others.includes(name));
}

/** Published, draft or scheduled entries: the flag, and dates that are later than now for some, and for all not. */
function filterByStatus(query: URLSearchParams, starts: readonly string[], values: readonly string[]): void {
  const now = new Date().toISOString();
  const set = (name: string, member: string, value: string) => query.set(`filter[${name}]${member}`, value);
  const group = (name: string, conjunction: 'AND' | 'OR', parent?: string) => {
    set(name, '[group][conjunction]', conjunction);
    if (parent !== undefined) set(name, '[group][memberOf]', parent);
  };
  const condition = (name: string, parent: string, path: string, operator: string, value?: string) => {
    set(name, '[condition][path]', path);
    set(name, '[condition][operator]', operator);
    if (value !== undefined) set(name, '[condition][value]', value);
    set(name, '[condition][memberOf]', parent);
  };
  group('status', 'OR');
  for (const value of values) {
    const name = `status-${value}`;
    group(name, 'AND', 'status');
    condition(`${name}-flag`, name, 'status', '=', value === 'false' ? '0' : '1');
    if (value === 'false') continue;
    const isLater = value === SCHEDULED;
    if (isLater) group(`${name}-dates`, 'OR', name);
    for (const start of starts) {
      if (isLater) condition(`${name}-${start}`, `${name}-dates`, start, '>', now);
      else {
        group(`${name}-${start}`, 'OR', name);
        condition(`${name}-${start}-none`, `${name}-${start}`, start, 'IS NULL');
        condition(`${name}-${start}-past`, `${name}-${start}`, start, '<=', now);
      }
    }
  }
}

interface FilterCondition {
  readonly operator: string;
  readonly operands: readonly string[];
}

/** Conditions of which one must hold. */
function conditionsOf({ field, kind }: FilterField, values: readonly string[]): readonly FilterCondition[] {
  const present = values.filter((value) => value !== '');
  const missing: readonly FilterCondition[] = values.includes('')
    ? [{ operator: 'IS NULL', operands: [] }]
    : [];
  if (kind === 'year') {
    const ends = field.kind === 'date' ? ['-01-01', '-12-31'] : ['-01-01T00:00:00Z', '-12-31T23:59:59.999Z'];
    const years = present.map((year) => ({ operator: 'BETWEEN', operands: ends.map((end) => year + end) }));
    return [...years, ...missing];
  }
  return [...(present.length > 0 ? [{ operator: 'IN', operands: present }] : []), ...missing];
}

/** References are sorted by the titles of their targets. */
function sortPath(bundles: readonly Bundle[], { sort, search }: ListState): string {
  const name = sort.replace(/^-/, '');
  const field = sharedFields(bundles).find((each) => each.name === name);
  if (field === undefined) return search === '' ? '-changed' : '';
  return field.kind === 'reference' ? `${sort}.title` : sort;
}

/** Enumerations and references say more in a list than other fields. */
function byUse(one: Field, other: Field): number {
  return useOf(other) - useOf(one);
}

function useOf({ kind, choices }: Field): number {
  if (choices !== undefined) return 3;
  if (kind === 'reference') return 2;
  return DATES.includes(kind) ? 1 : 0;
}

function rankOf({ field: { name, kind } }: FilterField): number {
  const first = ['status', 'uid', 'langcode'].indexOf(name);
  if (first >= 0) return first;
  if (kind === 'reference') return 3;
  return DATES.includes(kind) ? (BASE_FIELDS.includes(name) ? 6 : 5) : 4;
}
