import type { FieldValue } from '../core/content/model.ts';

/** The part of an image field's value that `<Image>` needs. */
export interface ImageValue {
  readonly uri: { readonly value: string; readonly url: string };
  readonly width: number | null;
  readonly height: number | null;
  readonly alt: string | null;
  readonly position?: string;
}

/**
 * Properties of Astro's `<Image>`. `I` is an image next to the content, or its import, whose dimensions Astro reads. For
 * other images they come from the content, or Astro infers them.
 */
export type PropsOfImage<I> = { readonly position?: string } & (
  | { readonly src: I; readonly alt: string }
  | { readonly src: string; readonly alt: string; readonly width: number; readonly height: number }
  | { readonly src: string; readonly alt: string; readonly inferSize: true }
);

/** `imported` is undefined for images in `public/` and on other sites. */
export function propsOfImage<I>(
  { uri, width, height, alt, position }: ImageValue,
  imported: I | undefined,
): PropsOfImage<I> {
  const shown = { alt: alt ?? '', ...(position !== undefined && { position }) };
  if (imported !== undefined) return { src: imported, ...shown };
  if (width === null || height === null) return { src: uri.url, ...shown, inferSize: true };
  return { src: uri.url, ...shown, width, height };
}

/** The key of an image in the content folder that Astro can import; undefined for other files. */
export function importableKey(uri: string): string | undefined {
  return uri.startsWith(CONTENT_SCHEME) && IMPORTABLE.test(uri)
    ? uri.slice(CONTENT_SCHEME.length)
    : undefined;
}

const CONTENT_SCHEME = 'content://';
/** Source: `VALID_INPUT_FORMATS` of Astro. */
const IMPORTABLE = /\.(?:avif|apng|gif|jpe?g|png|svg|tiff|webp)$/i;

/** True for the value of an image field. */
export function isImageValue(value: FieldValue): value is FieldValue & ImageValue {
  return typeof value === 'object' && value !== null && 'uri' in value && 'alt' in value;
}

/**
 * `imageOf` of `astro-jsonapi:images`. `images` imports each image next to the content, by URI. A built server shows images
 * that were added after the build without optimization.
 */
export function createImageOf<I>(
  images: ReadonlyMap<string, () => Promise<{ readonly default: I }>>,
): (value: ImageValue | null | undefined) => Promise<PropsOfImage<I> | undefined> {
  return async (value) => {
    if (value === null || value === undefined) return undefined;
    const module = await images.get(value.uri.value)?.();
    return propsOfImage(value, module?.default);
  };
}
