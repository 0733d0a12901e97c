import { type Diagnostic, FILE_START } from '../../source/diagnostic.ts';
import { resourceTypeName } from '../resource-type.ts';
import type { SchemaDefinition } from './schema.ts';
import { type DeclaredBundle, declareBundle } from './schema-fields.ts';

/** The bundles of a schema by resource type name, and what is wrong with their declarations. */
export function declareSchema(schema: SchemaDefinition | undefined): {
  readonly declared: ReadonlyMap<string, DeclaredBundle>;
  readonly problems: readonly Diagnostic[];
} {
  const declared = new Map<string, DeclaredBundle>();
  const problems: Diagnostic[] = [];
  for (const [name, bundle] of Object.entries(schema ?? {})) {
    const type = resourceTypeName(name);
    if (type === undefined) {
      problems.push(aboutSchema(`\`${name}\` cannot be the name of a bundle.`));
    } else {
      const read = declareBundle(name, bundle);
      declared.set(type, read);
      problems.push(...read.problems.map(aboutSchema));
    }
  }
  return { declared, problems };
}

function aboutSchema(message: string): Diagnostic {
  return { severity: 'error', code: 'schema/invalid', key: 'schema.ts', ...FILE_START, message };
}
