import type { z } from 'zod';

/** The type inside of a wrapper that says nothing of the kind of its values, such as `.nullish()`; else undefined. */
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
