import type { FieldValue } from '../content/model.ts';

/** What of an image field's value tells how to show it. */
export interface ImageValue {
  readonly uri: { readonly value: string; readonly url: string };
  readonly width: number | null;
  readonly height: number | null;
  readonly alt: string | null;
}

/**
 * Properties of Astro's `<Image>`. `I` is what an image beside the content was imported as, or stands for it: Astro
 * knows its dimensions. Of another one they are told where they are known, and else looked for by Astro.
 */
export type PropsOfImage<I> =
  | { readonly src: I; readonly alt: string }
  | { readonly src: string; readonly alt: string; readonly width: number; readonly height: number }
  | { readonly src: string; readonly alt: string; readonly inferSize: true };

/** `imported` is undefined for an image that Astro does not import: in `public/`, or of another site. */
export function propsOfImage<I>(
  { uri, width, height, alt }: ImageValue,
  imported: I | undefined,
): PropsOfImage<I> {
  const text = alt ?? '';
  if (imported !== undefined) return { src: imported, alt: text };
  if (width === null || height === null) return { src: uri.url, alt: text, inferSize: true };
  return { src: uri.url, alt: text, width, height };
}

/** Key in the content folder of an image that Astro's asset pipeline takes; undefined for every other file. */
export function importableKey(uri: string): string | undefined {
  return uri.startsWith(CONTENT_SCHEME) && IMPORTABLE.test(uri)
    ? uri.slice(CONTENT_SCHEME.length)
    : undefined;
}

const CONTENT_SCHEME = 'content://';
/** Source: `VALID_INPUT_FORMATS` of Astro. */
const IMPORTABLE = /\.(?:avif|apng|gif|jpe?g|png|svg|tiff|webp)$/i;

/** Whether a field's value is that of an image. */
export function isImageValue(value: FieldValue): value is FieldValue & ImageValue {
  return typeof value === 'object' && value !== null && 'uri' in value && 'alt' in value;
}

/**
 * `imageOf` of `astro-jsonapi:images`. `images` imports each image beside the content, by its URI. Where a built server
 * finds an image that came after the build, it is shown as it is.
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
