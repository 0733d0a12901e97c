import { decodeUri } from '../../../integration/core/util/text.ts';
import type { ExplorerSchema } from '../../../integration/features/admin/explorer.ts';
import type { LocalText } from '../../../integration/features/admin/field-meta.ts';
import type { FieldPart, FieldVariant } from '../../../integration/features/admin/form-fields.ts';

/** The bundles and fields of the site, from `schema.json`, with texts in the language of the interface. */
export interface Schema extends Omit<ExplorerSchema, 'types'> {
  readonly types: readonly Bundle[];
}

export interface Bundle extends Omit<ExplorerSchema['types'][number], 'fields'> {
  readonly fields: readonly Field[];
}

/** A field, a property of an object, or the values of a record. */
export interface Part extends Pick<FieldPart, 'name' | 'kind' | (typeof PLAIN)[number]> {
  readonly list: boolean;
  readonly targets: readonly string[];
  readonly properties: readonly Part[];
  readonly required: boolean;
  readonly label?: string;
  readonly description?: string;
  readonly placeholder?: string;
  readonly group?: string;
  readonly choiceLabels?: Readonly<Record<string, string>>;
  readonly variants?: readonly Variant[];
  readonly entries?: Part;
}

export interface Variant extends Pick<FieldVariant, 'value' | 'icon'> {
  readonly label?: string;
  readonly description?: string;
  readonly properties: readonly Part[];
}

type FieldFacts = Pick<
  ExplorerSchema['types'][number]['fields'][number],
  'areResources' | 'untranslated' | 'storedIn' | 'weight'
>;
export interface Field extends Part, FieldFacts {}

/** Members that are the same in every language. */
const PLAIN = [
  'choices',
  'order',
  'at',
  'width',
  'widget',
  'language',
  'when',
  'discriminator',
  'written',
] as const;
const TEXTS = ['label', 'description', 'placeholder', 'group'] as const;

/** The document as forms use it. */
export function readSchema(document: ExplorerSchema, language: string): Schema {
  const types = document.types.map((type) => ({
    ...type,
    fields: type.fields.map((field): Field => {
      const { areResources, untranslated, storedIn, weight } = field;
      const facts = {
        ...(areResources && { areResources }),
        ...(untranslated && { untranslated }),
        ...(storedIn !== undefined && { storedIn }),
        ...(weight !== undefined && { weight }),
      };
      return Object.assign(readPart(field as FieldPart, language, []), facts);
    }),
  }));
  return { ...document, types };
}

function readPart(part: FieldPart, language: string, around: readonly Part[]): Part {
  const { name, kind, list = false, targets = [], required = false, choiceLabels, ancestor } = part;
  const own: { -readonly [Key in keyof Part]: Part[Key] } = {
    name,
    kind,
    list,
    targets,
    properties: [],
    required,
    ...Object.fromEntries(PLAIN.flatMap((key) => (part[key] === undefined ? [] : [[key, part[key]]]))),
    ...readTexts(part, language),
  };
  if (choiceLabels !== undefined)
    own.choiceLabels = Object.fromEntries(
      Object.entries(choiceLabels).map(([value, text]) => [value, inLanguage(text, language)]),
    );
  const same = ancestor === undefined ? undefined : around.at(-ancestor);
  // It has no properties yet.
  if (same !== undefined) return withPartsOf(own, same);
  const inner = (each: FieldPart) => readPart(each, language, [...around, own]);
  own.properties = (part.properties ?? []).map(inner);
  if (part.entries) own.entries = inner(part.entries);
  if (part.variants)
    own.variants = part.variants.map(({ value, icon, properties, ...texts }) => ({
      value,
      ...(icon !== undefined && { icon }),
      ...readTexts(texts, language),
      properties: properties.map(inner),
    }));
  return own;
}

/** The part with the properties and variants of one around it. */
function withPartsOf(part: Part, around: Part): Part {
  const getters = (['properties', 'variants', 'discriminator'] as const).map((name) => [
    name,
    { get: () => around[name], enumerable: true },
  ]);
  return Object.defineProperties(part, Object.fromEntries(getters));
}

function readTexts(
  part: Pick<FieldPart, (typeof TEXTS)[number]>,
  language: string,
): Partial<Record<(typeof TEXTS)[number], string>> {
  return Object.fromEntries(
    TEXTS.flatMap((name) => {
      const text = part[name];
      return text === undefined ? [] : [[name, inLanguage(text, language)]];
    }),
  );
}

/** English if the language is missing, else the first one. */
export function inLanguage(text: LocalText, language: string): string {
  return typeof text === 'string' ? text : (text[language] ?? text.en ?? Object.values(text)[0] ?? '');
}

/** The bundle that an API path such as `/node/article/moon?include=x` belongs to, and the decoded segments after it. */
export function bundleAt(
  schema: Schema,
  path: string,
): { readonly bundle: Bundle; readonly rest: readonly string[] } | undefined {
  const [address = ''] = path.split('?');
  const [entityType, name, ...rest] = address.split('/').filter(Boolean).map(decodeUri);
  const bundle = schema.types.find((type) => type.entityType === entityType && type.bundle === name);
  return bundle && { bundle, rest };
}

/** The fields that forms have an input for. The one that stores the title is the input of the title. */
export function inputFields(fields: readonly Field[]): readonly Field[] {
  const storedIn = fields.find(({ name }) => name === 'title')?.storedIn;
  return fields.filter(({ name }) => name !== storedIn);
}

export function bundleNamed(schema: Schema, name: string): Bundle | undefined {
  return schema.types.find((type) => type.name === name);
}

/** The path of a collection, or of one resource in it, with a query. Slashes in an id are kept. */
export function pathTo(
  { entityType, bundle }: Pick<Bundle, 'entityType' | 'bundle'>,
  id = '',
  query: Readonly<Record<string, string>> = {},
): string {
  const below = id === '' ? '' : `/${id.split('/').map(encodeURIComponent).join('/')}`;
  const search = new URLSearchParams(query).toString();
  return `/${entityType}/${bundle}${below}${search === '' ? '' : `?${search}`}`;
}

/** `article` for `node--article`; other types keep their full name. */
export function shortName(type: string): string {
  return type.replace(/^node--/, '');
}
