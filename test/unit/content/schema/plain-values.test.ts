import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainTest } from '../../../../integration/content/schema/plain-values.ts';
import { decimal, image, reference, z } from '../../../../integration/schema.ts';

const PLAIN: Readonly<Record<string, z.ZodType>> = {
  text: z.string(),
  'text with another message': z.string('Write something'),
  'text with a description': z
    .string()
    .describe('What it is')
    .meta({ search: { boost: 2 } }),
  boolean: z.boolean(),
  number: z.number(),
  integer: z.int(),
  reference: reference('person'),
  'reference or nothing': reference(['person', 'tag']).nullish(),
  'list of references': z.array(reference('tag')).default([]),
  'list of lists': z.array(z.array(z.int())),
  'text by default': z.string().default('none'),
};
const OTHERS: Readonly<Record<string, z.ZodType>> = {
  'text with a check': z.string().min(3),
  'text that is changed': z.string().trim(),
  'text that is made': z.coerce.string(),
  'number that is made': z.coerce.number(),
  'number with a check': z.number().positive(),
  'integer with a check': z.int().max(4),
  'integer of 32 bits': z.int32(),
  'a format': z.email(),
  'a day': z.iso.date(),
  'a list of some length': z.array(z.string()).min(1),
  'a reference with a check': reference('person').refine((value) => value !== 'jane'),
  'a decimal': decimal(),
  'an image': image(),
  'a check of its own': z.custom((value) => value === 1),
  'a transformation': z.string().transform((value) => value.length),
  'what is caught': z.string().catch('none'),
  'one of several': z.union([z.string(), z.number()]),
  'a choice': z.enum(['a', 'b']),
  'a map': z.object({ a: z.string() }),
  'what is looked at later': z.lazy(() => z.string()),
  'a preprocessed text': z.preprocess((value) => String(value), z.string()),
};
const values = fc.oneof(
  fc.constantFrom(
    null,
    true,
    false,
    '',
    'jane',
    'person/jane',
    0,
    1,
    -4,
    1.5,
    2 ** 40,
    2 ** 60,
    Number.MAX_VALUE,
  ),
  fc.jsonValue(),
  fc.array(fc.constantFrom('a', '', 'person/jane', 3, 2.5, null)),
);

describe('values that a type takes as they are', () => {
  it.each(Object.entries(PLAIN))('are those that zod takes: %s', (_name, type) => {
    const test = plainTest(type);
    expect(test).toBeDefined();
    fc.assert(
      fc.property(values, (value) => {
        if (test?.(value as never) !== true) return;
        const { success, data } = type.safeParse(value);
        expect([success, data]).toEqual([true, value]);
      }),
    );
  });

  it.each([
    ['text', 'jane'],
    ['integer', 3],
    ['reference or nothing', 'person/jane'],
    ['list of references', ['a', 'b']],
    ['list of lists', [[1], []]],
  ])('are told without zod: %s', (name, value) => {
    expect(plainTest(PLAIN[name]!)?.(value as never)).toBe(true);
  });

  it.each(Object.entries(OTHERS))('are known to nobody but the type: %s', (_name, type) => {
    expect(plainTest(type)).toBeUndefined();
  });
});
