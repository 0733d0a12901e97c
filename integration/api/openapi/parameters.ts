import type { FieldDefinition, FieldKind, ResourceType } from '../../content/model.ts';
import { OPERATORS, SEARCH_PATH } from '../../engine/ast.ts';
import type { QueryAccess } from '../../engine/engine.ts';
import { PRESENT_VERSIONS, VERSION_PARAMETER } from '../../engine/parse/parse-query.ts';
import type { ApiSettings } from '../../read/settings.ts';
import { visibleFields } from '../../read/sparse-fields.ts';
import { MENU_ITEM_TYPE } from '../drupal/menu.ts';
import type { JsonSchema } from '../jsonapi/resource-schema.ts';
import type { Services } from '../services.ts';
import { includedTypes, includePaths } from './include-paths.ts';
import type { RefusalStatus } from './refusals.ts';

/** Of one resource; its slashes stay slashes. */
export const ID_PARAMETER: JsonSchema = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'The id of the resource. It may contain slashes.',
  schema: { type: 'string', minLength: 1 },
};

/** What a collection of JSON:API understands. */
export function collectionParameters(
  services: Services,
  access: QueryAccess,
  type: ResourceType,
): readonly JsonSchema[] {
  const fields = visibleFields(type, access);
  return [
    filterParameter(fields, services.settings),
    sortParameter(fields),
    {
      name: 'page[offset]',
      in: 'query',
      description: 'How many resources to pass over.',
      schema: { type: 'integer', minimum: 0, default: 0 },
    },
    limitParameter('page[limit]', services.settings),
    ...individualParameters(services, access, type),
  ];
}

/** What one resource of JSON:API understands, or one that is of any of several types. */
export function individualParameters(
  services: Services,
  access: QueryAccess,
  ...own: readonly ResourceType[]
): readonly JsonSchema[] {
  const paths = [...new Set(own.flatMap((type) => includePaths(services, access, type)))];
  const types = new Set([...own, ...own.flatMap((type) => [...includedTypes(services, access, type)])]);
  return [
    ...(paths.length === 0
      ? []
      : [
          listParameter(
            'include',
            'Related resources to answer too. Paths of more than two references are understood as well.',
            { type: 'string', enum: paths },
          ),
        ]),
    ...[...types].map((each) => fieldsParameter(`fields[${each.name}]`, each, access, [])),
  ];
}

/** Which version of one resource to answer, where there are several. */
export function versionParameters({ past }: Services): readonly JsonSchema[] {
  if (past === null) return [];
  return [
    textParameter(
      VERSION_PARAMETER,
      'The version to answer: the present one, or, with the permission `view revisions`, that of a commit. What it refers to is answered as it is now.',
      {
        anyOf: [
          { type: 'string', enum: PRESENT_VERSIONS },
          { type: 'string', pattern: '^id:[0-9a-f]{7,64}$' },
        ],
      },
    ),
  ];
}

/** What a menu understands. */
export const MENU_PARAMETERS: readonly JsonSchema[] = [
  listParameter(`fields[${MENU_ITEM_TYPE}]`, 'The only attributes of menu items to answer.', {
    type: 'string',
  }),
];

/** What a list of `/api/content` understands. */
export function plainListParameters(
  settings: ApiSettings,
  access: QueryAccess,
  type: ResourceType,
): readonly JsonSchema[] {
  const fields = visibleFields(type, access);
  return [
    filterParameter(fields, settings),
    sortParameter(fields),
    textParameter('sort_by', 'One path to sort by, in place of `sort`.', { type: 'string' }),
    textParameter('order', 'The direction of `sort_by`.', { type: 'string', enum: ['asc', 'desc'] }),
    textParameter('page', 'The page, from 1.', { type: 'integer', minimum: 1, default: 1 }),
    limitParameter('limit', settings),
    plainFields(access, type),
  ];
}

/** `fields` of `/api/content`. */
export function plainFields(access: QueryAccess, type: ResourceType): JsonSchema {
  return fieldsParameter('fields', type, access, ['id', 'type']);
}

function filterParameter(fields: readonly FieldDefinition[], { fulltext }: ApiSettings): JsonSchema {
  const paths = fields.flatMap(filterPaths);
  const search = fulltext === false ? [] : [SEARCH];
  const examples = [
    ['title', { summary: 'Equal', value: { title: 'Tides' } }],
    ['words', { summary: 'With an operator', value: { title: { operator: 'CONTAINS', value: 'tide' } } }],
  ];
  return {
    name: 'filter',
    in: 'query',
    style: 'deepObject',
    explode: true,
    description: FILTER_DESCRIPTION,
    schema: {
      type: 'object',
      properties: Object.fromEntries([...paths, ...search]),
      additionalProperties: true,
    },
    examples: Object.fromEntries(examples),
  };
}

/** The paths of a field that a value can be compared with, and what such a value is. */
function filterPaths(field: FieldDefinition): readonly (readonly [string, JsonSchema])[] {
  const { name, kind } = field;
  if (kind === 'reference') return [[`${name}.id`, { type: ['string', 'object'] }]];
  const parts = Object.values(field.properties);
  if (parts.length === 0) return VALUE_TYPES[kind] === null ? [] : [[name, comparedValue(kind)]];
  return parts
    .filter((part) => Object.keys(part.properties).length === 0 && VALUE_TYPES[part.kind] !== null)
    .map((part) => [`${name}.${part.name}`, comparedValue(part.kind)]);
}

function comparedValue(kind: FieldKind): JsonSchema {
  return { type: [VALUE_TYPES[kind] ?? 'string', 'object'] };
}

function sortParameter(fields: readonly FieldDefinition[]): JsonSchema {
  const first = fields.some(({ name }) => name === 'created') ? '-created' : 'title';
  return {
    ...listParameter('sort', 'Paths to sort by; a minus sign before one reverses it.', { type: 'string' }),
    example: [first, 'title'],
  };
}

function limitParameter(name: string, { pageSize }: ApiSettings): JsonSchema {
  const { max, unlimited } = pageSize;
  const all = unlimited ? ' 0 answers everything.' : '';
  return textParameter(name, `How many to answer; more than ${max} is lowered to that.${all}`, {
    type: 'integer',
    minimum: unlimited ? 0 : 1,
    default: pageSize.default,
  });
}

function fieldsParameter(
  name: string,
  type: ResourceType,
  access: QueryAccess,
  others: readonly string[],
): JsonSchema {
  const names = [...others, ...visibleFields(type, access).map((field) => field.name)];
  return listParameter(name, `The only fields of ${type.name} to answer.`, { type: 'string', enum: names });
}

/** Values separated by commas. */
function listParameter(name: string, description: string, items: JsonSchema): JsonSchema {
  return {
    ...textParameter(name, description, { type: 'array', items }),
    style: 'form',
    explode: false,
  };
}

function textParameter(name: string, description: string, schema: JsonSchema): JsonSchema {
  return { name, in: 'query', description, schema };
}

/** Always a search in this form, whatever fields there are. */
const SEARCH: readonly [string, JsonSchema] = [
  SEARCH_PATH,
  {
    type: 'string',
    description:
      'Words that all occur in the text of an entity, in any of their forms; one behind a minus sign must not. Without `sort` the most relevant come first.',
  },
];

const FILTER_DESCRIPTION = [
  '`filter[path]=value`, or with an operator `filter[path][operator]=…&filter[path][value]=…`, or named',
  '`filter[name][condition][path|operator|value|memberOf]` in groups',
  '`filter[name][group][conjunction|memberOf]`. A path leads through references too: `field_author.title`.',
  `Operators: ${OPERATORS.map((operator) => `\`${operator}\``).join(', ')}.`,
].join(' ');

/** What a value to compare with is in a URL; null where nothing can be compared. */
const VALUE_TYPES: Readonly<Record<FieldKind, 'string' | 'integer' | 'number' | 'boolean' | null>> = {
  string: 'string',
  integer: 'integer',
  number: 'number',
  decimal: 'string',
  boolean: 'boolean',
  date: 'string',
  datetime: 'string',
  reference: 'string',
  object: null,
  formatted_text: 'string',
  image: null,
  file: null,
  json: null,
};

/** What one method does at a path. */
export interface Operation {
  readonly id: string;
  readonly summary: string;
  readonly tag: string;
  /** Of the answer; 200 unless said. */
  readonly status?: number;
  readonly parameters?: readonly JsonSchema[];
  /** Of the request's body, which has the media type of the answer. */
  readonly body?: JsonSchema;
  /** Whether the body is the bytes of a file, or may be that too. */
  readonly takesFile?: 'only' | 'too';
  readonly mediaType: string;
  /** Of the answer; a name is one of the component schemas; null for an answer without a body. */
  readonly schema: string | JsonSchema | null;
  readonly errors: 'jsonapi' | 'plain' | 'router' | 'files';
  /** Descriptions of further errors, by status. */
  readonly otherErrors?: Readonly<Record<number, string>>;
  /** Of a change: who may do it is asked, and these are the errors there may be besides. */
  readonly refusals?: readonly RefusalStatus[];
}

/** The operations of one path, by method. */
type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
export type PathItem = { readonly [method in Method]?: Operation };
