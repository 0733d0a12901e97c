import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { expect } from 'vitest';

/** Compiles a schema of ours, in which ajv tolerates no keyword or format that it does not know. */
export function compileSchema(schema: object): ValidateFunction {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true });
  formats.default(ajv);
  return ajv.compile(schema);
}

export function expectValid(validate: ValidateFunction, value: unknown, what: string): void {
  validate(value);
  expect(validate.errors ?? [], what).toEqual([]);
}

/**
 * Checks a document against the JSON Schema of JSON:API 1.1. The entry point names its links by resource type, which
 * that schema does not foresee; site-relative links are checked as if they had an origin.
 */
export function expectJsonApi(document: unknown, what: string): void {
  const whole = JSON.parse(JSON.stringify(document), (key, value: unknown) =>
    key === 'href' && typeof value === 'string' && value.startsWith('/')
      ? `https://site.example${value}`
      : value,
  );
  const { links } = whole;
  for (const name of Object.keys(links ?? {})) if (name.includes('--')) delete links[name];
  expectValid(validateJsonApi, whole, what);
}

const validateJsonApi = compileJsonApi();

function compileJsonApi(): ValidateFunction {
  const ajv = new Ajv2020({ strict: false });
  formats.default(ajv);
  const file = new URL('conformance/data/jsonapi-schema.json', import.meta.url);
  return ajv.compile(JSON.parse(readFileSync(file, 'utf8')));
}
