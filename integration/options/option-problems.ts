import { z } from 'zod';

/** Sentences about one problem of the options: what is wrong, and what is valid there by the descriptions of `schema`. */
export function describeIssue(
  schema: z.ZodObject,
  issue: z.core.$ZodIssue,
  input: unknown,
): readonly string[] {
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys') {
    const valid = path.length === 0 ? Object.keys(schema.shape).join(', ') : validFor(schema, path);
    return issue.keys.map((key) => `Option ${[...path, key].join('.')} is unknown. Valid: ${valid}.`);
  }
  if (path.length === 0) return ['The options must be an object.'];
  if (issue.code === 'custom' && typeof issue.params?.detail === 'string') {
    return [`Option ${path.join('.')}: ${issue.params.detail}`];
  }
  const misnamed = issue.code === 'invalid_key';
  const what = misnamed ? 'has a name that cannot be used' : `cannot be ${written(input, path)}`;
  return [
    `Option ${path.join('.')} ${what}. Valid: ${validFor(schema, misnamed ? path.slice(0, -1) : path)}.`,
  ];
}

/** The value at a path, as it is written in the config. */
function written(input: unknown, path: readonly string[]): string {
  let value = input;
  for (const name of path)
    value = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  return typeof value === 'function' ? 'a function' : (JSON.stringify(value) ?? String(value));
}

/** The description of the deepest option that encloses the path. */
function validFor(options: z.ZodType, path: readonly string[]): string {
  let schema = options;
  let description = '';
  for (const segment of path) {
    const next = innerSchema(unwrap(schema), segment);
    if (next === undefined) break;
    schema = next;
    description = next.description ?? description;
  }
  return description;
}

function innerSchema(schema: z.ZodType, segment: string): z.ZodType | undefined {
  let next: unknown;
  if (schema instanceof z.ZodObject) next = schema.shape[segment];
  if (schema instanceof z.ZodRecord) next = schema.valueType;
  if (schema instanceof z.ZodArray) next = schema.element;
  return next instanceof z.ZodType ? next : undefined;
}

function unwrap(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault || schema instanceof z.ZodOptional) {
    const inner: unknown = schema.unwrap();
    if (inner instanceof z.ZodType) return unwrap(inner);
  }
  return schema;
}
