import { z } from 'zod';
import type { FieldRules } from '../model.ts';
import { wrappedType } from './wrapped-type.ts';

/**
 * What a zod type says of each value besides its kind, as keywords of JSON Schema: only such as hold for every value
 * that the API can answer. Nothing is known of what a transformation makes.
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

/** An empty list says nothing: null is not a value, and anything that is not JSON is told by the content's checks. */
function valuesRule(values: readonly unknown[]): FieldRules {
  const present = values.filter(
    (value) => typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean',
  );
  return present.length === 0 ? {} : { enum: [...new Set(present)] };
}

/** Checks such as `.trim()` come in any order among the others, which then hold for other values. */
function changesValues(type: z.core.$ZodType): boolean {
  return type._zod.def.checks?.some((check) => check._zod.def.check === 'overwrite') === true;
}

function checksOf(type: z.core.$ZodType): FieldRules {
  const schema = z.toJSONSchema(type, { unrepresentable: 'any' });
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const { format, pattern, minLength, maxLength } = schema;
  const known = format !== undefined && FORMATS.has(format);
  return Object.fromEntries(
    Object.entries({
      minimum: bound(minimum),
      maximum: bound(maximum),
      exclusiveMinimum,
      exclusiveMaximum,
      multipleOf,
      format: known ? format : undefined,
      pattern: format === undefined && isPortable(type) ? pattern : undefined,
      // zod counts UTF-16 units, JSON Schema characters: of these there may be fewer.
      minLength: minLength === undefined ? undefined : Math.ceil(minLength / 2),
      maxLength,
    }).filter(([, value]) => value !== undefined),
  );
}

/** The bounds of `z.int()` itself say nothing. */
function bound(value: number | undefined): number | undefined {
  return value === undefined || Math.abs(value) === Number.MAX_SAFE_INTEGER ? undefined : value;
}

/** Whether all patterns mean the same without their flags. */
function isPortable(type: z.core.$ZodType): boolean {
  return (type._zod.def.checks ?? []).every(({ _zod: { def } }) => {
    const pattern = 'pattern' in def ? def.pattern : undefined;
    return !(pattern instanceof RegExp) || /^[gyuv]*$/.test(pattern.flags);
  });
}

/** Those that zod and JSON Schema take for the same. */
const FORMATS: ReadonlySet<string> = new Set(['email', 'uuid', 'uri', 'ipv4', 'ipv6', 'date', 'date-time']);
