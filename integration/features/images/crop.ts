/** In pixels. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** How an image is shown. Positions are fractions of the original, after EXIF rotation, from 0 to 1. */
export interface ImageCrop {
  readonly crop?: Box | undefined;
  /** The point that stays visible if a smaller part is shown. */
  readonly focus?: Point | undefined;
  /** Degrees by which the cropped image is turned, clockwise. */
  readonly rotation?: Rotation | undefined;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Box extends Point {
  readonly width: number;
  readonly height: number;
}

export const ROTATIONS = [0, 90, 180, 270] as const;
export type Rotation = (typeof ROTATIONS)[number];

/** Bytes of a file with a crop. */
export const MAX_CROP_BYTES = 10_000;

const WHOLE: Box = { x: 0, y: 0, width: 1, height: 1 };

/** True for a turn that exchanges width and height. */
export function isSideways(rotation: Rotation = 0): boolean {
  return rotation === 90 || rotation === 270;
}

/** True if an image is shown as it is. */
export function isUncropped(shown: ImageCrop): boolean {
  return shown.crop === undefined && !shown.rotation;
}

/** The size of an image as it is shown. */
export function shownSize(shown: ImageCrop, original: ImageSize): ImageSize {
  const { width, height } = partOf(shown, original);
  return isSideways(shown.rotation) ? { width: height, height: width } : { width, height };
}

/**
 * The part of the original that is shown, in whole pixels. With `target`: the largest part with its proportions, around the
 * point of focus.
 */
export function partOf(
  { crop = WHOLE, focus, rotation }: ImageCrop,
  original: ImageSize,
  target?: ImageSize,
): Box {
  const { x, y, width, height } = inPixels(crop, original);
  if (target === undefined) return { x, y, width, height };
  const ratio = isSideways(rotation) ? target.height / target.width : target.width / target.height;
  const [across, down] = [Math.min(width, height * ratio), Math.min(height, width / ratio)].map((length) =>
    Math.max(1, Math.round(length)),
  ) as [number, number];
  const center = { x: x + width / 2, y: y + height / 2 };
  const point = focus ? { x: focus.x * original.width, y: focus.y * original.height } : center;
  return {
    x: within(point.x - across / 2, x, x + width - across),
    y: within(point.y - down / 2, y, y + height - down),
    width: across,
    height: down,
  };
}

/** The position of the point of focus in an image as it is shown, in words that CSS and sharp know. */
export function positionOf({ crop = WHOLE, focus, rotation }: ImageCrop): string | undefined {
  if (focus === undefined) return undefined;
  const x = (focus.x - crop.x) / crop.width;
  const y = (focus.y - crop.y) / crop.height;
  const [across, down] = TURNED[rotation ?? 0](x, y);
  const words = [wordOf(across, 'left', 'right'), wordOf(down, 'top', 'bottom')].filter(Boolean);
  return words.join(' ') || 'center';
}

const TURNED: Readonly<Record<Rotation, (x: number, y: number) => readonly [number, number]>> = {
  0: (x, y) => [x, y],
  90: (x, y) => [1 - y, x],
  180: (x, y) => [1 - x, 1 - y],
  270: (x, y) => [y, 1 - x],
};

function wordOf(place: number, first: string, last: string): string {
  return place < 1 / 3 ? first : place > 2 / 3 ? last : '';
}

function inPixels({ x, y, width, height }: Box, original: ImageSize): Box {
  const left = within(x * original.width, 0, original.width - 1);
  const top = within(y * original.height, 0, original.height - 1);
  return {
    x: left,
    y: top,
    width: within(width * original.width, 1, original.width - left),
    height: within(height * original.height, 1, original.height - top),
  };
}

function within(value: number, least: number, most: number): number {
  return Math.round(Math.min(Math.max(value, least), most));
}
