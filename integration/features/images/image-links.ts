import { fileAt } from '../../core/content/file-location.ts';
import { type FileValue, fileValueOf } from '../../core/content/file-resource.ts';
import type { Entity } from '../../core/content/model.ts';
import type { Link } from '../../core/read/document-types.ts';
import type { LinkBuilder } from '../../core/read/links.ts';
import type { ApiSettings, ImageStyle } from '../../core/read/settings.ts';
import { type ImageCrop, type ImageSize, shownSize } from './crop.ts';
// It has the members of a style.
import type {} from './options.ts';
import { STYLES_PATH } from './routes.ts';

/** The relation type of links to resized images. Source: Drupal's module consumer_image_styles. */
const DERIVATIVE = 'drupal://jsonapi/extensions/consumer_image_styles/links/relation-types/#derivative';

/** The links of a resource of a file to its resized images, by style. None if it is not a local image of pixels. */
export function imageLinks(
  { imageStyles = {}, limits }: Pick<ApiSettings, 'imageStyles' | 'limits'>,
  links: Pick<LinkBuilder, 'site'>,
  entity: Entity,
): Readonly<Record<string, Link>> {
  const { uri, filemime } = entity.values as unknown as FileAttributes;
  const location = fileAt(uri.value);
  // The values of objects and bodies do not have the size of a file, and null means that it cannot be measured.
  const value: Partial<FileValue> & ImageCrop = fileValueOf(entity) ?? {};
  const { width, height } = value;
  if (location === undefined || !canResize(filemime) || width === null) return {};
  const size = typeof width === 'number' && typeof height === 'number' ? { width, height } : undefined;
  if (size !== undefined && size.width * size.height > limits.imagePixels) return {};
  const file = [location.source, ...location.key.split('/')].map(encodeURIComponent).join('/');
  return Object.fromEntries(
    Object.entries(imageStyles).flatMap(([name, style]) => {
      if (!canResize(filemime, style.format)) return [];
      const href = links.site(`${STYLES_PATH}/${name}/${file}.${style.format}`);
      return [
        [name, { href, meta: { rel: [DERIVATIVE], ...(size && styledSize(style, shownSize(value, size))) } }],
      ];
    }),
  );
}

/** True for media types that can be resized. A GIF may be animated, which only WebP can be too. */
export function canResize(mediaType: string, format: ImageStyle['format'] = 'webp'): boolean {
  return RESIZABLE.test(mediaType) || (mediaType === 'image/gif' && format === 'webp');
}

const RESIZABLE = /^image\/(?:avif|jpeg|png|tiff|webp)$/;

/** The size of a resized image, which is never larger than the original. */
export function styledSize(
  { width, height, fit }: Omit<ImageStyle, 'format'>,
  original: ImageSize,
): ImageSize {
  const [across, down] = [(width ?? Infinity) / original.width, (height ?? Infinity) / original.height];
  if (width === undefined || height === undefined || fit === 'contain') {
    return scaled(original, Math.min(1, across, down));
  }
  if (fit === 'fill')
    return { width: Math.min(width, original.width), height: Math.min(height, original.height) };
  return scaled({ width, height }, Math.min(1, 1 / across, 1 / down));
}

function scaled({ width, height }: ImageSize, scale: number): ImageSize {
  return {
    width: Math.max(1, Math.round(width * scale)),
    height: Math.max(1, Math.round(height * scale)),
  };
}

interface FileAttributes {
  readonly uri: { readonly value: string };
  readonly filemime: string;
}
