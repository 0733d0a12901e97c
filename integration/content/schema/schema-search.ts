import { z } from 'zod';
import { wrappedType } from './wrapped-type.ts';

/** What `.meta({ search })` of a zod type says: how much a word counts, 0 for a field that is left out. */
export interface SearchMeta {
  /** Undefined where nothing is said. */
  readonly boost: number | undefined;
  /** Whether what is said means nothing. */
  readonly invalid: boolean;
}

/** Looks through wrappers and lists, the outermost word wins. */
export function searchMetaOf(type: z.core.$ZodType): SearchMeta {
  const said: unknown = z.globalRegistry.get(type)?.search;
  if (said !== undefined) {
    const { data, success } = searchSchema.safeParse(said);
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
