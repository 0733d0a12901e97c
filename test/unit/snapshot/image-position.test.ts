import { readFileSync } from 'node:fs';
import path from 'node:path';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { withoutPosition } from '../../../integration/features/static/output/image-position.ts';
import { svg } from '../../support/pictures.ts';

const EXIF = {
  IFD0: { Copyright: 'Maren Holt' },
  IFD3: {
    GPSLatitudeRef: 'N',
    GPSLatitude: '54/1 10/1 3045/100',
    GPSLongitudeRef: 'E',
    GPSLongitude: '7/1 53/1 1234/100',
  },
};

const picture = () =>
  sharp({ create: { width: 8, height: 4, channels: 3, background: '#336699' } }).withExif(EXIF);

// AVIF has the container of HEIC.
describe.each(['jpeg', 'png', 'webp', 'avif'] as const)('a photo as %s', (format) => {
  it('loses its position and keeps everything else', async () => {
    const bytes = await picture().toFormat(format).toBuffer();
    const [before, after] = [bytes, withoutPosition(bytes)].map((each) => Buffer.from(each));
    const rationals = Buffer.alloc(24);
    for (const [index, number] of [54, 1, 10, 1, 3045, 100].entries()) {
      rationals.writeUInt32LE(number, index * 4);
    }
    expect(before?.includes(rationals)).toBe(true);
    expect(after?.includes(rationals)).toBe(false);
    expect(after?.includes('Maren Holt')).toBe(true);
    expect(after?.length).toBe(bytes.length);
    const pixels = (file: Buffer | undefined) => sharp(file, { failOn: 'warning' }).raw().toBuffer();
    expect(await pixels(after)).toEqual(await pixels(before));
  });
});

it('blanks the position in XMP', () => {
  const text = (position: string) =>
    Buffer.from(
      `<rdf:Description ${position} dc:title="Sea"/><exif:GPSLongitude>7,53.2E</exif:GPSLongitude>`,
    );
  const after = withoutPosition(text('exif:GPSLatitude="54,10.5N"'));
  expect(Buffer.from(after).toString()).not.toMatch(/54,10|7,53/);
  expect(Buffer.from(after).toString()).toContain('dc:title="Sea"');
});

it('is the same file if it has no position, or is damaged', async () => {
  const files = [
    await sharp({ create: { width: 8, height: 4, channels: 3, background: '#336699' } })
      .jpeg()
      .toBuffer(),
    Buffer.from(svg(2, 2)),
    Buffer.from('II*\0\xff\xff\xff\xff', 'latin1'),
    Buffer.from('MM\0*', 'latin1'),
    readFileSync(path.join(import.meta.dirname, '../../../package.json')),
  ];
  for (const bytes of files) expect(withoutPosition(bytes)).toBe(bytes);
});
