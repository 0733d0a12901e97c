import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Bitmap } from '../../../../integration/core/engine/store/bitmap.ts';
import {
  allRows,
  filterRows,
  hasRow,
  intersect,
  listRows,
  type RowSet,
  rowList,
  rowsOfBitmap,
  rowsOfUnsorted,
  unite,
} from '../../../../integration/core/engine/store/row-set.ts';

const SIZES = [0, 1, 31, 32, 33, 64, 500];
const members = (size: number) => fc.uniqueArray(fc.nat(Math.max(0, size - 1)), { maxLength: size });
const sized = fc
  .constantFrom(...SIZES)
  .chain((size) => fc.tuple(fc.constant(size), members(size), members(size)));

/** The same set in each representation. */
function forms(size: number, rows: readonly number[]): RowSet[] {
  const sorted = [...rows].sort((a, b) => a - b);
  return [
    rowList(Int32Array.from(sorted)),
    rowsOfBitmap(Bitmap.of(size, sorted)),
    rowsOfUnsorted(Int32Array.from([...rows, ...rows]), size),
    ...(rows.length === size ? [allRows({ size })] : []),
  ];
}

describe('row sets of every kind', () => {
  it('intersect, unite, count and test like sets', () => {
    fc.assert(
      fc.property(sized, ([size, some, others]) => {
        const both = some.filter((row) => others.includes(row)).sort((a, b) => a - b);
        const either = [...new Set([...some, ...others])].sort((a, b) => a - b);
        for (const a of forms(size, some)) {
          expect(a.count).toBe(some.length);
          for (let row = 0; row < size; row++) expect(hasRow(a, row)).toBe(some.includes(row));
          expect([...listRows(filterRows(a, (row) => row % 2 === 0))]).toEqual(
            some.filter((row) => row % 2 === 0).sort((x, y) => x - y),
          );
          for (const b of forms(size, others)) {
            expect([...listRows(intersect(a, b))]).toEqual(both);
            expect([...listRows(unite([a, b], size))]).toEqual(either);
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  it('return pages in ascending order', () => {
    fc.assert(
      fc.property(sized, fc.nat(40), fc.nat(40), ([size, some], offset, limit) => {
        const sorted = [...some].sort((a, b) => a - b);
        expect(Bitmap.of(size, some).slice(offset, limit)).toEqual(sorted.slice(offset, offset + limit));
      }),
    );
  });

  it('have a complement within their size', () => {
    fc.assert(
      fc.property(sized, ([size, some]) => {
        expect(Bitmap.of(size, some).not().count()).toBe(size - some.length);
        expect(Bitmap.full(size).count()).toBe(size);
      }),
    );
  });
});
