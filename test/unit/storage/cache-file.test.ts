import { readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { createFileByteSource } from '../../../integration/core/storage/cache/cache-file.ts';
import { createSpill } from '../../../integration/core/storage/cache/spill.ts';
import {
  bytesInMemory,
  readBytes,
  type StoredBytes,
} from '../../../integration/core/storage/stored-bytes.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const SIZE = 700_000;
const BYTES = Uint8Array.from({ length: SIZE }, (_, index) => (index * 7919) >>> 5);

let folder = '';
let file = '';

beforeAll(() => {
  folder = temporaryFolder();
  file = path.join(folder, 'bytes');
  writeFileSync(file, BYTES);
});

async function createSource(name: string) {
  return createFileByteSource(await open(name, 'r'), () => SIZE);
}

const pieces = fc.array(
  fc.record({ start: fc.nat(SIZE - 1), length: fc.nat(300_000) }).map(({ start, length }) => ({
    start,
    length: Math.min(length, SIZE - start),
  })),
  { maxLength: 12 },
);

describe('an open cache file', () => {
  it('reads bytes at any position', async () => {
    const place = await createSource(file);
    fc.assert(
      fc.property(pieces, (asked) => {
        for (const { start, length } of asked)
          expect(same(place.read(start, length), start, length)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it.each([1, 500, 5000, 100_000])('reads chunks one after another, %i at a time', async (length) => {
    const place = await createSource(file);
    for (let start = 0; start + length <= SIZE; start += length * 2) {
      const piece = place.read(start, length);
      expect(same(piece, start, length)).toBe(true);
    }
  });

  it('stays readable after another file has replaced it', async () => {
    const name = path.join(folder, 'replaced');
    writeFileSync(name, BYTES);
    const place = await createSource(name);
    rmSync(name);
    writeFileSync(name, 'other');
    expect(same(place.read(5, 1000), 5, 1000)).toBe(true);
  });

  it('throws an error that explains missing bytes', async () => {
    const name = path.join(folder, 'cut');
    writeFileSync(name, BYTES);
    const place = await createSource(name);
    truncateSync(name, 10);
    expect(() => place.read(0, 100)).toThrow(/truncated the content cache: restart/);
  });
});

function same(piece: Uint8Array, start: number, length: number): boolean {
  return Buffer.compare(piece, BYTES.subarray(start, start + length)) === 0;
}

describe('a spill', () => {
  it('reads the same bytes from a file that is already deleted', () => {
    const folder = temporaryFolder();
    const spill = createSpill(path.join(folder, 'new', 'content.cache'));
    const inMemory: unknown[] = [];
    const pieces = Array.from({ length: 3000 }, (_, index) => {
      const bytes = bytesInMemory(Buffer.alloc(1000 + (index % 7), index));
      inMemory.push(bytes.source);
      spill.add(bytes);
      return bytes;
    });
    expect(readdirSync(path.join(folder, 'new'))).toEqual([]);
    const moved = pieces.filter(({ source }, index) => source !== inMemory[index]);
    // The last ones wait for a batch.
    expect(moved.length).toBeGreaterThan(process.platform === 'win32' ? -1 : 2000);
    const isSame = (piece: StoredBytes, index: number) =>
      Buffer.alloc(1000 + (index % 7), index).equals(readBytes(piece));
    expect(pieces.every(isSame)).toBe(true);
    expect([...pieces.entries()].reverse().every(([index, piece]) => isSame(piece, index))).toBe(true);
  });

  it('leaves bytes in memory if its folder cannot be written', () => {
    const folder = temporaryFolder();
    writeFileSync(path.join(folder, 'file'), '');
    const spill = createSpill(path.join(folder, 'file', 'content.cache'));
    const bytes = bytesInMemory(Buffer.alloc(2 * 1024 * 1024, 7));
    spill.add(bytes);
    expect(readBytes(bytes)).toEqual(new Uint8Array(Buffer.alloc(2 * 1024 * 1024, 7)));
  });
});
