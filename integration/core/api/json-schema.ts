import type { JsonValue } from '../util/json.ts';

/** A JSON Schema as JSON. */
export type JsonSchema = { readonly [keyword: string]: JsonValue };

export const TEXT: JsonSchema = { type: 'string' };
export const TEXT_OR_NULL: JsonSchema = { type: ['string', 'null'] };
export const ID: JsonSchema = { type: 'string', minLength: 1 };
export const URI: JsonSchema = { type: 'string', format: 'uri' };
export const COUNT: JsonSchema = { type: 'integer', minimum: 0 };
const NULL: JsonSchema = { type: 'null' };

/** An object; all its properties are required unless `required` lists others. */
export function object(
  properties: JsonSchema,
  required: readonly string[] = Object.keys(properties),
): JsonSchema {
  return { type: 'object', ...(required.length > 0 && { required }), properties };
}

export function array(items: JsonSchema): JsonSchema {
  return { type: 'array', items };
}

/** One of the schemas. A single one stays as it is. */
export function anyOf(...schemas: readonly JsonSchema[]): JsonSchema {
  const [only] = schemas;
  return schemas.length === 1 && only !== undefined ? only : { anyOf: schemas };
}

export function orNull(...schemas: readonly JsonSchema[]): JsonSchema {
  return anyOf(...schemas, NULL);
}
