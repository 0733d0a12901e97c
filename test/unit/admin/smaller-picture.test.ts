import { expect, test } from 'vitest';
import { isAnimated } from '../../../admin/src/api/smaller-picture.ts';

const bytes = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));
const webp = (flags: number) => `RIFF\0\0\0\0WEBPVP8X\x0A\0\0\0${String.fromCharCode(flags)}`;

test.each([
  ['a PNG', '\x89PNG\r\n\x1A\n....IHDR....IDAT', false],
  ['an animated PNG', '\x89PNG\r\n\x1A\n....IHDR....acTL....IDAT', true],
  ['a PNG whose pixels look like it', '\x89PNG\r\n\x1A\n....IHDR....IDAT acTL', false],
  ['a WebP with metadata', webp(0b1100), false],
  ['an animated WebP', webp(0b10), true],
  ['a simple WebP', 'RIFF\0\0\0\0WEBPVP8 ', false],
  ['an AVIF', '\0\0\0\x20ftypavif', false],
  ['an AVIF sequence', '\0\0\0\x20ftypavis', true],
  ['a JPEG', '\xFF\xD8\xFF\xE0', false],
  ['an empty file', '', false],
])('%s', (_, head, expected) => {
  expect(isAnimated(bytes(head))).toBe(expected);
});
