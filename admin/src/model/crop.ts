import type {
  Box,
  ImageCrop,
  ImageSize,
  Point,
  Rotation,
} from '../../../integration/features/images/crop.ts';

export type { Box, ImageCrop, ImageSize, Point, Rotation };

/** Everything that is edited, in fractions of the image as it is turned. */
export interface CropView {
  readonly box: Box;
  readonly focus: Point | undefined;
  readonly rotation: Rotation;
}

export const WHOLE: Box = { x: 0, y: 0, width: 1, height: 1 };
/** The shortest side of a crop, as a fraction. */
export const SHORTEST = 0.02;

/** A corner: its side from left to right, and from top to bottom. */
export interface Corner {
  readonly across: 'left' | 'right';
  readonly down: 'top' | 'bottom';
}

export const CORNERS: readonly Corner[] = [
  { across: 'left', down: 'top' },
  { across: 'right', down: 'top' },
  { across: 'left', down: 'bottom' },
  { across: 'right', down: 'bottom' },
];

/** True for a file of the content folder with pixels that can be cropped. */
export function canCrop(uri: string): boolean {
  return /^content:\/\/.+\.(?:avif|jpe?g|png|webp)$/i.test(uri);
}

export function viewOf({ crop = WHOLE, focus, rotation = 0 }: ImageCrop): CropView {
  return { box: turnBox(crop, rotation), focus: focus && turnPoint(focus, rotation), rotation };
}

/** The values to store. Null for values that are those of the file. */
export function cropOf({ box, focus, rotation }: CropView): {
  readonly [Name in keyof ImageCrop]-?: NonNullable<ImageCrop[Name]> | null;
} {
  const back = opposite(rotation);
  return {
    crop: isWhole(box) ? null : turnBox(box, back),
    focus: focus === undefined ? null : turnPoint(focus, back),
    rotation: rotation === 0 ? null : rotation,
  };
}

/** The same part after a quarter turn, clockwise. */
export function turned({ box, focus, rotation }: CropView): CropView {
  return {
    box: turnBox(box, 90),
    focus: focus && turnPoint(focus, 90),
    rotation: ((rotation + 90) % 360) as Rotation,
  };
}

export function isWhole({ x, y, width, height }: Box): boolean {
  return x < 0.0005 && y < 0.0005 && width > 0.9995 && height > 0.9995;
}

export function moveBox({ x, y, width, height }: Box, by: Point): Box {
  return { x: within(x + by.x, 0, 1 - width), y: within(y + by.y, 0, 1 - height), width, height };
}

export function movePoint(point: Point, by: Point, { x, y, width, height }: Box): Point {
  return { x: within(point.x + by.x, x, x + width), y: within(point.y + by.y, y, y + height) };
}

/** Moves a corner. `ratio`: width to height as fractions, which stays. */
export function resizeBox(box: Box, { across, down }: Corner, by: Point, ratio?: number): Box {
  const right = box.x + box.width;
  const bottom = box.y + box.height;
  const most = { x: across === 'left' ? right : 1 - box.x, y: down === 'top' ? bottom : 1 - box.y };
  let width = within(box.width + (across === 'left' ? -by.x : by.x), SHORTEST, most.x);
  let height = within(box.height + (down === 'top' ? -by.y : by.y), SHORTEST, most.y);
  if (ratio !== undefined) {
    // The side that was moved further decides.
    const isAcross = Math.abs(by.x) >= Math.abs(by.y);
    width = Math.min(isAcross ? width : height * ratio, most.x, most.y * ratio);
    height = width / ratio;
  }
  return {
    x: across === 'left' ? right - width : box.x,
    y: down === 'top' ? bottom - height : box.y,
    width,
    height,
  };
}

/** The largest box with a ratio, around the middle of another one. */
export function boxWithRatio({ x, y, width, height }: Box, ratio: number): Box {
  const across = Math.min(1, ratio);
  const down = across / ratio;
  return {
    x: within(x + width / 2 - across / 2, 0, 1 - across),
    y: within(y + height / 2 - down / 2, 0, 1 - down),
    width: across,
    height: down,
  };
}

function turnBox({ x, y, width, height }: Box, rotation: Rotation): Box {
  switch (rotation) {
    case 0:
      return { x, y, width, height };
    case 90:
      return { x: 1 - y - height, y: x, width: height, height: width };
    case 180:
      return { x: 1 - x - width, y: 1 - y - height, width, height };
    case 270:
      return { x: y, y: 1 - x - width, width: height, height: width };
  }
}

function turnPoint({ x, y }: Point, rotation: Rotation): Point {
  const { x: across, y: down } = turnBox({ x, y, width: 0, height: 0 }, rotation);
  return { x: across, y: down };
}

function opposite(rotation: Rotation): Rotation {
  return ((360 - rotation) % 360) as Rotation;
}

function within(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(value, most));
}
