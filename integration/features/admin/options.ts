import { z } from 'zod';
import type { EditingFields, OptionFields } from '../../core/options/options.ts';
import { WIDGETS } from './field-meta.ts';

/** An image below `public/`. */
const IMAGE_PATH = /^\/(?!\/)[^\s\\?#]+\.(?:svg|png|webp|avif|jpe?g|gif)$/i;

declare module '../../core/options/options.ts' {
  interface EditingOptions {
    /** Name and logo of the site in the admin and on the sign-in page. Default: those of the admin. */
    readonly brand?: BrandOptions | undefined;
    /** Bundles with exactly one entry, such as the settings of a site. The admin shows their form, not a list. Default: none. */
    readonly single?: readonly string[] | undefined;
    /** Inputs of the site, by the name of their custom element: paths of modules in `public/`. Default: none. */
    readonly widgets?: Readonly<Record<string, string>> | undefined;
  }
  interface Editing {
    brand?: Brand | undefined;
    widgets?: Readonly<Record<string, string>> | undefined;
    single: readonly string[];
    /** What the admin says about deletions. */
    bin: boolean;
  }
  interface JsonapiOptions {
    /** Query explorer at `/jsonapi-explorer`: in `astro dev` only, always, or never. Default: `'dev'`. */
    readonly explorer?: 'dev' | boolean | undefined;
  }
  interface Options {
    explorer: 'dev' | boolean;
  }
}

/** Option `editing.brand`. */
export interface Brand {
  readonly name: string;
  /** Paths in `public/`. */
  readonly logo?: { readonly light: string; readonly dark: string } | undefined;
}

export interface BrandOptions {
  readonly name: string;
  /** Paths of images in `public/`. */
  readonly logo?: string | { readonly light: string; readonly dark: string } | undefined;
}

const imagePath = z.string().regex(IMAGE_PATH).describe("a path in public/ such as '/logo.svg'");

const brand = z.strictObject({
  name: z.string().trim().min(1).max(60).describe('a text of at most 60 characters'),
  logo: z
    .union([
      imagePath.transform((path) => ({ light: path, dark: path })),
      z.strictObject({ light: imagePath, dark: imagePath }),
    ])
    .describe("a path in public/ such as '/logo.svg', or { light: '/logo.svg', dark: '/logo-dark.svg' }")
    .optional(),
});

/** A name that browsers accept for a custom element, and that is not one of ours. */
const elementName = z
  .string()
  .regex(/^[a-z][a-z0-9]*(?:-[a-z0-9]+)+$/)
  .refine((name) => !WIDGETS.some((widget) => widget === name))
  .describe("the name of a custom element, such as 'star-rating'");

const modulePath = z
  .string()
  .regex(/^\/(?!\/)[^\s\\?#]+\.m?js$/)
  .describe("a path in public/ such as '/widgets/star-rating.js'");

export const ADMIN_OPTIONS = {
  editing: {
    widgets: z
      .record(elementName, modulePath)
      .describe("modules in public/ by custom element, such as { 'star-rating': '/star-rating.js' }")
      .optional(),
    single: z
      .array(z.string().min(1))
      .describe("a list of bundles with one entry, such as ['settings']")
      .default([]),
    brand: brand.describe("{ name, logo }, such as { name: 'The Shore', logo: '/logo.svg' }").optional(),
  },
  explorer: z
    .union([z.literal('dev'), z.boolean()])
    .describe("'dev' (in `astro dev` only), true (in production too) or false")
    .default('dev'),
} satisfies OptionFields<'explorer'> & { editing: EditingFields<'brand' | 'widgets' | 'single'> };
