import type { z } from 'zod';
import type { JsonValue } from '../../util/json.ts';
import { fieldBrandOf } from './schema.ts';

/** Whether a type takes a value as it is. False may also mean that nobody but the type itself can tell. */
export type PlainTest = (value: JsonValue) => boolean;

/**
 * Most values are texts, numbers and lists of these in fields that ask for nothing else. For such a type, a test that
 * takes a tenth of the time of its `safeParse`; undefined for every type that checks or changes anything more.
 */
export function plainTest(type: z.core.$ZodType): PlainTest | undefined {
  const { def } = (type as z.core.$ZodTypes)._zod;
  if (def.checks !== undefined && def.checks.length > 0) return undefined;
  switch (def.type) {
    case 'string':
      return says(def, ['type']) ? isText : undefined;
    case 'boolean':
      return says(def, ['type']) ? isBoolean : undefined;
    case 'number':
      return says(def, ['type', 'check', 'format', 'abort']) ? INTEGER_TESTS[formatOf(def)] : undefined;
    case 'custom':
      return fieldBrandOf(type)?.kind === 'reference' ? isFilledText : undefined;
    case 'optional':
    case 'nullable':
    case 'default':
      return plainTest(def.innerType);
    case 'array': {
      const item = plainTest(def.element);
      return item && ((value) => Array.isArray(value) && (value as readonly JsonValue[]).every(item));
    }
    default:
      return undefined;
  }
}

/** Whether nothing but this is said of the type, besides how its errors are worded. */
function says(def: object, names: readonly string[]): boolean {
  return Object.entries(def).every(
    ([name, value]) =>
      names.includes(name) || name === 'error' || name === 'checks' || value === undefined || value === false,
  );
}

function formatOf(def: object): string {
  return 'format' in def ? String(def.format) : '';
}

const isText: PlainTest = (value) => typeof value === 'string';
const isFilledText: PlainTest = (value) => typeof value === 'string' && value !== '';
const isBoolean: PlainTest = (value) => typeof value === 'boolean';
const INTEGER_TESTS: Readonly<Record<string, PlainTest>> = {
  '': Number.isFinite,
  safeint: Number.isSafeInteger,
};
