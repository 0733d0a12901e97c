import { crc32 } from 'node:zlib';

/**
 * The bytes of an image without the position at which it was taken: the GPS values of its EXIF data are zeros, and those of its
 * XMP data are blanks. All other bytes stay. Source: EXIF 2.32, XMP for EXIF.
 */
export function withoutPosition(bytes: Uint8Array): Uint8Array {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (![...TIFF_MARKS, XMP_MARK].some((mark) => view.includes(mark))) return bytes;
  const copy = Buffer.from(view);
  let isChanged = false;
  for (const mark of TIFF_MARKS) {
    for (let at = copy.indexOf(mark); at >= 0; at = copy.indexOf(mark, at + 1)) {
      if (clearDirectory(copy, at, mark === LITTLE_ENDIAN)) isChanged = true;
    }
  }
  const xmp = copy.includes(XMP_MARK) ? copy.toString('latin1') : '';
  for (const { index, 1: start = '', 2: value = '' } of xmp.matchAll(XMP_POSITION)) {
    const at = index + start.length;
    copy.fill(' ', at, at + value.length);
    isChanged = true;
  }
  if (!isChanged) return bytes;
  updatePngSums(copy);
  return copy;
}

const LITTLE_ENDIAN = Buffer.from('II*\0', 'latin1');
const BIG_ENDIAN = Buffer.from('MM\0*', 'latin1');
const TIFF_MARKS = [LITTLE_ENDIAN, BIG_ENDIAN];
/** The tag that points to the directory with the position. */
const GPS_DIRECTORY = 0x8825;
const ENTRY = 12;
/** Bytes of a value by type. */
const SIZES = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8];
const XMP_MARK = 'exif:GPS';
const XMP_POSITION = /(exif:GPS\w{1,30}(?:="|>))([^"<]{1,100})/g;

/** Sets the values of the GPS directory to zeros. `start` is the offset of the TIFF header. Returns whether there is one. */
function clearDirectory(bytes: Buffer, start: number, isLittle: boolean): boolean {
  const u16 = (at: number) =>
    at + 2 > bytes.length ? 0 : isLittle ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at);
  const u32 = (at: number) =>
    at + 4 > bytes.length ? 0 : isLittle ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at);
  const entriesOf = (offset: number) => {
    const at = start + offset;
    const last = Math.floor((bytes.length - at - 2) / ENTRY);
    return Array.from({ length: Math.max(0, Math.min(u16(at), last)) }, (_, index) => at + 2 + index * ENTRY);
  };
  const gps = entriesOf(u32(start + 4)).find((entry) => u16(entry) === GPS_DIRECTORY);
  if (gps === undefined) return false;
  for (const entry of entriesOf(u32(gps + 8))) {
    const size = (SIZES[u16(entry + 2)] ?? 0) * u32(entry + 4);
    const at = size <= 4 ? entry + 8 : start + u32(entry + 8);
    bytes.fill(0, at, Math.min(at + Math.max(size, 0), bytes.length));
  }
  return true;
}

const PNG = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

/** Chunks of a PNG end with a checksum of their type and data. */
function updatePngSums(bytes: Buffer): void {
  if (!bytes.subarray(0, PNG.length).equals(PNG)) return;
  for (let at = PNG.length; at + 12 <= bytes.length; ) {
    const end = at + 8 + bytes.readUInt32BE(at);
    if (end + 4 > bytes.length) return;
    bytes.writeUInt32BE(crc32(bytes.subarray(at + 4, end)), end);
    at = end + 4;
  }
}
