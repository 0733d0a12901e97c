import { readFileSync } from 'node:fs';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

/**
 * The errors of a document according to the JSON Schema of JSON:API 1.1. That schema does not allow links named by
 * resource type, as in the entry point; site-relative links are checked as absolute ones.
 */
export function jsonApiProblems(document: unknown): readonly ErrorObject[] {
  const whole = JSON.parse(JSON.stringify(document), (key, value: unknown) =>
    key === 'href' && typeof value === 'string' && value.startsWith('/')
      ? `https://site.example${value}`
      : value,
  );
  const { links } = whole;
  for (const name of Object.keys(links ?? {})) if (name.includes('--')) delete links[name];
  return validateJsonApi(whole) ? [] : (validateJsonApi.errors ?? []);
}

const validateJsonApi = compileJsonApi();

function compileJsonApi(): ValidateFunction {
  const ajv = new Ajv2020({ strict: false });
  formats.default(ajv);
  const file = new URL('../conformance/data/jsonapi-schema.json', import.meta.url);
  return ajv.compile(JSON.parse(readFileSync(file, 'utf8')));
}
