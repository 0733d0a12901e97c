import { z } from 'zod';
import { QUERY_NAME, wholeNumber } from '../../core/options/fields.ts';
import type { OptionFields } from '../../core/options/options.ts';
import type { ImageStyle } from '../../core/read/settings.ts';

declare module '../../core/options/options.ts' {
  interface JsonapiOptions {
    /**
     * Smaller versions of images by name, such as `{ card: { width: 400 } }`, whose addresses are in the links of files.
     * Default: none.
     */
    readonly imageStyles?: Readonly<Record<string, ImageStyleOptions>> | undefined;
  }
  interface Options {
    imageStyles?: Readonly<Record<string, ImageStyle>> | undefined;
  }
}

declare module '../../core/read/settings.ts' {
  interface ImageStyle extends Resizing {}
}

/** The size is at most this width and height, in pixels. At least one of the two is set. */
interface Resizing {
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  /** For both: `cover` crops, `contain` keeps the whole image, `fill` distorts it. */
  readonly fit: (typeof FITS)[number];
  /** The part that `cover` keeps. */
  readonly position?: string | undefined;
  readonly format: (typeof FORMATS)[number];
}

export interface ImageStyleOptions {
  /** Most pixels from left to right. Images are never enlarged. Default: any. */
  readonly width?: number | undefined;
  /** Most pixels from top to bottom. Default: any. */
  readonly height?: number | undefined;
  /**
   * With both: `'cover'` crops the image to their proportions, `'contain'` shows all of it, `'fill'` distorts it. Default:
   * `'cover'`.
   */
  readonly fit?: ImageStyle['fit'] | undefined;
  /** The part that `'cover'` keeps, such as `'top'`, or `'attention'` to find it. Default: `'center'`. */
  readonly position?: (typeof POSITIONS)[number] | undefined;
  /** The format of the resized images. Default: `'webp'`. */
  readonly format?: ImageStyle['format'] | undefined;
  /** From 1 to 100. Default: that of the image service. */
  readonly quality?: number | undefined;
}

const FITS = ['cover', 'contain', 'fill'] as const;
const FORMATS = ['avif', 'jpg', 'png', 'webp'] as const;
/** Source: sharp, `resize`. */
const POSITIONS = [
  ...(['center', 'top', 'right top', 'right', 'right bottom', 'bottom'] as const),
  ...(['left bottom', 'left', 'left top', 'entropy', 'attention'] as const),
] as const;
/** The formats have at least this many pixels in a row. */
const MAX_SIZE = 8192;
/** Names of the other links of a resource. */
const OTHER_LINKS: readonly string[] = ['self', 'related', 'describedby', 'latest-version', 'working-copy'];

const styleSchema = z
  .strictObject({
    width: wholeNumber(1, MAX_SIZE).optional(),
    height: wholeNumber(1, MAX_SIZE).optional(),
    fit: z.enum(FITS).describe(oneOf(FITS)).optional(),
    position: z.enum(POSITIONS).describe(oneOf(POSITIONS)).optional(),
    format: z.enum(FORMATS).describe(oneOf(FORMATS)).default('webp'),
    quality: wholeNumber(1, 100).optional(),
  })
  .superRefine(({ width, height, fit, position }, { addIssue }) => {
    const report = (path: readonly string[], detail: string) =>
      addIssue({ code: 'custom', path: [...path], params: { detail } });
    if (width === undefined && height === undefined) report([], 'set width, height or both.');
    const hasBoth = width !== undefined && height !== undefined;
    if (fit !== undefined && !hasBoth) report(['fit'], 'it needs width and height.');
    if (position !== undefined && (!hasBoth || (fit ?? 'cover') !== 'cover'))
      report(['position'], "it needs width, height and fit 'cover', because only that crops images.");
  })
  .transform(({ fit = 'cover', ...style }) => ({ ...style, fit }))
  .describe("{ width, height, fit, position, format, quality }, such as { width: 400, format: 'avif' }");

export const IMAGE_OPTIONS = {
  imageStyles: z
    .record(
      z
        .string()
        .regex(QUERY_NAME)
        .refine((name) => !OTHER_LINKS.includes(name)),
      styleSchema,
    )
    .describe(
      `styles such as { card: { width: 400 } }, with names of letters, digits, - and _ that no other link has (${OTHER_LINKS.join(', ')})`,
    )
    .optional(),
} satisfies OptionFields<'imageStyles'>;

function oneOf(values: readonly string[]): string {
  return `one of ${values.map((value) => `'${value}'`).join(', ')}`;
}
