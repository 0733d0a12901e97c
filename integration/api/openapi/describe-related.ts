import type { FieldDefinition, ResourceType } from '../../content/model.ts';
import type { QueryAccess } from '../../engine/engine.ts';
import { JSONAPI_MEDIA_TYPE } from '../../read/document-types.ts';
import { references, targetTypes } from '../../read/include.ts';
import { encode } from '../../read/links.ts';
import type { JsonSchema } from '../jsonapi/resource-schema.ts';
import type { Services } from '../services.ts';
import { documentSchema, ref } from './component-schemas.ts';
import { tagOf } from './document.ts';
import { includedTypes } from './include-paths.ts';
import { type Operation, ID_PARAMETER, individualParameters, versionParameters } from './parameters.ts';

/** The addresses below one resource, of each of its references: what it leads to, and its identifiers. */
export function relatedOperations(
  services: Services,
  access: QueryAccess,
  type: ResourceType,
  /** The template of the resource, without a slash at its end, and what addresses end with. */
  { resource, end }: { readonly resource: string; readonly end: string },
): Readonly<Record<string, Operation>> {
  const paths: Record<string, Operation> = {};
  const common = { tag: tagOf(type), mediaType: JSONAPI_MEDIA_TYPE, errors: 'jsonapi' } as const;
  const versions = versionParameters(services);
  for (const field of references(access, type)) {
    const types = targetTypes(services, [field]);
    paths[`${resource}/${encode(field.name)}${end}`] = {
      ...common,
      id: `related-${type.name}-${field.name}`,
      summary: `What ${field.name} of one ${type.name} leads to`,
      parameters: [ID_PARAMETER, ...individualParameters(services, access, ...types), ...versions],
      schema: documentSchema(
        relatedData(field, types),
        included(types.flatMap((each) => [each, ...includedTypes(services, access, each)])),
      ),
    };
    paths[`${resource}/relationships/${encode(field.name)}${end}`] = {
      ...common,
      id: `relationship-${type.name}-${field.name}`,
      summary: `The identifiers that ${field.name} of one ${type.name} holds`,
      parameters: [ID_PARAMETER, ...individualParameters(services, access, type), ...versions],
      schema: relationshipDocument(services, access, type, field),
    };
  }
  return paths;
}

/** The document of what one reference holds. */
export function relationshipDocument(
  services: Services,
  access: QueryAccess,
  type: ResourceType,
  { list }: FieldDefinition,
): JsonSchema {
  return documentSchema(
    list ? { type: 'array', items: ref('identifier') } : orNull([ref('identifier')]),
    included([type, ...includedTypes(services, access, type)]),
  );
}

function relatedData({ list }: FieldDefinition, types: readonly ResourceType[]): JsonSchema {
  const resources = types.map(({ name }) => ref(name));
  if (!list) return orNull(resources);
  return resources.length === 0
    ? { type: 'array', maxItems: 0 }
    : { type: 'array', items: { anyOf: resources } };
}

function orNull(schemas: readonly JsonSchema[]): JsonSchema {
  return { anyOf: [...schemas, { type: 'null' }] };
}

function included(types: readonly ResourceType[]): readonly JsonSchema[] {
  return [...new Set(types)].map(({ name }) => ref(name));
}
