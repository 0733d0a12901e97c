import { isRelationship, targetsOf } from '../../content/file-resource.ts';
import type { FieldDefinition, FieldRules, ResourceType } from '../../content/model.ts';
import type { QueryAccess } from '../../engine/engine.ts';
import type { DocumentContext } from '../../read/reader.ts';
import { documentFields, visibleFields } from '../../read/sparse-fields.ts';
import { array, ID, type JsonSchema, object, orNull, TEXT, TEXT_OR_NULL } from '../json-schema.ts';

/** JSON Schema of the resource objects of a type, as this actor sees them. `fields[type]` can omit any field, so none is required. */
export function resourceSchemaDocument({ access, links }: DocumentContext, type: ResourceType): JsonSchema {
  return { $schema: DIALECT, $id: links.schema(type), ...resourceSchema(type, access) };
}

/** The same schema without `$id`. */
export function resourceSchema(type: ResourceType, access: QueryAccess): JsonSchema {
  const fields = documentFields(type, access);
  const references = fields.filter(isRelationship);
  const properties = {
    type: { const: type.name },
    id: ID,
    links: object({ self: LINK }),
    attributes: attributesSchema(type, access),
    relationships: membersSchema(references, relationshipSchema),
    meta: META,
  };
  return { title: type.name, ...object(properties, ['type', 'id', 'links']) };
}

/** The attributes of a type. */
export function attributesSchema(type: ResourceType, access: QueryAccess): JsonSchema {
  const fields = visibleFields(type, access).filter((field) => !isRelationship(field));
  return membersSchema(fields, fieldSchema);
}

/** The values of a field that is not a reference. */
export function fieldSchema(field: FieldDefinition): JsonSchema {
  const { title, description } = field.rules ?? {};
  const texts = present({ title, description });
  if (field.kind === 'json') return texts;
  if (field.list) return { ...texts, ...array(itemSchema(field)) };
  const item = itemSchema(field);
  return { ...texts, ...(isNullable(field) ? nullable(item) : item) };
}

function itemSchema(field: FieldDefinition): JsonSchema {
  const { title: _, description: __, open: ___, ...rules } = rulesFor(field);
  switch (field.kind) {
    case 'string':
    case 'integer':
    case 'number':
    case 'boolean':
      return { type: field.kind, ...present(rules) };
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
  return object(Object.fromEntries(parts.map((part) => [part.name, partSchema(part)])), required);
}

/** A reference inside an object is `{type, id}` among other properties. */
function partSchema(part: FieldDefinition): JsonSchema {
  return part.kind === 'reference' && !part.list ? nullable(itemSchema(part)) : fieldSchema(part);
}

function relationshipSchema(field: FieldDefinition): JsonSchema {
  const { title, description } = field.rules ?? {};
  const one = identifierSchema(targetsOf(field));
  const data = field.list ? array(one) : isNullable(field) ? orNull(one) : one;
  return { ...present({ title, description }), ...object({ data }) };
}

/** Type and id. The id is `missing` if the target does not exist. */
function identifierSchema(targets: readonly string[]): JsonSchema {
  const type = targets.length === 0 ? TEXT : { ...TEXT, enum: targets };
  return object({ type, id: ID, meta: { type: 'object' } }, ['type', 'id']);
}

function membersSchema(
  fields: readonly FieldDefinition[],
  schemaOf: (field: FieldDefinition) => JsonSchema,
): JsonSchema {
  const properties = Object.fromEntries(fields.map((field) => [field.name, schemaOf(field)]));
  return { ...object(properties, []), additionalProperties: false };
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

function nullable(schema: JsonSchema): JsonSchema {
  const { type, enum: values } = schema;
  if (typeof type !== 'string') return schema;
  return { ...schema, type: [type, 'null'], ...(Array.isArray(values) ? { enum: [...values, null] } : {}) };
}

function present(rules: { readonly [K in keyof FieldRules]: FieldRules[K] | undefined }): JsonSchema {
  return Object.fromEntries(
    Object.entries(rules).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';
const DECIMAL = '^-?\\d+(?:\\.\\d+)?$';
const ALWAYS_THERE: ReadonlySet<string> = new Set(['title', 'langcode', 'path']);

/** `meta.translations`. */
export const TRANSLATIONS: JsonSchema = {
  type: 'object',
  description: 'By langcode, the languages in which you may see the entity, if there are several.',
  additionalProperties: object(
    {
      href: TEXT,
      status: { type: 'boolean', description: 'True if the translation is published.' },
      outdated: { const: true, description: 'The source has changed since.' },
    },
    ['href', 'status'],
  ),
};

const META = object(
  {
    revision: { description: 'Tag of the visible fields of the entity.', ...TEXT },
    version: { description: 'The commit of a past version.', ...TEXT },
    translations: TRANSLATIONS,
  },
  [],
);

/** Every link is an object. */
export const LINK: JsonSchema = object(
  { href: { type: 'string', format: 'uri-reference' }, type: TEXT, meta: { type: 'object' } },
  ['href'],
);
const BODY = object({
  value: { ...TEXT, description: 'The text as written.' },
  format: { ...TEXT, enum: ['markdown', 'mdx'] },
  processed: { ...TEXT, description: 'The text as HTML.' },
  summary: TEXT_OR_NULL,
});
