import { type Box, type ImageCrop, ROTATIONS } from './crop.ts';

/** The part of sharp that is used. */
export type Sharp = (bytes: Uint8Array, options: { readonly limitInputPixels: number | boolean }) => Picture;

interface Picture {
  autoOrient(): Picture;
  extract(part: Readonly<Record<'left' | 'top' | 'width' | 'height', number>>): Picture;
  rotate(degrees: number): Picture;
  keepIccProfile(): Picture;
  png(options: { readonly compressionLevel: number }): Picture;
  toFormat(format: string, options: Readonly<Record<string, unknown>>): Picture;
  toBuffer(): Promise<Uint8Array>;
}

/** Extracts a part of an image and turns it. Without a format: as PNG, which loses nothing. */
export function cropImage(
  sharp: Sharp,
  bytes: Uint8Array,
  { x, y, width, height }: Box,
  { rotation = ROTATIONS[0] }: Pick<ImageCrop, 'rotation'>,
  { format, limitInputPixels = true }: { format?: string; limitInputPixels?: number | boolean } = {},
): Promise<Uint8Array> {
  const part = sharp(bytes, { limitInputPixels })
    .autoOrient()
    .extract({ left: x, top: y, width, height })
    .keepIccProfile();
  const turned = rotation === 0 ? part : part.rotate(rotation);
  const made =
    format === undefined
      ? turned.png({ compressionLevel: 1 })
      : turned.toFormat(format, QUALITY[format] ?? {});
  return made.toBuffer();
}

/** Pages compress the image again, so little may be lost. */
const QUALITY: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  jpeg: { quality: 95, chromaSubsampling: '4:4:4' },
  webp: { quality: 95 },
  avif: { quality: 85 },
};
