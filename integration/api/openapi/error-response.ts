import type { JsonSchema } from '../jsonapi/resource-schema.ts';
import { ref } from './component-schemas.ts';

/** A response of the components: an error document of this schema. */
export function errorResponse(description: string, mediaType: string, schema: string): JsonSchema {
  return { description, content: { [mediaType]: { schema: ref(schema) } } };
}

/** A reference to one of the component responses. */
export function responseRef(name: string): JsonSchema {
  return { $ref: `#/components/responses/${name}` };
}
