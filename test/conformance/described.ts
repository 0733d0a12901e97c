import type { Ajv2020, ValidateFunction } from 'ajv/dist/2020.js';
import { createSchemaCompiler } from '../support/json-schema.ts';

interface Description {
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

/** The component schemas of an OpenAPI document, each compiled on first use. */
export function componentsOf(description: Description): (name: string) => ValidateFunction {
  const compiler = compilerOf(description);
  return (name) => {
    const validate = compiler.getSchema(`${COMPONENTS}${name}`);
    if (validate === undefined) throw new Error(`The description has no schema ${name}.`);
    return validate;
  };
}

/** Compiles a schema of an operation, which refers to component schemas, once per label. */
export function inlineSchema(description: Description, label: string, described: object): ValidateFunction {
  const compiler = compilerOf(description);
  const key = `inline:${encodeURIComponent(label)}`;
  return compiler.getSchema(key) ?? compiler.compile({ $id: key, ...withReferences(described) });
}

const COMPONENTS = 'components:all#/$defs/';
const compilers = new WeakMap<Description, Ajv2020>();

/** One compiler for each document, so that a schema with many references to it is compiled once. */
function compilerOf(description: Description): Ajv2020 {
  const present = compilers.get(description);
  if (present !== undefined) return present;
  const compiler = createSchemaCompiler();
  compiler.addSchema({ $id: 'components:all', $defs: withReferences(description.components.schemas) });
  compilers.set(description, compiler);
  return compiler;
}

function withReferences(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('#/components/schemas/', COMPONENTS));
}
