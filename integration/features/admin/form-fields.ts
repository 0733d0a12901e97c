import { z } from 'zod';
import type { FieldDefinition, FieldKind, ResourceType } from '../../core/content/model.ts';
import { declarationOf, describePart } from '../../core/content/schema/schema-fields.ts';
import { wrappedType } from '../../core/content/schema/schema-rules.ts';
import { type Diagnostic, problem } from '../../core/source/diagnostic.ts';
import { closestName } from '../../core/util/closest-name.ts';
import { type Condition, FIELD_META, type FieldMeta, type LocalText, WIDGETS } from './field-meta.ts';

/** A field, a property of an object, or a value of a record, as forms show it. Members with their usual value are absent. */
export interface FieldPart {
  readonly name: string;
  readonly kind: FieldKind;
  readonly list?: true;
  /** Resource types of a reference. */
  readonly targets?: readonly string[];
  readonly properties?: readonly FieldPart[];
  /** True if the schema requires a value. */
  readonly required?: true;
  readonly label?: LocalText;
  readonly description?: LocalText;
  readonly placeholder?: LocalText;
  readonly choices?: readonly (string | number | boolean)[];
  /** Names of choices, by value. */
  readonly choiceLabels?: Readonly<Record<string, LocalText>>;
  readonly group?: LocalText;
  readonly order?: number;
  /** The place of the field in the schema. */
  readonly at?: number;
  readonly width?: 'half' | 'third';
  readonly widget?: string;
  /** The language of code. */
  readonly language?: string;
  readonly when?: FormCondition;
  /** Of a union: the property that names the variant. */
  readonly discriminator?: string;
  readonly variants?: readonly FieldVariant[];
  /** Of a record: its values. */
  readonly entries?: FieldPart;
  /** Of an object or a union that contains itself: how many parts up it is. It has the properties and variants of that part. */
  readonly ancestor?: number;
  /** True for a reference or file in JSON, which the API has as it is written in the file. */
  readonly written?: true;
}

export interface FieldVariant {
  readonly value: string | number;
  readonly label?: LocalText;
  readonly description?: LocalText;
  readonly icon?: string;
  /** Without the discriminator. */
  readonly properties: readonly FieldPart[];
}

/** A condition with the public name of a field. `ofEntry` distinguishes fields of the entry from properties beside it. */
export type FormCondition = Condition & { readonly ofEntry?: true };

interface Form {
  /** By public name. */
  readonly parts: ReadonlyMap<string, FieldPart>;
  /** Sentences about `.meta()` of the schema. */
  readonly problems: readonly string[];
  /** The widgets that `.meta()` names, and the subject of a sentence about each. */
  readonly widgets: readonly { readonly subject: string; readonly widget: string }[];
}

/** Mistakes in `.meta()` of a schema, at the start of its file. `custom` are the widgets of the site. */
export function formProblems(
  types: Iterable<ResourceType>,
  custom: readonly string[],
): readonly Diagnostic[] {
  const known = [...WIDGETS, ...custom];
  return [...types].map(formOf).flatMap(({ problems, widgets }) => {
    const unknown = widgets.filter(({ widget }) => !known.includes(widget));
    return [
      ...problems,
      ...unknown.map(({ subject, widget }) => {
        const choices = `Widgets: ${known.join(', ')}. Option editing.widgets adds others.`;
        return `${subject} has an unknown \`widget\`, '${widget}'.${guess(widget, known)} ${choices}`;
      }),
    ].map((message) => ({ ...problem('error', 'schema/invalid', message), key: 'schema.ts' }));
  });
}

function guess(name: string, choices: Iterable<string>): string {
  const near = closestName(name, choices);
  return near === undefined ? '' : ` Did you mean '${near}'?`;
}

/** The form of a bundle. Fields that the schema does not declare have the properties that their values have. */
function formOf(type: ResourceType): Form {
  const known = FORMS.get(type);
  if (known !== undefined) return known;
  const problems: string[] = [];
  const widgets: Form['widgets'][number][] = [];
  const fields = [...type.fields.values()];
  const names = new Map(fields.flatMap(({ key, name }) => [[key, name] as const, [name, name] as const]));
  const subject = (path: Walk['path']) => `\`${path.join('.')}\` of the bundle \`${type.bundle}\``;
  const walk = {
    names,
    siblings: undefined,
    report: (path: Walk['path'], sentence: string) => problems.push(`${subject(path)} ${sentence}`),
    use: (path: Walk['path'], widget: string) => widgets.push({ subject: subject(path), widget }),
    around: [],
  };
  const parts = fields.map((field): readonly [string, FieldPart] => {
    const declaration = declarationOf(field);
    const inner: Walk = { ...walk, path: [field.key], isJson: field.kind === 'json' };
    const part = describe(field, declaration?.type, inner);
    return [field.name, declaration ? { ...part, at: declaration.at } : part];
  });
  const form = { parts: new Map(parts), problems, widgets };
  FORMS.set(type, form);
  return form;
}

/** Types are created again when the schema changes. */
const FORMS = new WeakMap<ResourceType, Form>();

/** The form of a bundle as if it had these fields only. */
export function visibleForm(type: ResourceType, names: ReadonlySet<string>): ReadonlyMap<string, FieldPart> {
  const parts = [...formOf(type).parts.values()].filter(({ name }) => names.has(name));
  const places = parts.flatMap(({ at }) => at ?? []).sort((one, other) => one - other);
  return new Map(
    parts.map(({ at, ...part }) => [
      part.name,
      {
        ...withoutHidden(part, (name) => names.has(name)),
        ...(at !== undefined && { at: places.indexOf(at) }),
      },
    ]),
  );
}

/** The part without conditions on fields of the entry that `isVisible` denies. */
function withoutHidden(part: FieldPart, isVisible: (name: string) => boolean, isField = true): FieldPart {
  const { when, properties, variants, entries, ...rest } = part;
  const inner = (each: FieldPart) => withoutHidden(each, isVisible, false);
  const isShown = when && ((!isField && !when.ofEntry) || isVisible(when.field));
  return {
    ...rest,
    ...(isShown && { when }),
    ...(properties && { properties: properties.map(inner) }),
    ...(entries && { entries: inner(entries) }),
    ...(variants && {
      variants: variants.map((variant) => ({ ...variant, properties: variant.properties.map(inner) })),
    }),
  };
}

interface Walk {
  /** Public names of the fields of the entry, also by key. */
  readonly names: ReadonlyMap<string, string>;
  /** Names of the properties beside; undefined for a field. */
  readonly siblings: ReadonlySet<string> | undefined;
  readonly report: (path: readonly string[], sentence: string) => void;
  readonly use: (path: readonly string[], widget: string) => void;
  readonly path: readonly string[];
  /** The types of the objects and unions around. */
  readonly around: readonly z.core.$ZodType[];
  readonly isJson: boolean;
}

function describe(field: FieldDefinition, type: z.core.$ZodType | undefined, walk: Walk): FieldPart {
  const { name, kind, list, targets, required, rules = {} } = field;
  const meta = type === undefined ? {} : readMeta(type, walk);
  const isFile = kind === 'reference' || kind === 'image' || kind === 'file';
  const { placeholder, group, order, width, widget, language, choices: choiceLabels, when } = meta;
  const part: FieldPart = {
    name,
    kind,
    ...defined({
      ...{ placeholder, group, order, width, widget, language },
      list: list || undefined,
      required: required || undefined,
      targets: targets.length === 0 ? undefined : targets,
      label: meta.label ?? rules.title,
      description: meta.help ?? rules.description,
      choices: rules.enum,
      choiceLabels,
      when: when && resolve(when, walk),
      written: (walk.isJson && isFile) || undefined,
    }),
  };
  const shape = type && shapeOf(type);
  if (shape === undefined) {
    const properties = Object.values(field.properties);
    if (properties.length === 0) return part;
    return { ...part, properties: properties.map((property) => describe(property, undefined, walk)) };
  }
  // An object that contains itself is JSON in the API.
  const isObject = (shape as z.core.$ZodTypes)._zod.def.type === 'object';
  const at = walk.around.indexOf(shape);
  if (at === -1 && walk.around.length === MAX_DEPTH) return part;
  return {
    ...part,
    ...(isObject && { kind: 'object' }),
    ...(at === -1
      ? describeShape(shape as z.core.$ZodTypes, kind, walk)
      : { ancestor: walk.around.length - at }),
  };
}

/** The parts of an object, a union of objects or a record. */
function describeShape(shape: z.core.$ZodTypes, kind: FieldKind, walk: Walk): Partial<FieldPart> {
  const { def } = shape._zod;
  const around = [...walk.around, shape];
  if (def.type === 'record') {
    const inner = { ...walk, around, isJson: true, path: [...walk.path, '*'] };
    return { entries: describe(describePart('value', def.valueType), def.valueType, inner) };
  }
  if (def.type === 'object') return { properties: describeObject(def.shape, { ...walk, around }) };
  if (def.type !== 'union') return {};
  const variants = variantsOf(shape);
  if (variants === undefined) return {};
  const { discriminator, options } = variants;
  const isJson = walk.isJson || kind !== 'object';
  return {
    discriminator,
    variants: options.map(({ value, option, shape: { [discriminator]: _, ...properties } }) => {
      const path = [...walk.path, String(value)];
      const { label, help, icon } = readMeta(option, { ...walk, path });
      const { title, description } = z.globalRegistry.get(option) ?? {};
      return {
        value,
        ...defined({ label: label ?? title, description: help ?? description, icon }),
        properties: describeObject(properties, { ...walk, around, path, isJson }, [discriminator]),
      };
    }),
  };
}

function describeObject(
  shape: Readonly<Record<string, z.core.$ZodType>>,
  walk: Walk,
  others: readonly string[] = [],
): readonly FieldPart[] {
  const siblings = new Set([...Object.keys(shape), ...others]);
  return Object.entries(shape).map(([name, type]) => {
    const inner = { ...walk, siblings, path: [...walk.path, name] };
    // A getter of `z.lazy()` returns the type that it stands for.
    const actual = withoutLazy(type);
    return describe(describePart(name, actual), actual, inner);
  });
}

function withoutLazy(type: z.core.$ZodType): z.core.$ZodType {
  const { def } = (type as z.core.$ZodTypes)._zod;
  return def.type === 'lazy' ? withoutLazy(def.getter()) : type;
}

/** The object, union of objects or record in a type, or of its items; undefined for other types. */
function shapeOf(type: z.core.$ZodType, isItem = false): z.core.$ZodType | undefined {
  const wrapped = wrappedType(type);
  if (wrapped !== undefined) return shapeOf(wrapped, isItem);
  const { def } = (type as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'lazy':
      return shapeOf(def.getter(), isItem);
    case 'pipe':
      return shapeOf(def.out._zod.def.type === 'transform' ? def.in : def.out, isItem);
    case 'array':
      return isItem ? undefined : shapeOf(def.element, true);
    case 'object':
      return type;
    case 'record':
      return isTextKey(def.keyType) ? type : undefined;
    case 'union':
      return variantsOf(type) && type;
    default:
      return undefined;
  }
}

function isTextKey(type: z.core.$ZodType): boolean {
  const { def } = (type as z.core.$ZodTypes)._zod;
  return def.type === 'string' || def.type === 'enum';
}

interface Option {
  readonly value: string | number;
  readonly option: z.core.$ZodType;
  readonly shape: Readonly<Record<string, z.core.$ZodType>>;
}

/** The variants of a union whose options are objects with another literal each in the same property. */
function variantsOf(
  union: z.core.$ZodType,
): { readonly discriminator: string; readonly options: readonly Option[] } | undefined {
  const objects = objectsIn(union);
  const [first] = objects ?? [];
  if (objects === undefined || first === undefined) return undefined;
  const discriminator = Object.keys(first.shape).find((name) => {
    const values = objects.flatMap(({ shape }) => literalsOf(shape[name]));
    return (
      new Set(values).size === values.length &&
      objects.every(({ shape }) => literalsOf(shape[name]).length > 0)
    );
  });
  if (discriminator === undefined) return undefined;
  return {
    discriminator,
    options: objects.flatMap(({ option, shape }) =>
      literalsOf(shape[discriminator]).map((value) => ({ value, option, shape })),
    ),
  };
}

function objectsIn(type: z.core.$ZodType): readonly Omit<Option, 'value'>[] | undefined {
  const wrapped = wrappedType(type);
  if (wrapped !== undefined) return objectsIn(wrapped);
  const { def } = (type as z.core.$ZodTypes)._zod;
  if (def.type === 'lazy') return objectsIn(def.getter());
  if (def.type === 'object') return [{ option: type, shape: def.shape }];
  if (def.type !== 'union') return undefined;
  const all = def.options.map(objectsIn);
  return all.every((objects) => objects !== undefined) ? all.flat() : undefined;
}

function literalsOf(type: z.core.$ZodType | undefined): readonly (string | number)[] {
  const def = type && (type as z.core.$ZodTypes)._zod.def;
  const values: readonly unknown[] =
    def?.type === 'literal' ? def.values : def?.type === 'enum' ? Object.values(def.entries) : [];
  return values.filter((value) => typeof value === 'string' || typeof value === 'number');
}

/** `.meta()` of a type and of the types it wraps; the outermost wins. */
function readMeta(type: z.core.$ZodType, walk: Walk): FieldMeta {
  const meta: Record<string, unknown> = {};
  const own = z.globalRegistry.get(type) ?? {};
  for (const [name, { type: shape, needs }] of Object.entries(FIELD_META)) {
    const value = own[name];
    if (value === undefined) continue;
    if (shape.safeParse(value).success) meta[name] = value;
    else walk.report(walk.path, `has an invalid \`${name}\`: it needs ${needs}.`);
  }
  const { def } = (type as z.core.$ZodTypes)._zod;
  const inner = wrappedType(type) ?? (def.type === 'pipe' ? def.in : undefined);
  if (typeof meta.widget === 'string') walk.use(walk.path, meta.widget);
  return { ...(inner && readMeta(inner, walk)), ...meta };
}

function resolve(when: Condition, { siblings, names, path, report }: Walk): FormCondition | undefined {
  if (siblings?.has(when.field)) return when;
  const field = names.get(when.field);
  if (field !== undefined) return { ...when, field, ...(siblings && { ofEntry: true as const }) };
  const choices = [...(siblings ?? []), ...names.values()];
  report(path, `has a \`when\` with the unknown field '${when.field}'.${guess(when.field, choices)}`);
  return undefined;
}

type Defined<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

function defined<T extends object>(values: T): Defined<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Defined<T>;
}

/** A getter may return a new type each time. */
const MAX_DEPTH = 12;
