import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { expect } from 'vitest';
import { jsonApiProblems } from './jsonapi-schema.ts';

/** Compiles one of our schemas. */
export function compileSchema(schema: object): ValidateFunction {
  return createSchemaCompiler().compile(schema);
}

/** Rejects unknown keywords and formats. */
export function createSchemaCompiler(): Ajv2020 {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true });
  formats.default(ajv);
  return ajv;
}

export function expectValid(validate: ValidateFunction, value: unknown, what: string): void {
  validate(value);
  expect(validate.errors ?? [], what).toEqual([]);
}

/** Checks a document against the JSON Schema of JSON:API 1.1. */
export function expectJsonApi(document: unknown, what: string): void {
  expect(jsonApiProblems(document), what).toEqual([]);
}
