import fc from 'fast-check';
import { expect, it } from 'vitest';
import { digestBytes } from '../../../integration/core/util/revision.ts';

it('a digest depends on the bytes only, not on their offset in memory', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), fc.integer({ min: 0, max: 7 }), (bytes, offset) => {
      const block = new Uint8Array(bytes.length + offset);
      block.set(bytes, offset);
      expect(digestBytes(block.subarray(offset))).toBe(digestBytes(bytes));
    }),
  );
  expect(digestBytes(new TextEncoder().encode('A tale of two'))).toBe('48e4317e7f422a56');
});
