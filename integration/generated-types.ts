import { CONTENT_MODULE } from './server-modules.ts';

/** The declaration of `astro-jsonapi:content`, typed by the project's schema (an absolute path) where it has one. */
export function contentDeclaration(schema: string | undefined): string {
  const type = schema === undefined ? '{}' : `(typeof import(${JSON.stringify(schema)}))['default']`;
  return `declare module '${CONTENT_MODULE}' {
  type Content = import('astro-jsonapi/builder').ContentApi<${type}>;
  export const entities: Content['entities'];
  export const jsonapi: Content['jsonapi'];
}
`;
}
