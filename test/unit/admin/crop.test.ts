import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  boxWithRatio,
  CORNERS,
  type CropView,
  canCrop,
  cropOf,
  moveBox,
  movePoint,
  resizeBox,
  turned,
  viewOf,
  WHOLE,
} from '../../../admin/src/model/crop.ts';

const part = fc.double({ min: 0, max: 1, noNaN: true });
const step = fc.record({
  x: fc.double({ min: -2, max: 2, noNaN: true }),
  y: fc.double({ min: -2, max: 2, noNaN: true }),
});
const box = fc
  .record({
    x: fc.double({ min: 0, max: 0.7, noNaN: true }),
    y: fc.double({ min: 0, max: 0.7, noNaN: true }),
    width: part,
    height: part,
  })
  .map(({ x, y, width, height }) => ({
    x,
    y,
    width: 0.1 + (0.9 - x) * width,
    height: 0.1 + (0.9 - y) * height,
  }));

function expectInside({ x, y, width, height }: CropView['box']): void {
  for (const value of [x, y]) expect(value).toBeGreaterThanOrEqual(-1e-9);
  expect(x + width).toBeLessThanOrEqual(1 + 1e-9);
  expect(y + height).toBeLessThanOrEqual(1 + 1e-9);
  expect(width).toBeGreaterThan(0);
  expect(height).toBeGreaterThan(0);
}

describe('a crop in the dialog', () => {
  it('is stored for the picture as it is in the file, after any number of turns', () => {
    fc.assert(
      fc.property(box, fc.integer({ min: 0, max: 7 }), (crop, turns) => {
        let view = viewOf({ crop, focus: { x: crop.x, y: crop.y } });
        for (let turn = 0; turn < turns; turn += 1) view = turned(view);
        const stored = cropOf(view);
        expect(stored.rotation ?? 0).toBe((turns % 4) * 90);
        for (const name of ['x', 'y', 'width', 'height'] as const)
          expect(stored.crop?.[name] ?? WHOLE[name]).toBeCloseTo(crop[name], 2);
        expect(stored.focus?.x).toBeCloseTo(crop.x, 6);
        expect(stored.focus?.y).toBeCloseTo(crop.y, 6);
      }),
    );
  });

  it('stays inside of the picture, whatever is dragged', () => {
    fc.assert(
      fc.property(
        box,
        step,
        fc.constantFrom(...CORNERS),
        fc.option(fc.double({ min: 0.2, max: 5, noNaN: true }), { nil: undefined }),
        (from, by, corner, ratio) => {
          expectInside(moveBox(from, by));
          const start = ratio === undefined ? from : boxWithRatio(from, ratio);
          expectInside(start);
          const resized = resizeBox(start, corner, by, ratio);
          expectInside(resized);
          if (ratio !== undefined) expect(resized.width / resized.height).toBeCloseTo(ratio, 3);
          const { x, y } = movePoint({ x: 0.5, y: 0.5 }, by, from);
          expect(x).toBeGreaterThanOrEqual(from.x - 1e-9);
          expect(y).toBeLessThanOrEqual(from.y + from.height + 1e-9);
        },
      ),
    );
  });

  it('is nothing for a whole picture', () => {
    expect(cropOf(viewOf({}))).toEqual({ crop: null, focus: null, rotation: null });
  });

  it('is for pixels in the content folder', () => {
    const uris = [
      'content://a/b.JPG',
      'content://a/b.webp',
      'content://a/b.svg',
      'content://a/b.gif',
      'public://b.png',
    ];
    expect(uris.filter(canCrop)).toEqual(['content://a/b.JPG', 'content://a/b.webp']);
  });
});
