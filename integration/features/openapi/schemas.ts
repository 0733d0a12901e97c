import { ref } from '../../core/api/description.ts';
import {
  anyOf,
  array,
  COUNT,
  ID,
  type JsonSchema,
  object,
  orNull,
  TEXT,
  TEXT_OR_NULL,
} from '../../core/api/json-schema.ts';
import { fieldSchema, LINK, resourceSchema, TRANSLATIONS } from '../../core/api/jsonapi/resource-schema.ts';
import type { Services } from '../../core/api/request.ts';
import { FILE_TYPE, isFileField, isRelationship, targetsOf } from '../../core/content/file-resource.ts';
import type { FieldDefinition, ResourceType } from '../../core/content/model.ts';
import { USER_TYPE, USER_TYPE_NAME } from '../../core/content/owner.ts';
import type { QueryAccess } from '../../core/engine/engine.ts';
import { visibleFields } from '../../core/read/sparse-fields.ts';
import { FILTER_SCHEMAS, filterSchema } from './filter-schemas.ts';
import { includedTypes } from './parameters.ts';

/**
 * The component schemas: `node--article` is the resource, `.collection` and `.document` are its JSON:API documents, `.plain`,
 * `.plain-list` and `.plain-document` those of `/api/content`. `.filter` has the conditions of `filter`. `.new`, `.changes`,
 * `.plain-new` and `.plain-changes` are the bodies of requests. Some values are accepted in more forms than described, such as a number in
 * a string. What reading returns is always valid in a request.
 */
export function componentSchemas(services: Services, access: QueryAccess): JsonSchema {
  const schemas: Record<string, JsonSchema> = { ...SHARED };
  for (const type of services.store.types.values()) {
    const { name } = type;
    const fields = visibleFields(type, access);
    const included = [...includedTypes(services, access, type)];
    schemas[name] = resourceSchema(type, access);
    schemas[`${name}.collection`] = documentSchema(array(ref(name)), included);
    schemas[`${name}.document`] = documentSchema(ref(name), included);
    schemas[`${name}.filter`] = filterSchema(services.settings, access, type);
    if (type === FILE_TYPE) continue;
    schemas[`${name}.plain`] = plainSchema(type, fields);
    schemas[`${name}.plain-list`] = plainDocument(array(ref(`${name}.plain`)));
    schemas[`${name}.plain-document`] = plainDocument(ref(`${name}.plain`));
    schemas[`${name}.new`] = sentDocument(type, fields, true);
    schemas[`${name}.changes`] = sentDocument(type, fields, false);
    schemas[`${name}.plain-new`] = sentFlat(type, fields, true);
    schemas[`${name}.plain-changes`] = sentFlat(type, fields, false);
  }
  // Owners without files.
  const all = [...services.store.types.values()];
  if (all.some((type) => includedTypes(services, access, type).has(USER_TYPE)))
    schemas[USER_TYPE_NAME] = resourceSchema(USER_TYPE, access);
  return schemas;
}

/** A JSON:API document: its data, and the types that `included` may contain. */
export function documentSchema(data: JsonSchema, types: readonly ResourceType[]): JsonSchema {
  const included = [...new Set(types)].map(({ name }) => ref(name));
  const items = included.length === 0 ? { maxItems: 0 } : { items: anyOf(...included) };
  return object(
    {
      jsonapi: ref('jsonapi'),
      data,
      included: { description: 'Present if `include` is sent or has a default.', type: 'array', ...items },
      meta: ref('meta'),
      links: ref('links'),
    },
    DOCUMENT_MEMBERS,
  );
}

const DOCUMENT_MEMBERS = ['jsonapi', 'data', 'links'];

function plainSchema(type: ResourceType, fields: readonly FieldDefinition[]): JsonSchema {
  const properties = { id: ID, type: { const: type.bundle }, ...byName(fields, plainField) };
  return { title: `${type.name}, plain`, ...object(properties, ['id', 'type']), additionalProperties: false };
}

/** The list in a field of an entity, as a document of `/api/content`. */
export function plainList(field: FieldDefinition): JsonSchema {
  return plainDocument(plainField(field));
}

function plainField(field: FieldDefinition): JsonSchema {
  if (field.kind !== 'reference') return fieldSchema(field);
  const one = ref('plain-reference');
  return field.list ? array(one) : orNull(one);
}

function plainDocument(data: JsonSchema): JsonSchema {
  const links = { ...object({ self: TEXT }), additionalProperties: TEXT };
  return object({ data, meta: ref('plain-meta'), links }, ['data', 'links']);
}

function byName(
  fields: readonly FieldDefinition[],
  schemaOf: (field: FieldDefinition) => JsonSchema,
): JsonSchema {
  return Object.fromEntries(fields.map((field) => [field.name, schemaOf(field)]));
}

function sentDocument(type: ResourceType, fields: readonly FieldDefinition[], isNew: boolean): JsonSchema {
  const attributes = fields.filter((field) => !isRelationship(field));
  const references = fields.filter(isRelationship);
  const data = {
    type: { const: type.name },
    id: ID,
    attributes: sentMembers(attributes, sentValue, isNew),
    relationships: sentMembers(references, sentLinkage, isNew),
  };
  return object({ data: object(data, isNew ? ['type', 'attributes'] : ['type', 'id']) });
}

function sentFlat(type: ResourceType, fields: readonly FieldDefinition[], isNew: boolean): JsonSchema {
  const own = { id: ID, type: { enum: [type.bundle, type.name] } };
  return sentMembers(fields, sentPlain, isNew, own);
}

function sentMembers(
  fields: readonly FieldDefinition[],
  schemaOf: (field: FieldDefinition) => JsonSchema,
  isNew: boolean,
  others: JsonSchema = {},
): JsonSchema {
  const storedIn = fields.find(({ name }) => name === 'title')?.storedIn;
  const required = fields.filter(
    ({ name, base, required }) => name === 'title' || (!base && required && name !== storedIn),
  );
  const names = isNew ? required.map(({ name }) => name) : [];
  return { ...object({ ...others, ...byName(fields, schemaOf) }, names), additionalProperties: false };
}

function sentPlain(field: FieldDefinition): JsonSchema {
  if (field.kind !== 'reference') return sentValue(field);
  const id = { ...TEXT, description: 'An id, or a bundle and an id: `person/jane`.' };
  const one = anyOf(id, object({ type: TEXT, id: ID }));
  return field.list ? array(one) : orNull(one);
}

function sentValue(field: FieldDefinition): JsonSchema {
  if (field.kind === 'formatted_text') return orNull(TEXT, ref('written-body'));
  const value = isFileField(field) ? ref('written-file') : undefined;
  if (field.list) return value === undefined ? fieldSchema(field) : array(value);
  return orNull(value ?? fieldSchema(field));
}

/** The items that a request sends for a list of `/api/content`: one, or an array. */
export function sentItems(field: FieldDefinition): JsonSchema {
  const list = sentPlain(field);
  return { anyOf: [list, ...(list.items === undefined ? [] : [list.items])] };
}

/** The references that a request sends for a relationship. */
export function sentLinkage(field: FieldDefinition): JsonSchema {
  const one = object({ type: { type: 'string', enum: targetsOf(field) }, id: ID });
  return object({ data: field.list ? array(one) : orNull(one) });
}

/** One file of a field. Rules about lists do not apply. */
export function fileSchema(field: FieldDefinition): JsonSchema {
  const { rules: _, ...one } = field;
  return fieldSchema({ ...one, list: false, required: true });
}

/** A part of an error: exactly one of them. */
const SOURCE = object({ parameter: TEXT, pointer: TEXT, header: TEXT }, []);
const IGNORED = { description: 'Parameters that have no effect.', ...array(TEXT) };
const SCALAR = { type: ['string', 'number', 'boolean'] };
const TERM = object(
  {
    value: { ...SCALAR, description: 'A value, an interval, or the id of a target.' },
    type: { ...TEXT, description: 'Resource type of a target.' },
    label: { ...TEXT, description: 'Title of a target.' },
    from: { type: ['string', 'number', 'null'], description: 'The first value of a range.' },
    to: { type: ['string', 'number', 'null'], description: 'The end of a range, which is not part of it.' },
    count: COUNT,
  },
  ['count'],
);
const FACETS = {
  type: 'object',
  description: 'Counts of the values at each path in `facetBy`, on all pages.',
  additionalProperties: object({
    terms: array(TERM),
    total: { ...COUNT, description: 'Number of terms without the limit.' },
    missing: { ...COUNT, description: 'Matching entities without a value.' },
  }),
};
const INDEX_FACETS = {
  description: 'The facets of a search index.',
  ...array(
    object({
      id: TEXT,
      label: TEXT,
      path: TEXT,
      terms: array(
        object({
          url: { ...TEXT, description: 'The query with this term added or removed.' },
          values: object({ value: TEXT, label: TEXT, active: { type: 'boolean' }, count: COUNT }),
        }),
      ),
    }),
  ),
};
const ERROR = {
  id: TEXT,
  status: TEXT,
  title: TEXT,
  detail: TEXT,
  code: TEXT,
  source: SOURCE,
  meta: { type: 'object' },
};
const ERROR_MEMBERS = ['status', 'title', 'detail'];
const MENU_ITEM = object({ type: TEXT, id: TEXT, attributes: { type: 'object' } }, ['type', 'id']);

function simpleDocument(data: JsonSchema): JsonSchema {
  const members = { jsonapi: ref('jsonapi'), data, meta: ref('meta'), links: ref('links') };
  return object(members, DOCUMENT_MEMBERS);
}

const BODY = object(
  {
    value: { ...TEXT_OR_NULL, description: 'The text.' },
    summary: TEXT_OR_NULL,
    format: {
      ...TEXT_OR_NULL,
      enum: ['markdown', 'mdx', 'full_html', 'basic_html', 'restricted_html', null],
    },
    processed: { ...TEXT, description: 'Computed. A request may only repeat the value it has.' },
  },
  [],
);

const FILE: JsonSchema = {
  description: 'A path beside the file of the entity or below `public/`, or the value that reading returns.',
  anyOf: [
    TEXT,
    object({ src: TEXT, alt: TEXT_OR_NULL }, ['src']),
    object({ uri: { type: ['object', 'string'] }, alt: TEXT_OR_NULL }, ['uri']),
  ],
};

const SHARED: Readonly<Record<string, JsonSchema>> = {
  ...FILTER_SCHEMAS,
  link: LINK,
  links: {
    ...object(
      {
        ...{ self: ref('link'), describedby: ref('link') },
        // Null in pages between cursors.
        ...{ prev: orNull(ref('link')), next: orNull(ref('link')) },
      },
      ['self'],
    ),
    additionalProperties: ref('link'),
  },
  jsonapi: object({ version: { const: '1.1' }, meta: { type: 'object' } }, ['version']),
  meta: object(
    {
      count: { ...COUNT, description: 'Number of matching entities on all pages.' },
      page: {
        description: 'With cursors.',
        ...object({ total: COUNT, rangeTruncated: { const: true } }, ['total']),
      },
      facets: anyOf(FACETS, INDEX_FACETS),
      omitted: {
        description: 'Included resources that you may not see.',
        ...object({ detail: TEXT, links: { type: 'object', additionalProperties: ref('link') } }),
      },
      ignored: IGNORED,
    },
    [],
  ),
  'entry-document': simpleDocument({ type: 'array', maxItems: 0 }),
  'menu-document': simpleDocument(array(MENU_ITEM)),
  'list-document': simpleDocument(array({ type: 'object' })),
  'error-document': object({
    jsonapi: ref('jsonapi'),
    errors: { ...array(object(ERROR, ERROR_MEMBERS)), minItems: 1 },
  }),
  identifier: object(
    {
      type: TEXT,
      id: { ...TEXT, description: '`missing` if the target does not exist.' },
      meta: { type: 'object' },
    },
    ['type', 'id'],
  ),
  'router-error-document': object({ id: TEXT, message: TEXT, details: TEXT }, ['message', 'details']),
  /** Source: Drupal's module user. */
  'account-error-document': object({ id: TEXT, message: TEXT }, ['message']),
  'plain-bundles-document': object(
    {
      data: array(object({ type: TEXT, name: TEXT, links: object({ self: TEXT }) })),
      meta: ref('plain-meta'),
      links: object({ self: TEXT }),
    },
    ['data', 'links'],
  ),
  'plain-reference': object({
    type: TEXT,
    id: TEXT,
    title: { ...TEXT_OR_NULL, description: 'Null if the target does not exist or you may not see it.' },
  }),
  'plain-meta': object(
    {
      revision: { ...TEXT, description: 'Tag of the visible fields of the entity, for `If-Match`.' },
      version: { ...TEXT, description: 'The commit of a past version.' },
      translations: TRANSLATIONS,
      page: { ...COUNT, minimum: 1 },
      limit: { ...COUNT, description: '0 if everything is on one page.' },
      count: COUNT,
      pages: { ...COUNT, minimum: 1 },
      facets: FACETS,
      ignored: IGNORED,
    },
    [],
  ),
  'written-body': BODY,
  'written-file': FILE,
  'plain-error': object({ ...ERROR, status: { type: 'integer' } }, ERROR_MEMBERS),
  'plain-error-document': object(
    {
      error: ref('plain-error'),
      errors: { description: 'All errors, if there are several.', ...array(ref('plain-error')) },
    },
    ['error'],
  ),
};
