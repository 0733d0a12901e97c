import { defineSchema, type FieldMeta, z } from '../../integration/schema.ts';

/** Keys of `.meta()` that forms use have types. */
export const schema = defineSchema({
  page: {
    a: z.string().meta({
      label: { en: 'Name', de: 'Name' },
      help: 'A sentence.',
      placeholder: 'Jane',
      group: 'People',
      order: -1,
      width: 'half',
      widget: 'color',
      when: { field: 'b', in: ['x', 'y'] },
    }),
    b: z.enum(['x', 'y']).meta({ choices: { x: 'X' }, widget: 'star-rating' }),
    // @ts-expect-error A quarter is not a valid width.
    c: z.string().meta({ width: 'quarter' }),
    // @ts-expect-error A condition has a test.
    d: z.string().meta({ when: { field: 'a' } }),
    // @ts-expect-error A text is a string, or strings by language.
    e: z.string().meta({ label: 3 }),
    // @ts-expect-error Elements of a site have a hyphen in their names.
    g: z.string().meta({ widget: 'colour' }),
    // Other keys stay free.
    f: z.string().meta({ mine: true }),
  },
});

export const meta: FieldMeta = { group: { en: 'Look' } };
