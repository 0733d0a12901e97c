import { expect, test } from 'vitest';
import { de } from '../../../admin/src/texts/de.ts';
import { en } from '../../../admin/src/texts/en.ts';
import { fileSize } from '../../../admin/src/texts/texts.ts';

test.each([
  [0, '0 bytes'],
  [1, '1 byte'],
  [999, '999 bytes'],
  [1000, '1 kB'],
  [48_211, '48 kB'],
  [1_250_000, '1.3 MB'],
  [20_000_000_000, '20 GB'],
])('%i bytes are shown as %s', (bytes, shown) => {
  expect(fileSize(bytes)).toBe(shown);
});

test('every text has a German translation with the same placeholders', () => {
  const placeholders = (message: unknown) => [
    ...new Set(
      JSON.stringify(message)
        ?.match(/\{\w+\}/g)
        ?.toSorted() ?? [],
    ),
  ];
  expect(Object.keys(de).toSorted()).toEqual(Object.keys(en).toSorted());
  for (const [key, message] of Object.entries(en)) {
    expect([key, placeholders(de[key as keyof typeof en])]).toEqual([key, placeholders(message)]);
  }
});
