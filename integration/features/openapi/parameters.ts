import {
  ANY_FILTER,
  FACETS_DESCRIPTION,
  listParameter,
  pathParameter,
  queryParameter,
  ref,
  type SharedParameter,
} from '../../core/api/description.ts';
import { array, COUNT, ID, type JsonSchema, TEXT } from '../../core/api/json-schema.ts';
import type { Services } from '../../core/api/request.ts';
import type { ResourceType } from '../../core/content/model.ts';
import { FACETS_PARAMETER, OPERATORS } from '../../core/engine/ast.ts';
import type { QueryAccess } from '../../core/engine/engine.ts';
import {
  FALLBACK_PARAMETER,
  LANGUAGE_PARAMETER,
  PRESENT_VERSIONS,
  type QueryDefaults,
  VERSION_PARAMETER,
} from '../../core/engine/parse/parse-query.ts';
import { isValues, type QueryNode } from '../../core/engine/parse/query-string.ts';
import { references, targetTypes } from '../../core/read/include.ts';
import type { Reader } from '../../core/read/reader.ts';
import type { ApiSettings } from '../../core/read/settings.ts';
import { visibleFields } from '../../core/read/sparse-fields.ts';
import type { JsonValue } from '../../core/util/json.ts';
import { MATCH_HEADERS } from './operation.ts';

/** The id of a resource. Slashes in it are not encoded. */
export const ID_PARAMETER = pathParameter('id', 'The id of the resource. It may contain slashes.', ID);

/** A query parameter with members in brackets. */
function objectParameter(name: string, description: string, schema: JsonSchema): JsonSchema {
  return { ...queryParameter(name, description, schema), style: 'deepObject', explode: true };
}

/** The parameters of a JSON:API collection, without `include` and `fields`. */
export function collectionParameters(
  { settings }: Services,
  access: QueryAccess,
  type: ResourceType,
): readonly JsonSchema[] {
  const defaults = settings.queryDefaults?.[type.name];
  return [
    ...selectionParameters(access, type, defaults),
    ...pageParameters(settings, defaults?.pageSize),
    ...CURSORS,
  ];
}

const CURSORS: readonly JsonSchema[] = [
  queryParameter(
    'page[after]',
    'A cursor, from `meta.page.cursor` of a resource. The page starts behind it. With `page[size]` only.',
    TEXT,
  ),
  queryParameter('page[before]', 'A cursor. The page ends before it. With `page[size]` only.', TEXT),
];

export function pageParameters(
  settings: ApiSettings,
  size: number = settings.pageSize.default,
): readonly JsonSchema[] {
  const offset = { ...COUNT, default: 0 };
  return [
    queryParameter('page[offset]', 'Number of resources to skip.', offset),
    limitParameter('page[limit]', settings, size),
    queryParameter('page[number]', 'The page, from 1, instead of `page[offset]`.', PAGE_NUMBER),
    limitParameter('page[size]', settings, size),
  ];
}

const PAGE_NUMBER: JsonSchema = { type: 'integer', minimum: 1, default: 1 };

/** The parameters of a list of `/api/content`, without `fields`. */
export function plainListParameters(
  { settings }: Services,
  access: QueryAccess,
  type: ResourceType,
): readonly JsonSchema[] {
  return [
    ...selectionParameters(access, type),
    queryParameter('sort_by', 'One path to sort by, instead of `sort`.', TEXT),
    queryParameter('order', 'The direction of `sort_by`.', { ...TEXT, enum: ['asc', 'desc'] }),
    queryParameter('page', 'The page, from 1.', PAGE_NUMBER),
    limitParameter('limit', settings),
  ];
}

/** `include` and `fields[…]` for resources that have one of these types. */
export function representationParameters(
  services: Services,
  access: QueryAccess,
  own: readonly ResourceType[],
  { include: included = [] }: QueryDefaults = {},
): readonly JsonSchema[] {
  const paths = [...new Set([...own.flatMap((type) => includePaths(services, access, type)), ...included])];
  const types = new Set([...own, ...own.flatMap((type) => [...includedTypes(services, access, type)])]);
  const items = { ...TEXT, enum: paths };
  const include = listParameter('include', INCLUDE_DESCRIPTION, {
    ...array(items),
    ...(included.length > 0 && { default: included }),
  });
  const fields = [...types].map((each) => fieldsParameter(`fields[${each.name}]`, each, access));
  return paths.length === 0 ? fields : [include, ...fields];
}

const INCLUDE_DESCRIPTION = 'Related resources to include. Longer paths than the listed ones are valid too.';

/** The parameter that selects a version. */
export function versionParameters({ past }: Services): readonly JsonSchema[] {
  if (past === null) return [];
  const versions = [
    { ...TEXT, enum: PRESENT_VERSIONS },
    { ...TEXT, pattern: '^id:[0-9a-f]{7,64}$' },
  ];
  return [queryParameter(VERSION_PARAMETER, VERSION_DESCRIPTION, { anyOf: versions })];
}

const VERSION_DESCRIPTION =
  'The version to return: the current one, the one with unfinished changes for accounts that may change it, or, with the permission `view revisions`, that of a commit. Referenced resources are always current.';

/** The parameter for the language of a resource to change, on a site with several. */
export function languageParameter({ languages }: ApiSettings): readonly JsonSchema[] {
  if (languages === undefined) return [];
  const codes = languages.all.map(({ code }) => code);
  return [queryParameter(LANGUAGE_PARAMETER, 'The language of the resources.', { ...TEXT, enum: codes })];
}

/** The parameters that select a language, on a site with several. */
export function languageParameters(settings: ApiSettings): readonly JsonSchema[] {
  if (settings.languages === undefined) return [];
  return [...languageParameter(settings), FALLBACK];
}

const FALLBACK = queryParameter(
  FALLBACK_PARAMETER,
  'Return resources without a translation in another language, instead of leaving them out.',
  { ...TEXT, enum: ['1', '0'] },
);

/** The parameters that many operations have. */
export function sharedParameters(
  settings: ApiSettings,
): Readonly<Record<SharedParameter, readonly JsonSchema[]>> {
  return {
    facets: [listParameter(FACETS_PARAMETER, FACETS_DESCRIPTION)],
    filter: [objectParameter('filter', FILTER_DESCRIPTION, ANY_FILTER)],
    'if-match': MATCH_HEADERS,
    include: [listParameter('include', INCLUDE_DESCRIPTION)],
    language: languageParameters(settings),
    page: pageParameters(settings),
    sort: [listParameter('sort', SORT_DESCRIPTION)],
  };
}

/** `fields` of `/api/content`. */
export function plainFields(access: QueryAccess, type: ResourceType): JsonSchema {
  const description = `Fields of ${type.name} to return. Default: all, in lists without \`body\`.`;
  return { ...fieldsParameter('fields', type, access, ['id', 'type']), description };
}

/** `filter`, `sort` and `facetBy`. */
function selectionParameters(
  access: QueryAccess,
  type: ResourceType,
  { filter: conditions }: QueryDefaults = {},
): readonly JsonSchema[] {
  const fields = visibleFields(type, access);
  const filter = objectParameter('filter', FILTER_DESCRIPTION, {
    ...ref(`${type.name}.filter`),
    ...(conditions && { default: defaultFilter(conditions) }),
  });
  const first = fields.some(({ name }) => name === 'created') ? '-created' : 'title';
  const sort = listParameter('sort', SORT_DESCRIPTION);
  return [
    { ...filter, examples: FILTER_EXAMPLES },
    { ...sort, example: [first, 'title'] },
    { ...listParameter(FACETS_PARAMETER, FACETS_DESCRIPTION), example: ['title'] },
  ];
}

/** A filter as a client would write it. */
function defaultFilter(node: QueryNode): JsonValue {
  if (isValues(node)) return node.at(-1) ?? '';
  const members = Object.entries(node).map(([name, member]) => [name, defaultFilter(member)] as const);
  const isList = members.every(([name], at) => name === String(at));
  return isList ? members.map(([, member]) => member) : Object.fromEntries(members);
}

const SORT_DESCRIPTION = 'Paths to sort by. A minus sign reverses the order.';

const FILTER_EXAMPLES: JsonSchema = {
  title: { summary: 'Equal', value: { title: 'Tides' } },
  words: { summary: 'With an operator', value: { title: { operator: 'CONTAINS', value: 'tide' } } },
  group: {
    summary: 'One of two conditions',
    value: {
      any: { group: { conjunction: 'OR' } },
      short: { condition: { path: 'title', operator: 'IN', value: ['Tides', 'Ebb'], memberOf: 'any' } },
      none: { condition: { path: 'body.value', operator: 'IS NULL', memberOf: 'any' } },
    },
  },
};

function limitParameter(
  name: string,
  { pageSize }: ApiSettings,
  size: number = pageSize.default,
): JsonSchema {
  const all = pageSize.unlimited ? ' 0 returns everything.' : '';
  return queryParameter(name, `Page size; at most ${pageSize.max}.${all}`, {
    type: 'integer',
    minimum: pageSize.unlimited ? 0 : 1,
    default: size,
  });
}

function fieldsParameter(
  name: string,
  type: ResourceType,
  access: QueryAccess,
  others: readonly string[] = [],
): JsonSchema {
  const names = [...others, ...visibleFields(type, access).map((field) => field.name)];
  return listParameter(name, `Fields of ${type.name} to return.`, array({ ...TEXT, enum: names }));
}

const FILTER_DESCRIPTION = [
  '`filter[path]=value`, or with an operator `filter[path][operator]=…&filter[path][value]=…`, or named',
  '`filter[name][condition][path|operator|value|memberOf]` in groups',
  '`filter[name][group][conjunction|memberOf]`. A path leads through references too: `field_author.title`.',
  `Operators: ${OPERATORS.map((operator) => `\`${operator}\``).join(', ')}.`,
].join(' ');

/** Paths over references that the actor may see, up to DEPTH references long, shorter ones first; at most MAX_PATHS. */
function includePaths(services: Reader, access: QueryAccess, type: ResourceType): readonly string[] {
  const paths = new Set<string>();
  let ends: readonly { readonly prefix: string; readonly type: ResourceType }[] = [{ prefix: '', type }];
  for (let depth = 1; depth <= DEPTH; depth += 1) {
    ends = ends.flatMap((end) =>
      visibleReferences(services, access, end.type).flatMap(({ name, targets }) => {
        const path = end.prefix + name;
        paths.add(path);
        return targets.map((target) => ({ prefix: `${path}.`, type: target }));
      }),
    );
  }
  return [...paths].slice(0, MAX_PATHS);
}

const DEPTH = 2;
const MAX_PATHS = 200;

/** All types that include paths lead to. */
export function includedTypes(
  services: Reader,
  access: QueryAccess,
  type: ResourceType,
): ReadonlySet<ResourceType> {
  const types = new Set<ResourceType>();
  const queue = [type];
  for (const next of queue) {
    for (const target of visibleReferences(services, access, next).flatMap(({ targets }) => targets)) {
      if (!types.has(target)) queue.push(target);
      types.add(target);
    }
  }
  return types;
}

function visibleReferences(
  reader: Reader,
  access: QueryAccess,
  type: ResourceType,
): readonly { readonly name: string; readonly targets: readonly ResourceType[] }[] {
  return references(access, type).map((field) => ({
    name: field.name,
    targets: targetTypes(reader, [field]),
  }));
}
