import { z } from 'zod';

/** A text in every language, or one for each language of the interface: `{ en: 'Summary', de: 'Kurzfassung' }`. */
export type LocalText = string | Readonly<Record<string, string>>;

/** Shows an input if another field has a value. In an object, its own properties come before the fields of the entry. */
export type Condition = { readonly field: string } & (
  | { readonly is: string | number | boolean }
  | { readonly not: string | number | boolean }
  | { readonly in: readonly (string | number | boolean)[] }
  /** True if the other field has any value, false if it is empty. */
  | { readonly set: boolean }
);

/** Inputs of the admin that a field can ask for. */
export const WIDGETS = [
  'textarea',
  'code',
  'color',
  'location',
  'slug',
  'key-value',
  'tags',
  'tree',
  'json',
] as const;

export type Widget = (typeof WIDGETS)[number];

/** How the forms of the admin show a field, a property of an object, or a variant of a union: `.meta({ … })` of its type. */
export interface FieldMeta {
  /** Default: the name of the field as words. */
  readonly label?: LocalText | undefined;
  /** A sentence below the label. Default: `.describe()`. */
  readonly help?: LocalText | undefined;
  /** An example in an empty input. */
  readonly placeholder?: LocalText | undefined;
  /** The heading of the section that contains the field. Fields without one come before all sections. */
  readonly group?: LocalText | undefined;
  /** Fields with a smaller number come first. Default: 0. */
  readonly order?: number | undefined;
  /** Part of the row, on wide screens. Default: the whole row. */
  readonly width?: 'half' | 'third' | undefined;
  /** The name of an input, or of one in option `editing.widgets`. Default: the input of the type. */
  readonly widget?: Widget | `${string}-${string}` | undefined;
  /** Hides the input unless the condition holds. A hidden value stays as it is. */
  readonly when?: Condition | undefined;
  /** Of a variant in a list of blocks: the name of an icon, or an emoji. */
  readonly icon?: string | undefined;
  /** Names of the choices of an enum, by value. */
  readonly choices?: Readonly<Record<string, LocalText>> | undefined;
  /** Of `widget: 'code'`: the language of the text. */
  readonly language?: string | undefined;
}

declare module 'zod/v4/core' {
  interface GlobalMeta extends FieldMeta {}
}

const scalar = z.union([z.string(), z.number(), z.boolean()]);
const localText = z.union([z.string(), z.record(z.string(), z.string())]);

/** The error of a key completes the sentence "… needs". */
export const FIELD_META = {
  label: { type: localText, needs: 'a string, or an object with a string for each language' },
  help: { type: localText, needs: 'a string, or an object with a string for each language' },
  placeholder: { type: localText, needs: 'a string, or an object with a string for each language' },
  group: { type: localText, needs: 'a string, or an object with a string for each language' },
  order: { type: z.number(), needs: 'a number' },
  width: { type: z.enum(['half', 'third']), needs: "'half' or 'third'" },
  widget: { type: z.string(), needs: 'the name of a widget' },
  when: {
    type: z.union([
      z.strictObject({ field: z.string(), is: scalar }),
      z.strictObject({ field: z.string(), not: scalar }),
      z.strictObject({ field: z.string(), in: z.array(scalar) }),
      z.strictObject({ field: z.string(), set: z.boolean() }),
    ]),
    needs: "{ field: '…' } with one of is, not, in and set",
  },
  icon: { type: z.string(), needs: 'a string' },
  choices: { type: z.record(z.string(), localText), needs: 'an object with a text for each value' },
  language: { type: z.string(), needs: 'a string' },
} satisfies { readonly [Key in keyof FieldMeta]-?: { readonly type: z.ZodType; readonly needs: string } };
