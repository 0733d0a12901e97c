import { z } from 'zod';
import { type Diagnostic, problem } from '../../source/diagnostic.ts';
import type { JsonValue } from '../../util/json.ts';
import { BASE_FIELDS, type BaseFieldName, FILE_PROPERTIES, isBaseField, mixedShape } from '../base-fields.ts';
import type { FieldDefinition, FieldKind } from '../model.ts';
import { type FieldOptions, optionFor, publicName, resourceTypeName } from '../resource-type.ts';
import { collectionsOf } from './collections.ts';
import {
  type BundleSchema,
  bundleParts,
  fieldBrandOf,
  isUntranslated,
  type SchemaDefinition,
} from './schema.ts';
import { objectsAround, rulesOf, searchMetaOf, wrappedType } from './schema-rules.ts';

/** A declared field and the zod type that checks it. */
export interface DeclaredField {
  readonly definition: FieldDefinition;
  readonly type: z.ZodType;
  /** True for most values that `type` accepts unchanged, so that zod, which takes longer, need not check them. */
  isPlain(value: JsonValue): boolean;
}

export interface DeclaredBundle {
  /** By public name. Base fields only if the schema narrows them. */
  readonly fields: ReadonlyMap<string, DeclaredField>;
  /** Public names of other keys than their own. */
  readonly options: FieldOptions;
  /** The bundle's zod object if it has rules across fields. */
  readonly rules: z.ZodObject | undefined;
  /** True if files may have other keys, which are not fields: of a content collection. */
  readonly open: boolean;
}

/**
 * The bundles of a schema by resource type name, the file of the schema, and the problems of their declarations.
 * `areFilesResources` applies to fields, not to files in objects. `fieldOptions` are those of each bundle.
 */
export function declareSchema(
  schema: SchemaDefinition = {},
  areFilesResources = false,
  fieldOptions: Readonly<Record<string, FieldOptions>> = {},
): {
  readonly declared: ReadonlyMap<string, DeclaredBundle>;
  /** Relative to the content folder. */
  readonly file: string;
  readonly problems: readonly Diagnostic[];
} {
  const declared = new Map<string, DeclaredBundle>();
  const collections = collectionsOf(schema);
  const { file, notes } = collections ?? { file: 'schema.ts', notes: [] };
  const problems: Diagnostic[] = notes.map(({ severity, message }) => ({
    ...problem(severity, 'schema/collection', message),
    key: file,
  }));
  // A collection is made for Astro, so what does not fit is left out.
  const severity = collections === undefined ? 'error' : 'info';
  const report = (message: string) =>
    problems.push({ ...problem(severity, 'schema/invalid', message), key: file });
  for (const [name, bundle] of Object.entries(schema)) {
    const type = resourceTypeName(name);
    if (type === undefined) report(`\`${name}\` cannot be the name of a bundle.`);
    else
      declared.set(type, {
        ...declareBundle(name, bundle, areFilesResources, optionFor(fieldOptions, type) ?? {}, report),
        open: collections !== undefined,
      });
  }
  return { declared, file, problems };
}

function declareBundle(
  bundle: string,
  schema: BundleSchema,
  areFilesResources: boolean,
  options: FieldOptions,
  report: (message: string) => void,
): Omit<DeclaredBundle, 'open'> {
  const fields = new Map<string, DeclaredField>();
  const { fields: types, rules } = bundleParts(schema);
  for (const [key, type] of Object.entries(types)) {
    const definition = describeField(key, type, options);
    const where = `\`${key}\` of the bundle \`${bundle}\``;
    for (const target of definition.targets.filter((each) => resourceTypeName(each) !== each)) {
      report(`${where} refers to \`${target}\`, which cannot be the name of a bundle.`);
    }
    if (searchMetaOf(type).invalid) {
      report(
        `${where} has an invalid \`search\`: write { search: { boost: 5 } }, with a number from 0 to 1000, or { search: false }.`,
      );
    }
    if (key === 'body' || (isBaseField(key) && !fits(definition, BASE_KINDS[key]))) {
      const kinds = BASE_KINDS[key as BaseFieldName].join(' or ');
      report(
        `${where} is a base field: ${kinds === '' ? 'it cannot be declared' : `it can only be a ${kinds}`}.`,
      );
    } else if (fields.has(definition.name)) {
      report(`${where} and another field have the same name in the API, \`${definition.name}\`: rename one.`);
    } else {
      const areResources = areFilesResources && (definition.kind === 'image' || definition.kind === 'file');
      const field = areResources ? { ...definition, areResources } : definition;
      DECLARED.set(field, { type, at: fields.size });
      fields.set(field.name, { definition: field, type, isPlain: quickTest(type) });
    }
  }
  return { fields, rules, options };
}

/** The zod type of a field, and its place among the fields of the schema; undefined for a field without a declaration. */
export const declarationOf = (field: FieldDefinition) => DECLARED.get(field);
const DECLARED = new WeakMap<FieldDefinition, { readonly type: z.ZodType; readonly at: number }>();

const BASE_KINDS: Readonly<Record<BaseFieldName, readonly FieldKind[]>> = {
  title: ['string'],
  status: ['boolean', 'string'],
  created: ['datetime', 'date'],
  changed: ['datetime', 'date'],
  langcode: ['string'],
  path: ['object', 'string'],
  uid: ['string'],
  body: [],
};

function fits(definition: FieldDefinition, kinds: readonly FieldKind[]): boolean {
  return !definition.list && kinds.includes(definition.kind);
}

function describeField(key: string, type: z.ZodType, options: FieldOptions): FieldDefinition {
  const declared = describePart(key, type, [], publicName(key, options));
  if (!isBaseField(key)) return declared;
  // A day in `created` is its midnight, and an alias that is a string is still `path.alias`.
  const { kind, list, required, filled, rules, search, untranslated, instant } = declared;
  return {
    ...BASE_FIELDS[key],
    kind: key === 'status' || !fits(declared, BASE_KINDS[key]) ? kind : BASE_FIELDS[key].kind,
    list,
    required,
    ...(filled && { filled }),
    ...(rules === undefined ? {} : { rules }),
    ...(search === undefined ? {} : { search }),
    ...(instant && { instant }),
    ...(untranslated && key !== 'langcode' && { untranslated }),
  };
}

/** A field or a property of this type, in these objects. */
export function describePart(key: string, type: z.core.$ZodType, outer: Outer = [], name = key) {
  const rules = rulesOf(type);
  const { boost } = searchMetaOf(type);
  const described = {
    ...(Object.keys(rules).length === 0 ? {} : { rules }),
    ...(boost === undefined ? {} : { search: boost }),
    ...(isUntranslated(type) && { untranslated: true as const }),
    ...(hasDefault(type) && { filled: true as const }),
  };
  return {
    name,
    key,
    required: !acceptsMissing(type),
    base: false,
    ...describeType(type, outer),
    ...described,
  };
}

/** True if the type accepts a missing value. Values that coercion creates (`"undefined"`, the year 1970) do not count. */
export function acceptsMissing(type: z.core.$ZodType): boolean {
  if (type._zod.optin !== undefined) return true;
  try {
    return z.safeParse(type, null).data === null;
  } catch {
    // A custom check that expects a value.
    return false;
  }
}

function hasDefault(type: z.core.$ZodType): boolean {
  if (type._zod.optin === undefined) return false;
  try {
    return (z.safeParse(type, undefined).data ?? null) !== null;
  } catch {
    return false;
  }
}

/** A test that accepts values only if the type accepts them unchanged. Types with checks leave all values to zod. */
function quickTest(type: z.core.$ZodType): DeclaredField['isPlain'] {
  const { def } = (type as z.core.$ZodTypes)._zod;
  if (def.checks?.length || 'format' in def || ('coerce' in def && def.coerce)) return () => false;
  const wrapped = wrappedType(type);
  if (wrapped !== undefined) return quickTest(wrapped);
  if (def.type === 'boolean') return (value) => typeof value === 'boolean';
  if (def.type === 'array') {
    const isPlainItem = quickTest(def.element);
    return (value) => Array.isArray(value) && value.every(isPlainItem);
  }
  const brand = fieldBrandOf(type)?.kind;
  return def.type === 'string' || (brand !== undefined && brand !== 'decimal')
    ? (value) => typeof value === 'string' && value !== ''
    : () => false;
}

/**
 * The shape of a zod type without its wrappers, in these objects. Shapes that no field kind describes are `json`, such as
 * an object that contains itself.
 */
function describeType(type: z.core.$ZodType, outer: Outer): Shape {
  const brand = fieldBrandOf(type);
  if (brand !== undefined) {
    const targets = brand.targets.map((target) => resourceTypeName(target) ?? target);
    const properties = brand.kind === 'image' || brand.kind === 'file' ? FILE_PROPERTIES : NO_PROPERTIES;
    return { kind: brand.kind, list: false, targets, properties };
  }
  const wrapped = wrappedType(type);
  if (wrapped !== undefined) return describeType(wrapped, outer);
  const { def } = (type as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'pipe': {
      if (isTransform(def.out)) return describeType(def.in, outer);
      const { instant, ...shape } = describeType(def.out, outer);
      const takesDate = isTransform(def.in) || describeType(def.in, outer).instant;
      return { ...shape, ...(instant && takesDate && { instant }) };
    }
    case 'lazy':
      return single('json');
    case 'array': {
      const item = describeType(def.element, outer);
      return item.list ? single('json') : { ...item, list: true };
    }
    case 'string':
      return single(STRING_FORMATS[formatOf(type)] ?? 'string');
    case 'number':
      return single(INTEGER_FORMATS.has(formatOf(type)) ? 'integer' : 'number');
    case 'boolean':
      return single('boolean');
    case 'date':
      return { ...single('datetime'), instant: true };
    case 'template_literal':
      return single('string');
    case 'enum':
      return single(kindOfValues(Object.values(def.entries)));
    case 'literal':
      return single(kindOfValues(def.values));
    case 'union':
      return describeUnion(def.options, outer);
    case 'object': {
      const around = objectsAround(type, outer);
      if (around === undefined) return single('json');
      return { ...single('object'), properties: describeProperties(def.shape, around) };
    }
    default:
      return single('json');
  }
}

/** True for a function of `.transform()` or `z.preprocess()`, whose result has no declared type. */
const isTransform = (type: z.core.$ZodType) => type._zod.def.type === 'transform';

function describeProperties(
  shape: Readonly<Record<string, z.core.$ZodType>>,
  outer: Outer,
): Shape['properties'] {
  const properties = Object.create(null) as Record<string, FieldDefinition>;
  for (const [name, type] of Object.entries(shape)) {
    properties[name] = describePart(name, type, outer);
  }
  return properties;
}

/**
 * The common kind of all options, as for `z.union([z.literal('a'), z.literal('b')])`. A list or a single item is a list:
 * `z.union([z.array(z.string()), z.string()])`.
 */
function describeUnion(options: readonly z.core.$ZodType[], outer: Outer): Shape {
  const shapes = options.map((option) => describeType(option, outer));
  const [first, second, third] = shapes;
  if (first?.list === true && second?.list === false && third === undefined) {
    return JSON.stringify({ ...second, list: true }) === JSON.stringify(first) ? first : single('json');
  }
  const scalars = shapes.filter((shape) => SCALARS.has(shape.kind) && !shape.list);
  const objects = shapes.filter((shape) => shape.kind === 'object' && !shape.list);
  const [object] = objects;
  if (object !== undefined && objects.length === 1 && scalars.length === shapes.length - 1) {
    const kinds = new Set(scalars.map(({ kind }) => kind));
    const [kind = 'string'] = kinds.size === 1 ? kinds : [];
    return shapes.length === 1 ? object : mixedShape(kind, object.properties);
  }
  const plain = first !== undefined && !first.list && first.kind !== 'object' && first.kind !== 'reference';
  if (plain && shapes.every((shape) => shape.kind === first.kind && !shape.list)) return first;
  if (shapes.every(({ kind, list, instant }) => (kind === 'string' && !list) || instant === true)) {
    return { ...mixedShape('string', {}), instant: true };
  }
  return { ...single('json'), ...(shapes.some(({ instant }) => instant) && { instant: true }) };
}

function kindOfValues(values: readonly unknown[]): FieldKind {
  const present = values.filter((value) => value !== null && value !== undefined);
  if (present.every((value) => typeof value === 'string')) return 'string';
  if (present.every((value) => typeof value === 'number')) {
    return present.every(Number.isSafeInteger) ? 'integer' : 'number';
  }
  return present.every((value) => typeof value === 'boolean') ? 'boolean' : 'json';
}

/** `date` of `z.iso.date()`, `safeint` of `z.int()` and `z.number().int()`; empty for none. */
function formatOf(type: z.core.$ZodType): string {
  return 'format' in type && typeof type.format === 'string' ? type.format : '';
}

function single(kind: FieldKind): Shape {
  return { kind, list: false, targets: [], properties: NO_PROPERTIES };
}

const STRING_FORMATS: Readonly<Record<string, FieldKind>> = { date: 'date', datetime: 'datetime' };
const INTEGER_FORMATS: ReadonlySet<string> = new Set(['safeint', 'int32', 'uint32']);
const NO_PROPERTIES: Readonly<Record<string, FieldDefinition>> = Object.freeze(Object.create(null));

const SCALARS: ReadonlySet<FieldKind> = new Set(['string', 'integer', 'number', 'boolean']);

type Outer = readonly z.core.$ZodType[];
type Shape = Pick<FieldDefinition, 'kind' | 'list' | 'targets' | 'properties' | 'instant' | 'scalar'>;
