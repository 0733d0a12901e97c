import { CONTENT_MODULE } from './server-modules.ts';

/**
 * The declaration of `astro-jsonapi:content`, typed by the project's schema (an absolute path) where it has one.
 * `bundles` are the folders of the content: those that the schema does not describe are loosely typed.
 */
export function contentDeclaration(schema: string | undefined, bundles: readonly string[]): string {
  const names = bundles.map((name) => JSON.stringify(name)).join(' | ');
  const type =
    schema === undefined
      ? 'Record<never, never>'
      : `(typeof import(${JSON.stringify(schema.replaceAll('\\', '/'))}))['default']`;
  const parameters = schema === undefined ? type : `${type}, ${names || 'never'}`;
  return `declare module '${CONTENT_MODULE}' {
  type Content = import('astro-jsonapi/builder').ContentApi<${parameters}>;
  export const entities: Content['entities'];
  export const jsonapi: Content['jsonapi'];
}
`;
}
