import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type Languages, languageNamed } from '../core/content/languages.ts';
import { type Layout, layoutOf } from '../core/content/layout.ts';
import type { FieldDefinition, FieldKind, ResourceType } from '../core/content/model.ts';
import { type FieldOptions, resourceTypeName, shortTypeName } from '../core/content/resource-type.ts';
import { readSchema } from '../core/content/schema/read-schema.ts';
import { byBundle } from '../core/options/options.ts';
import type { RuntimeLog } from '../core/runtime/site.ts';
import { errorMessage } from '../core/util/text.ts';
import type { Project } from './project.ts';
import { isCollectionConfig } from './schema-module.ts';
import { CONTENT_MODULE, IMAGES_MODULE } from './virtual-modules.ts';

/** The generated file that declares `astro-jsonapi:content` to TypeScript. */
export interface TypesFile {
  /** Its text before the content is loaded: the stored one. In a sync, it is generated, from the content if necessary. */
  declaration(log: RuntimeLog): Promise<string>;
  /** Makes `update` write the file. Astro writes it until its server or build starts. */
  enable(): void;
  /** Generates the file again for these resource types. Writes only changes, so that editors do not reload it. */
  update(types: Iterable<ResourceType>): void;
}

/** Its name in the integration's folder for generated files. */
export const TYPES_FILE = 'content.d.ts';

/** `dir` is the integration's folder for generated files. */
export function createTypesFile(project: Project, dir: URL): TypesFile {
  const file = new URL(TYPES_FILE, dir);
  let isEnabled = false;
  let text: string | undefined;

  function write(): void {
    if (isEnabled && text !== undefined && readIfExists(file) !== text) writeFileSync(file, text);
  }

  function generate(types: Iterable<ResourceType>): string {
    // Types of collections are those of Astro, so they are described like inferred ones.
    const file = project.schemaFile();
    const schema = file && isCollectionConfig(file, project.folders()) ? undefined : file;
    const { contentDir, languages } = project.settings();
    const folders = bundleNames(contentDir, languages, layoutOf(project.layout()));
    return contentDeclaration({
      schema,
      folders,
      types,
      editing: project.options.editing !== false,
      languages,
      fields: byBundle(project.options, 'fields'),
    });
  }

  /** True if the schema has all bundles, so that the content is not needed. */
  async function isDeclared(): Promise<boolean> {
    const { contentDir, languages } = project.settings();
    const schema = await project.importSchema();
    if (project.collections() !== undefined) return false;
    const definition = schema === undefined ? {} : readSchema(schema, contentDir);
    const declared = new Set(Object.keys(definition).map(resourceTypeName));
    return bundleNames(contentDir, languages, layoutOf(project.layout())).every((name) =>
      declared.has(resourceTypeName(name)),
    );
  }

  return {
    async declaration(log) {
      if (project.command() !== 'sync') return readIfExists(file) ?? generate([]);
      try {
        if (await isDeclared()) return generate([]);
        const { services } = await project.openOnce(log);
        return generate(services.store.types.values());
      } catch (error) {
        log.warn(errorMessage(error));
        return generate([]);
      }
    },
    enable() {
      isEnabled = true;
      write();
    },
    update(types) {
      text = generate(types);
      write();
    },
  };
}

function readIfExists(file: URL): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

/** The bundles of the folders, also of those in the folder of a language. */
function bundleNames(
  contentDir: string,
  languages: Languages | undefined,
  layout: Layout,
): readonly string[] {
  const folders = folderNames(contentDir).flatMap((name) => {
    const isLanguage = languages !== undefined && languageNamed(languages, name) !== undefined;
    return isLanguage ? folderNames(`${contentDir}/${name}`) : [name];
  });
  const names = folders.flatMap((folder) => {
    const role = layout(`${folder}/page.md`);
    return role.role === 'entity' ? [shortTypeName(role.type)] : [];
  });
  return [...new Set(names)];
}

function folderNames(dir: string): readonly string[] {
  if (!existsSync(dir)) return [];
  return readdirSync(dir, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
}

export interface DeclaredContent {
  /** Absolute path of the project's schema module. */
  readonly schema: string | undefined;
  /** Bundles of the content's folders. */
  readonly folders: readonly string[];
  /** The resource types. Those without a schema are described in the declaration. */
  readonly types: Iterable<ResourceType>;
  /** True if pages have `Astro.locals.jsonapi`: middleware sets it if option `editing` is on. */
  readonly editing: boolean;
  /** The languages of the site. */
  readonly languages?: Languages | undefined;
  /** Option `bundles.<bundle>.fields`, by bundle. */
  readonly fields?: Readonly<Record<string, FieldOptions>>;
}

/** The declaration of `astro-jsonapi:content`. Types come from the schema, else from inference; other folders are loose. */
export function contentDeclaration(content: DeclaredContent): string {
  const { schema, folders, types, editing, languages, fields = {} } = content;
  const inferred = [...types].filter(({ origin }) => schema === undefined || origin === 'inferred');
  const described = new Set(inferred.map(({ name }) => shortTypeName(name)));
  const declared = schema === undefined ? undefined : declaredModel(schema, fields);
  const models = [
    ...(declared === undefined ? [] : ['Declared']),
    ...(inferred.length > 0 ? ['Inferred'] : []),
  ];
  const others = folders.filter((name) => !described.has(name)).map((name) => JSON.stringify(name));
  const model = models.length > 0 ? 'Schema' : 'Record<never, never>';
  const loose = models.length === 0 ? 'string' : others.join(' | ') || 'never';
  const codes = languages?.all.map(({ code }) => JSON.stringify(code)).join(' | ');
  const parameters = codes ? [model, loose, codes] : models.length > 0 ? [model, loose] : [model];
  return `declare module '${CONTENT_MODULE}' {
${declared === undefined ? '' : `  type Declared = ${declared};\n`}${inferred.length > 0 ? inferredLines(inferred).join('\n') : ''}${schemaLine(models)}  type Content = import('astro-jsonapi/types').ContentApi<${parameters.join(', ')}>;
  export const entities: Content['entities'], jsonapi: Content['jsonapi'];
  export function suggest(words: string, options?: Omit<import('astro-jsonapi/client').SuggestOptions, 'signal'> & import('astro-jsonapi/types').AsOption): Promise<import('astro-jsonapi/client').Suggestions>;
  export const cacheKey: Content['cacheKey'], runtimePath: Content['runtimePath'];
  /** \`data\` of the entries of jsonapiLoader(). */
  export type CollectionOf<Bundle extends string, Names = unknown> =
    import('astro-jsonapi/loader').CollectionData<${model}, Bundle, Names>;
}

${editing ? LOCALS : ''}${siteTypes(codes, models, others)}declare module '${IMAGES_MODULE}' {
  /** Properties of Astro's <Image> for the value of an image field; undefined for null. */
  export const imageOf: import('astro-jsonapi/loader').ImageOf;
}

declare module 'astro-jsonapi:pictures' {
  /** Properties of Astro's <Image> for an object with an image and its crop; undefined without an image. */
  export function pictureOf(value: unknown): Promise<import('astro-jsonapi/loader').ImageProps | undefined>;
}
`.replace("' {\n\n", "' {\n");
}

/** The type of the schema, with the public names of fields. */
function declaredModel(schema: string, fields: Readonly<Record<string, FieldOptions>>): string {
  const model = `(typeof import(${JSON.stringify(schema.replaceAll('\\', '/'))}))['default']`;
  const names = Object.entries(fields).flatMap(([bundle, options]) => {
    const renamed = Object.entries(options).filter(([, name]) => name !== false);
    if (renamed.length === 0) return [];
    // The schema has the short or the full name.
    const keys = new Set([bundle, shortTypeName(bundle), resourceTypeName(bundle) ?? bundle]);
    return [...keys].map((key) => [key, Object.fromEntries(renamed)]);
  });
  if (names.length === 0) return model;
  return `import('astro-jsonapi/types').Renamed<${model}, ${JSON.stringify(Object.fromEntries(names))}>`;
}

/** An interface, whose name editors show instead of all its fields. */
function schemaLine(models: readonly string[]): string {
  return models.length === 0 ? '' : `  interface Schema extends ${models.join(', ')} {}\n`;
}

const LOCALS = `declare namespace App {
  interface Locals {
    /** The visitor, for queries: \`entities('article', { as: Astro.locals.jsonapi.actor })\`. */
    jsonapi: { readonly actor: import('astro-jsonapi').Actor };
  }
}

`;

/** Types of the site for entries of the package that are not virtual modules, such as `astro-jsonapi/client`. */
function siteTypes(codes: string | undefined, models: readonly string[], others: readonly string[]): string {
  const members = [
    ...(codes === undefined ? [] : [`    readonly lang: ${codes};`]),
    ...(models.length === 0 ? [] : [`    readonly schema: import('${CONTENT_MODULE}').Schema;`]),
    ...(models.length === 0 || others.length === 0 ? [] : [`    readonly bundles: ${others.join(' | ')};`]),
  ];
  if (members.length === 0) return '';
  return ['declare namespace AstroJsonapi {', '  interface Site {', ...members, '  }', '}', '', ''].join(
    '\n',
  );
}

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
  const isOpaque = field.kind === 'json' && field.scalar === undefined;
  return isOpaque || isNeverMissing(field) ? itemType(field) : `${itemType(field)} | null`;
}

function isNeverMissing({ required, filled, rules }: FieldDefinition): boolean {
  return (required || filled === true) && rules?.open !== true;
}

function itemType({ kind, targets, properties, scalar, rules }: FieldDefinition): string {
  if (scalar !== undefined) {
    return `${scalar === 'string' ? 'string | number | boolean' : KIND_TYPES[scalar]} | ${objectType(properties)}`;
  }
  if (rules?.enum !== undefined && kind !== 'json')
    return rules.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (kind === 'reference') {
    return `Types.Ref<${targets.map((name) => JSON.stringify(shortTypeName(name))).join(' | ')}>`;
  }
  return kind === 'object' ? objectType(properties) : KIND_TYPES[kind];
}

/** Properties of objects can be missing, unless the schema requires them. */
function objectType(properties: FieldDefinition['properties']): string {
  const members = Object.values(properties).map((property) => {
    const absent = isNeverMissing(property) ? '' : ' | undefined';
    return `readonly ${JSON.stringify(property.name)}: ${propertyType(property)}${absent}`;
  });
  return members.length === 0 ? '{}' : `{ ${members.join('; ')} }`;
}

/** In objects, references are not resolved and JSON is not opaque. */
function propertyType(property: FieldDefinition): string {
  const { kind, list, scalar } = property;
  const isUnknown = kind === 'json' && scalar === undefined;
  const item = kind === 'reference' ? REFERENCE : isUnknown ? 'unknown' : itemType(property);
  const listed = list ? `readonly (${item})[]` : item;
  return isUnknown || isNeverMissing(property) ? listed : `${listed} | null`;
}

const REFERENCE = '{ readonly type: string; readonly id: string }';
const FILE = 'Types.StoredFile';

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
