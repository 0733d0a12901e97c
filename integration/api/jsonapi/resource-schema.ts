import type { FieldDefinition, FieldRules, ResourceType } from '../../content/model.ts';
import type { QueryAccess } from '../../engine/engine.ts';
import type { DocumentContext } from '../../read/reader.ts';
import { visibleFields } from '../../read/sparse-fields.ts';
import type { JsonValue } from '../../util/json.ts';

/** A JSON Schema as JSON. */
export type JsonSchema = { readonly [keyword: string]: JsonValue };

/** JSON Schema of the resource objects of a type, as this actor sees them. `fields[type]` can omit any field, so none is required. */
export function resourceSchemaDocument({ access, links }: DocumentContext, type: ResourceType): JsonSchema {
  return { $schema: DIALECT, $id: links.schema(type), ...resourceSchema(type, access) };
}

/** The same schema without `$id`. */
export function resourceSchema(type: ResourceType, access: QueryAccess): JsonSchema {
  const fields = visibleFields(type, access);
  const references = fields.filter((field) => field.kind === 'reference');
  const attributes = fields.filter((field) => field.kind !== 'reference');
  return {
    title: type.name,
    type: 'object',
    required: ['type', 'id', 'links'],
    properties: {
      type: { const: type.name },
      id: { type: 'string', minLength: 1 },
      links: LINKS,
      attributes: membersSchema(attributes, fieldSchema),
      relationships: membersSchema(references, relationshipSchema),
      meta: {
        type: 'object',
        properties: {
          revision: { description: 'Tag of the visible fields of the entity.', type: 'string' },
          version: { description: 'The commit of a past version.', type: 'string' },
        },
      },
    },
  };
}

/** The values of a field that is not a reference. */
export function fieldSchema(field: FieldDefinition): JsonSchema {
  const { title, description } = field.rules ?? {};
  const texts = present({ title, description });
  if (field.kind === 'json') return texts;
  if (field.list) return { ...texts, type: 'array', items: itemSchema(field) };
  const item = itemSchema(field);
  return { ...texts, ...(isNullable(field) ? orNull(item) : item) };
}

function itemSchema(field: FieldDefinition): JsonSchema {
  const { title: _, description: __, open: ___, ...rules } = rulesFor(field);
  switch (field.kind) {
    case 'string':
      return { type: 'string', ...present(rules) };
    case 'integer':
    case 'number':
      return { type: field.kind, ...present(rules) };
    case 'boolean':
      return { type: 'boolean', ...present(rules) };
    case 'decimal':
      return { type: 'string', pattern: DECIMAL };
    case 'date':
      return { type: 'string', format: 'date' };
    case 'datetime':
      return { type: 'string', format: 'date-time' };
    case 'formatted_text':
      return BODY;
    case 'object':
    case 'image':
    case 'file':
      return objectSchema(field);
    case 'reference':
      return identifierSchema(field.targets);
    case 'json':
      return {};
    default:
      return field.kind satisfies never;
  }
}

/** Properties that the author omitted are absent. Files always have all properties. */
function objectSchema({ kind, properties }: FieldDefinition): JsonSchema {
  const parts = Object.values(properties);
  const stored = kind !== 'object';
  const required = parts.filter((part) => stored || part.required).map(({ name }) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(parts.map((part) => [part.name, partSchema(part)])),
    ...(required.length > 0 ? { required } : {}),
  };
}

/** A reference inside an object is `{type, id}` among other properties. */
function partSchema(part: FieldDefinition): JsonSchema {
  return part.kind === 'reference' && !part.list ? orNull(itemSchema(part)) : fieldSchema(part);
}

function relationshipSchema(field: FieldDefinition): JsonSchema {
  const { title, description } = field.rules ?? {};
  const one = identifierSchema(field.targets);
  const data = field.list
    ? { type: 'array', items: one }
    : isNullable(field)
      ? { anyOf: [one, { type: 'null' }] }
      : one;
  return { ...present({ title, description }), type: 'object', required: ['data'], properties: { data } };
}

/** Type and id. The id is `missing` if the target does not exist. */
function identifierSchema(targets: readonly string[]): JsonSchema {
  return {
    type: 'object',
    required: ['type', 'id'],
    properties: {
      type: targets.length === 0 ? { type: 'string' } : { type: 'string', enum: targets },
      id: { type: 'string', minLength: 1 },
      meta: { type: 'object' },
    },
  };
}

function membersSchema(
  fields: readonly FieldDefinition[],
  schemaOf: (field: FieldDefinition) => JsonSchema,
): JsonSchema {
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field.name, schemaOf(field)])),
    additionalProperties: false,
  };
}

/** The schema's rules for base fields apply to the frontmatter. Responses may contain a default instead. */
function rulesFor({ base, name, rules = {} }: FieldDefinition): FieldRules {
  if (!base) return rules;
  return name === 'status' && rules.enum !== undefined ? { enum: rules.enum } : {};
}

function isNullable({ base, name, required, kind, rules }: FieldDefinition): boolean {
  if (base) return !ALWAYS_THERE.has(name) && !(name === 'status' && kind === 'boolean');
  return !required || rules?.open === true;
}

function orNull(schema: JsonSchema): JsonSchema {
  const { type, enum: values } = schema;
  if (typeof type !== 'string') return schema;
  return {
    ...schema,
    type: [type, 'null'],
    ...(Array.isArray(values) ? { enum: [...values, null] } : {}),
  };
}

function present(rules: { readonly [K in keyof FieldRules]: FieldRules[K] | undefined }): JsonSchema {
  return Object.fromEntries(
    Object.entries(rules).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';
const DECIMAL = '^-?\\d+(?:\\.\\d+)?$';
const ALWAYS_THERE: ReadonlySet<string> = new Set(['title', 'langcode', 'path']);

/** Every link is an object. */
export const LINK: JsonSchema = {
  type: 'object',
  required: ['href'],
  properties: {
    href: { type: 'string', format: 'uri-reference' },
    type: { type: 'string' },
    meta: { type: 'object' },
  },
};
const LINKS: JsonSchema = { type: 'object', required: ['self'], properties: { self: LINK } };
const NULLABLE_TEXT: JsonSchema = { type: ['string', 'null'] };
const BODY: JsonSchema = {
  type: 'object',
  required: ['value', 'format', 'processed', 'summary'],
  properties: {
    value: { type: 'string', description: 'The text as written.' },
    format: { type: 'string', enum: ['markdown', 'mdx'] },
    processed: { type: 'string', description: 'The text as HTML.' },
    summary: NULLABLE_TEXT,
  },
};
