import { z } from 'zod';
import type { FieldRules } from '../model.ts';

/**
 * The keywords of JSON Schema that hold for every value of a zod type that the API can return. The output of a
 * transformation is unknown.
 */
export function rulesOf(type: z.core.$ZodType): FieldRules {
  const own = notes(type);
  const wrapped = wrappedType(type);
  if (wrapped !== undefined) return { ...rulesOf(wrapped), ...own };
  const { def } = (type as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'pipe':
      return { ...own, open: true };
    case 'array':
      return { ...rulesOf(def.element), ...own };
    case 'enum':
      return { ...valuesRule(Object.values(def.entries)), ...own };
    case 'literal':
      return { ...valuesRule(def.values), ...own };
    case 'union': {
      const options = def.options.map(rulesOf);
      const closed = options.every((option) => option.enum !== undefined);
      return { ...(closed ? valuesRule(options.flatMap((option) => option.enum ?? [])) : {}), ...own };
    }
    case 'string':
    case 'number':
      return { ...(changesValues(type) ? {} : checksOf(type)), ...own };
    default:
      return own;
  }
}

/** `.describe()` and `.meta()`. */
function notes(type: z.core.$ZodType): FieldRules {
  const { title, description } = z.globalRegistry.get(type) ?? {};
  return { ...(title === undefined ? {} : { title }), ...(description === undefined ? {} : { description }) };
}

/** No rule for an empty list: null is not a value, and values that are not JSON have checks of their own. */
function valuesRule(values: readonly unknown[]): FieldRules {
  const present = values.filter(
    (value) => typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean',
  );
  return present.length === 0 ? {} : { enum: [...new Set(present)] };
}

/** True if a check such as `.trim()` changes values, because then the other checks may see other values. */
function changesValues(type: z.core.$ZodType): boolean {
  return type._zod.def.checks?.some((check) => check._zod.def.check === 'overwrite') === true;
}

function checksOf(type: z.core.$ZodType): FieldRules {
  const schema = z.toJSONSchema(type, { unrepresentable: 'any' });
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const { format, pattern, minLength, maxLength } = schema;
  const isPortableFormat = format !== undefined && FORMATS.has(format);
  return Object.fromEntries(
    Object.entries({
      minimum: bound(minimum),
      maximum: bound(maximum),
      exclusiveMinimum,
      exclusiveMaximum,
      multipleOf,
      format: isPortableFormat ? format : undefined,
      pattern: format === undefined && isPortable(type) ? pattern : undefined,
      // zod counts UTF-16 units, JSON Schema counts characters, which may be fewer.
      minLength: minLength === undefined ? undefined : Math.ceil(minLength / 2),
      maxLength,
    }).filter(([, value]) => value !== undefined),
  );
}

/** Ignores the bounds that `z.int()` has by itself. */
function bound(value: number | undefined): number | undefined {
  return value === undefined || Math.abs(value) === Number.MAX_SAFE_INTEGER ? undefined : value;
}

/** True if all patterns mean the same without their flags. */
function isPortable(type: z.core.$ZodType): boolean {
  return (type._zod.def.checks ?? []).every(({ _zod: { def } }) => {
    const pattern = 'pattern' in def ? def.pattern : undefined;
    return !(pattern instanceof RegExp) || /^[gyuv]*$/.test(pattern.flags);
  });
}

/** Formats that zod and JSON Schema define the same way. */
const FORMATS: ReadonlySet<string> = new Set(['email', 'uuid', 'uri', 'ipv4', 'ipv6', 'date', 'date-time']);

/** `.meta({ search })` of a zod type: the weight of a word, 0 for a field that is not searched. */
export interface SearchMeta {
  /** Undefined without `search`. */
  readonly boost: number | undefined;
  /** True if the value of `search` is invalid. */
  readonly invalid: boolean;
}

/** Looks through wrappers and lists; the outermost `search` wins. */
export function searchMetaOf(type: z.core.$ZodType): SearchMeta {
  const search: unknown = z.globalRegistry.get(type)?.search;
  if (search !== undefined) {
    const { data, success } = searchSchema.safeParse(search);
    if (!success) return { boost: undefined, invalid: true };
    return { boost: data === false ? 0 : data.boost, invalid: false };
  }
  const wrapped = wrappedType(type);
  if (wrapped !== undefined) return searchMetaOf(wrapped);
  const { def } = (type as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'pipe':
      return searchMetaOf(def.in);
    case 'array':
      return searchMetaOf(def.element);
    default:
      return { boost: undefined, invalid: false };
  }
}

const searchSchema = z.union([
  z.literal(false),
  z.strictObject({ boost: z.number().positive().max(1000).optional() }),
]);

/** The type inside a wrapper such as `.nullish()`, which does not change the kind; else undefined. */
export function wrappedType(type: z.core.$ZodType): z.core.$ZodType | undefined {
  const { def } = (type as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'nonoptional':
    case 'readonly':
    case 'catch':
      return def.innerType;
    default:
      return undefined;
  }
}

/**
 * The objects around the properties of an object, which is the last of them; undefined if the object contains itself, or
 * if it is nested deeper than `MAX_OBJECT_DEPTH`, because a getter may return a new type each time.
 */
export function objectsAround(
  object: z.core.$ZodType,
  outer: readonly z.core.$ZodType[],
): readonly z.core.$ZodType[] | undefined {
  return outer.length === MAX_OBJECT_DEPTH || outer.includes(object) ? undefined : [...outer, object];
}

export const MAX_OBJECT_DEPTH = 12;
