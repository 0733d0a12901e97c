import type { FieldDefinition, ResourceType } from '../../content/model.ts';
import type { QueryAccess } from '../../engine/engine.ts';
import { visibleFields } from '../../read/sparse-fields.ts';
import { type JsonSchema, fieldSchema, LINK, resourceSchema } from '../jsonapi/resource-schema.ts';
import type { Services } from '../services.ts';
import { includedTypes } from './include-paths.ts';

/**
 * The schemas that operations refer to: `node--article` is the resource, `.collection` and `.document` its JSON:API
 * documents, `.plain`, `.plain-list` and `.plain-document` those of `/api/content`.
 */
export function componentSchemas(services: Services, access: QueryAccess): JsonSchema {
  const schemas: Record<string, JsonSchema> = { ...SHARED };
  for (const type of services.store.types.values()) {
    const { name } = type;
    const included = [...includedTypes(services, access, type)].map((each) => ref(each.name));
    schemas[name] = resourceSchema(type, access);
    schemas[`${name}.collection`] = documentSchema({ type: 'array', items: ref(name) }, included);
    schemas[`${name}.document`] = documentSchema(ref(name), included);
    schemas[`${name}.plain`] = plainSchema(type, access);
    schemas[`${name}.plain-list`] = plainDocument({ type: 'array', items: ref(`${name}.plain`) });
    schemas[`${name}.plain-document`] = plainDocument(ref(`${name}.plain`));
  }
  return schemas;
}

/** A JSON:API document: its data, and what may be in `included`. */
export function documentSchema(data: JsonSchema, included: readonly JsonSchema[]): JsonSchema {
  return {
    type: 'object',
    required: ['jsonapi', 'data', 'links'],
    properties: {
      jsonapi: ref('jsonapi'),
      data,
      included: {
        description: 'There whenever `include` is sent.',
        type: 'array',
        ...(included.length === 0 ? { maxItems: 0 } : { items: { anyOf: included } }),
      },
      meta: ref('meta'),
      links: ref('links'),
    },
  };
}

function plainSchema(type: ResourceType, access: QueryAccess): JsonSchema {
  return {
    title: `${type.name}, plain`,
    type: 'object',
    required: ['id', 'type'],
    properties: {
      id: { type: 'string', minLength: 1 },
      type: { const: type.bundle },
      ...Object.fromEntries(visibleFields(type, access).map((field) => [field.name, plainField(field)])),
    },
    additionalProperties: false,
  };
}

function plainField(field: FieldDefinition): JsonSchema {
  if (field.kind !== 'reference') return fieldSchema(field);
  const one = ref('plain-reference');
  return field.list ? { type: 'array', items: one } : { anyOf: [one, { type: 'null' }] };
}

/** What one field of an entity lists, as a document of `/api/content`. */
export function plainListSchema(field: FieldDefinition): JsonSchema {
  return plainDocument(plainField(field));
}

function plainDocument(data: JsonSchema): JsonSchema {
  return {
    type: 'object',
    required: ['data', 'links'],
    properties: {
      data,
      meta: ref('plain-meta'),
      links: {
        type: 'object',
        required: ['self'],
        properties: { self: TEXT },
        additionalProperties: TEXT,
      },
    },
  };
}

/** A reference to one of the component schemas. */
export function ref(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

const TEXT: JsonSchema = { type: 'string' };
const COUNT: JsonSchema = { type: 'integer', minimum: 0 };
const IGNORED: JsonSchema = {
  description: 'Parameters sent in vain.',
  type: 'array',
  items: TEXT,
};
/** Exactly one of them. */
const SOURCE: JsonSchema = {
  type: 'object',
  properties: { parameter: TEXT, pointer: TEXT, header: TEXT },
};

const SHARED: Readonly<Record<string, JsonSchema>> = {
  link: LINK,
  links: {
    type: 'object',
    required: ['self'],
    properties: { self: ref('link'), describedby: ref('link') },
    additionalProperties: ref('link'),
  },
  jsonapi: {
    type: 'object',
    required: ['version'],
    properties: { version: { const: '1.1' }, meta: { type: 'object' } },
  },
  meta: {
    type: 'object',
    properties: {
      count: { ...COUNT, description: 'How many entities match, on all pages.' },
      omitted: {
        description: 'What may not be seen of what was to be included.',
        type: 'object',
        required: ['detail', 'links'],
        properties: { detail: TEXT, links: { type: 'object', additionalProperties: ref('link') } },
      },
      ignored: IGNORED,
    },
  },
  'entry-document': {
    type: 'object',
    required: ['jsonapi', 'data', 'links'],
    properties: {
      jsonapi: ref('jsonapi'),
      data: { type: 'array', maxItems: 0 },
      meta: ref('meta'),
      links: ref('links'),
    },
  },
  'menu-document': {
    type: 'object',
    required: ['jsonapi', 'data', 'links'],
    properties: {
      jsonapi: ref('jsonapi'),
      data: {
        type: 'array',
        items: {
          type: 'object',
          required: ['type', 'id'],
          properties: { type: TEXT, id: TEXT, attributes: { type: 'object' } },
        },
      },
      meta: ref('meta'),
      links: ref('links'),
    },
  },
  'error-document': {
    type: 'object',
    required: ['jsonapi', 'errors'],
    properties: {
      jsonapi: ref('jsonapi'),
      errors: {
        type: 'array',
        minItems: 1,
        items: {
          type: 'object',
          required: ['status', 'title', 'detail'],
          properties: { id: TEXT, status: TEXT, title: TEXT, detail: TEXT, source: SOURCE },
        },
      },
    },
  },
  identifier: {
    type: 'object',
    required: ['type', 'id'],
    properties: {
      type: TEXT,
      id: { ...TEXT, description: '`missing` where the target does not exist.' },
      meta: { type: 'object' },
    },
  },
  'router-error-document': {
    type: 'object',
    required: ['message', 'details'],
    properties: { id: TEXT, message: TEXT, details: TEXT },
  },
  'plain-reference': {
    type: 'object',
    required: ['type', 'id', 'title'],
    properties: {
      type: TEXT,
      id: TEXT,
      title: {
        description: 'Null where the target does not exist or may not be seen.',
        type: ['string', 'null'],
      },
    },
  },
  'plain-meta': {
    type: 'object',
    properties: {
      revision: { ...TEXT, description: 'Tag of what you may see of the entity, for `If-Match`.' },
      version: { ...TEXT, description: 'Of a past version: the commit that made it so.' },
      page: { ...COUNT, minimum: 1 },
      limit: { ...COUNT, description: '0 where everything is on one page.' },
      count: COUNT,
      pages: { ...COUNT, minimum: 1 },
      ignored: IGNORED,
    },
  },
  'plain-error': {
    type: 'object',
    required: ['status', 'title', 'detail'],
    properties: { id: TEXT, status: { type: 'integer' }, title: TEXT, detail: TEXT, source: SOURCE },
  },
  'plain-error-document': {
    type: 'object',
    required: ['error'],
    properties: {
      error: ref('plain-error'),
      errors: {
        description: 'All of them, where there are several.',
        type: 'array',
        items: ref('plain-error'),
      },
    },
  },
};
