import { isRecord } from '../../core/util/json.ts';
import { type ImageCrop, positionOf } from './crop.ts';

/** An object of the content with an image, and how it shows the image. */
export interface Picture {
  readonly image: ImageOfContent;
  readonly alt: string | undefined;
  /** Undefined if the file of the image decides. */
  readonly shown: ImageCrop | undefined;
}

interface ImageOfContent {
  readonly uri: { readonly value: string };
}

/** The picture that an object is. */
export function pictureIn(value: unknown): Picture | undefined {
  if (!isRecord(value)) return undefined;
  const image = Object.values(value).find(isImage);
  if (image === undefined) return undefined;
  const parts = Object.entries(value).filter(([name, part]) => CROP_NAMES.has(name) && part !== null);
  return {
    image,
    alt: typeof value.alt === 'string' ? value.alt : undefined,
    shown: parts.length === 0 ? undefined : (Object.fromEntries(parts) as ImageCrop),
  };
}

/** The pictures in a value of a field, at any depth. */
export function picturesIn(value: unknown): readonly Picture[] {
  if (Array.isArray(value)) return value.flatMap(picturesIn);
  if (!isRecord(value) || isImage(value)) return [];
  const picture = pictureIn(value);
  return [...(picture === undefined ? [] : [picture]), ...Object.values(value).flatMap(picturesIn)];
}

/** A crop as a part of addresses, such as `crop=0.25,0,0.5,1;rotation=90`. */
export function cropText({ crop, focus, rotation }: ImageCrop): string {
  const numbers = {
    crop: crop && [crop.x, crop.y, crop.width, crop.height],
    focus: focus && [focus.x, focus.y],
    rotation: rotation && [rotation],
  };
  return Object.entries(numbers)
    .flatMap(([name, list]) => (list ? [`${name}=${list.join()}`] : []))
    .join(';');
}

/** The crops of a site: what imports the cropped image, by the URI of the image and `cropText`. */
export type CropImports = ReadonlyMap<string, () => Promise<{ readonly default: unknown }>>;

/**
 * `pictureOf` of `astro-jsonapi:pictures`. A built server shows a crop that was made after the build as the file of the image says.
 */
export function createPictureOf(
  imageOf: (image: never) => Promise<Readonly<Record<string, unknown>> | undefined>,
  crops: CropImports,
) {
  return async (value: unknown): Promise<Readonly<Record<string, unknown>> | undefined> => {
    const picture = pictureIn(value);
    if (picture === undefined) return undefined;
    const { image, alt, shown } = picture;
    const props = { ...(await imageOf(image as never)), ...(alt !== undefined && { alt }) };
    const cropped = shown && (await crops.get(importKey(image.uri.value, cropText(shown)))?.());
    if (shown === undefined || cropped === undefined) return props;
    const { position: _, ...others } = props as { readonly position?: unknown };
    const position = positionOf(shown);
    return { ...others, src: cropped.default, ...(position !== undefined && { position }) };
  };
}

export function importKey(uri: string, crop: string): string {
  return `${uri} ${crop}`;
}

const CROP_NAMES: ReadonlySet<string> = new Set(['crop', 'focus', 'rotation']);

function isImage(value: unknown): value is ImageOfContent {
  return isRecord(value) && isRecord(value.uri) && typeof value.uri.value === 'string';
}
