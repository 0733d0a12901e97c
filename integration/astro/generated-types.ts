import { FILE_PROPERTIES } from '../content/base-fields.ts';
import type { FieldDefinition, FieldKind, ResourceType } from '../content/model.ts';
import { shortTypeName } from '../content/resource-type.ts';
import { CONTENT_MODULE, IMAGES_MODULE } from './server-modules.ts';

/** What the declaration is made of. */
export interface DeclaredContent {
  /** Absolute path of the project's schema module, where it has one. */
  readonly schema: string | undefined;
  /** Names of the content's folders. */
  readonly folders: readonly string[];
  /** All resource types as far as they are known; of these the inferred ones are described. */
  readonly types: Iterable<ResourceType>;
  /** Whether pages have `Astro.locals.jsonapi`, which middleware sets if option `editing` is on. */
  readonly editing: boolean;
}

/**
 * The declaration of `astro-jsonapi:content`: typed by the project's schema, by what was inferred of bundles that it
 * does not describe, and loosely for folders of which nothing is known.
 */
export function contentDeclaration({ schema, folders, types, editing }: DeclaredContent): string {
  const inferred = [...types].filter(({ origin }) => origin === 'inferred');
  const described = new Set(inferred.map(({ name }) => shortTypeName(name)));
  const declared =
    schema === undefined
      ? undefined
      : `(typeof import(${JSON.stringify(schema.replaceAll('\\', '/'))}))['default']`;
  const models = [declared, inferred.length > 0 ? 'Inferred' : undefined].filter(
    (model) => model !== undefined,
  );
  const others = folders.filter((name) => !described.has(name)).map((name) => JSON.stringify(name));
  const model = models.join(' & ') || 'Record<never, never>';
  const parameters = models.length === 0 ? model : `${model}, ${others.join(' | ') || 'never'}`;
  return `declare module '${CONTENT_MODULE}' {
${inferred.length > 0 ? inferredLines(inferred).join('\n') : ''}  type Content = import('astro-jsonapi/types').ContentApi<${parameters}>;
  export const entities: Content['entities'];
  export const jsonapi: Content['jsonapi'];
  export const cacheKey: Content['cacheKey'];
  /** \`data\` of entries that jsonapiLoader() makes. */
  export type CollectionOf<Bundle extends string, Names = unknown> =
    import('astro-jsonapi/loader').CollectionData<${model}, Bundle, Names>;
}

${editing ? LOCALS : ''}declare module '${IMAGES_MODULE}' {
  /** Properties for Astro's <Image>, of an image field's value; undefined where it is null. */
  export const imageOf: import('astro-jsonapi/loader').ImageOf;
}
`.replace("' {\n\n", "' {\n");
}

const LOCALS = `declare namespace App {
  interface Locals {
    /** The visitor, for queries: \`entities('article', { as: Astro.locals.jsonapi.actor })\`. */
    jsonapi: { readonly actor: import('astro-jsonapi').Actor };
  }
}

`;

function inferredLines(types: readonly ResourceType[]): readonly string[] {
  const bundles = types.flatMap((type) => {
    const fields = [...type.fields.values()].filter(
      ({ base, name, kind }) => !base || (name === 'status' && kind === 'string'),
    );
    const lines = fields.map((field) => `      readonly ${JSON.stringify(field.name)}: ${fieldType(field)};`);
    return [
      `    readonly ${JSON.stringify(shortTypeName(type.name))}: Types.InferredBundle<{`,
      ...lines,
      '    }>;',
    ];
  });
  return [
    "  import type * as Types from 'astro-jsonapi/types';",
    '  interface Inferred {',
    ...bundles,
    '  }',
    '',
  ];
}

function fieldType(field: FieldDefinition): string {
  if (field.list) return `readonly (${itemType(field)})[]`;
  return field.kind === 'json' ? itemType(field) : `${itemType(field)} | null`;
}

function itemType({ kind, targets, properties }: FieldDefinition): string {
  if (kind === 'reference') {
    return `Types.Ref<${targets.map((name) => JSON.stringify(shortTypeName(name))).join(' | ')}>`;
  }
  return kind === 'object' ? objectType(properties) : KIND_TYPES[kind];
}

/** What is not written in an object is not there. */
function objectType(properties: FieldDefinition['properties']): string {
  const members = Object.values(properties).map(
    (property) => `readonly ${JSON.stringify(property.name)}: ${propertyType(property)} | undefined`,
  );
  return members.length === 0 ? '{}' : `{ ${members.join('; ')} }`;
}

/** Inside an object references are not followed, and JSON of mixed shape is what it is. */
function propertyType(property: FieldDefinition): string {
  const { kind, list } = property;
  const item = kind === 'reference' ? REFERENCE : kind === 'json' ? 'unknown' : itemType(property);
  const listed = list ? `readonly (${item})[]` : item;
  return kind === 'json' ? listed : `${listed} | null`;
}

const REFERENCE = '{ readonly type: string; readonly id: string }';
const FILE = `{ ${Object.keys(FILE_PROPERTIES)
  .map((name) => `readonly ${name}: string | null`)
  .join('; ')} }`;

const KIND_TYPES: Readonly<Record<Exclude<FieldKind, 'reference' | 'object'>, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  decimal: 'string',
  boolean: 'boolean',
  date: 'string',
  datetime: 'string',
  formatted_text: 'Types.Opaque<unknown>',
  image: FILE,
  file: FILE,
  json: 'Types.Opaque<unknown>',
};
