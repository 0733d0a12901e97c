import type { FieldDefinition, ResourceType } from '../../content/model.ts';
import type { QueryAccess } from '../../engine/engine.ts';
import { visibleFields } from '../../read/sparse-fields.ts';
import { type JsonSchema, fieldSchema } from '../jsonapi/resource-schema.ts';
import type { Services } from '../services.ts';
import { ref } from './component-schemas.ts';

/**
 * The schemas of what is sent to change content: `node--article.new` and `.changes` are documents of JSON:API,
 * `.plain-new` and `.plain-changes` those of `/api/content`. Values that are taken in other forms too, such as a number as
 * text, are described as reading answers them. What reading answers fits.
 */
export function writeSchemas(services: Services, access: QueryAccess): JsonSchema {
  const schemas: Record<string, JsonSchema> = { 'written-body': BODY, 'written-file': FILE };
  for (const type of services.store.types.values()) {
    const fields = visibleFields(type, access);
    const { name } = type;
    schemas[`${name}.new`] = sentDocument(type, fields, 'new');
    schemas[`${name}.changes`] = sentDocument(type, fields, 'stored');
    schemas[`${name}.plain-new`] = sentFlat(type, fields, 'new');
    schemas[`${name}.plain-changes`] = sentFlat(type, fields, 'stored');
  }
  return schemas;
}

/** One item of a list of `/api/content`, or several. */
export function sentItems(field: FieldDefinition): JsonSchema {
  const list = sentPlain(field);
  return { anyOf: [list, ...(list.items === undefined ? [] : [list.items])] };
}

/** What a relationship is to hold, come to hold, or no longer. */
export function sentLinkage(field: FieldDefinition): JsonSchema {
  return { type: 'object', required: ['data'], properties: { data: linkageSchema(field) } };
}

function sentDocument(
  type: ResourceType,
  fields: readonly FieldDefinition[],
  what: 'new' | 'stored',
): JsonSchema {
  const attributes = fields.filter(({ kind }) => kind !== 'reference');
  const references = fields.filter(({ kind }) => kind === 'reference');
  return {
    type: 'object',
    required: ['data'],
    properties: {
      data: {
        type: 'object',
        required: what === 'new' ? ['type', 'attributes'] : ['type', 'id'],
        properties: {
          type: { const: type.name },
          id: ID,
          attributes: members(attributes, sentValue, what),
          relationships: members(references, sentLinkage, what),
        },
      },
    },
  };
}

function sentFlat(
  type: ResourceType,
  fields: readonly FieldDefinition[],
  what: 'new' | 'stored',
): JsonSchema {
  const { properties, ...rest } = members(fields, sentPlain, what);
  return {
    ...rest,
    properties: { id: ID, type: { enum: [type.bundle, type.name] }, ...(properties as JsonSchema) },
  };
}

function members(
  fields: readonly FieldDefinition[],
  schemaOf: (field: FieldDefinition) => JsonSchema,
  what: 'new' | 'stored',
): JsonSchema {
  const required = what === 'new' ? fields.filter(isNeeded).map(({ name }) => name) : [];
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field.name, schemaOf(field)])),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}

function isNeeded({ name, base, required }: FieldDefinition): boolean {
  return name === 'title' || (!base && required);
}

function sentPlain(field: FieldDefinition): JsonSchema {
  if (field.kind !== 'reference') return sentValue(field);
  const one = {
    anyOf: [
      { type: 'string', description: 'An id, or a bundle and an id: `person/jane`.' },
      { type: 'object', required: ['type', 'id'], properties: { type: TEXT, id: ID } },
    ],
  };
  return field.list ? { type: 'array', items: one } : { anyOf: [one, NULL] };
}

function sentValue(field: FieldDefinition): JsonSchema {
  switch (field.kind) {
    case 'formatted_text':
      return { anyOf: [TEXT, ref('written-body'), NULL] };
    case 'image':
    case 'file':
      return field.list
        ? { type: 'array', items: ref('written-file') }
        : { anyOf: [ref('written-file'), NULL] };
    default:
      return field.list ? fieldSchema(field) : { anyOf: [fieldSchema(field), NULL] };
  }
}

function linkageSchema({ list, targets }: FieldDefinition): JsonSchema {
  const one = {
    type: 'object',
    required: ['type', 'id'],
    properties: { type: { type: 'string', enum: targets }, id: ID },
  };
  return list ? { type: 'array', items: one } : { anyOf: [one, NULL] };
}

const TEXT: JsonSchema = { type: 'string' };
const NULL: JsonSchema = { type: 'null' };
const ID: JsonSchema = { type: 'string', minLength: 1 };

const BODY: JsonSchema = {
  type: 'object',
  properties: {
    value: { type: ['string', 'null'], description: 'The text.' },
    summary: { type: ['string', 'null'] },
    format: {
      type: ['string', 'null'],
      enum: ['markdown', 'mdx', 'full_html', 'basic_html', 'restricted_html', null],
    },
    processed: { type: 'string', description: 'Computed: it may only be sent as it was answered.' },
  },
};

const FILE: JsonSchema = {
  description: 'A path beside the file of the entity or below `public/`, or what reading answers.',
  anyOf: [
    { type: 'string' },
    {
      type: 'object',
      required: ['src'],
      properties: { src: { type: 'string' }, alt: { type: ['string', 'null'] } },
    },
    {
      type: 'object',
      required: ['uri'],
      properties: { uri: { type: ['object', 'string'] }, alt: { type: ['string', 'null'] } },
    },
  ],
};
