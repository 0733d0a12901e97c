/**
 * Digest of bytes: 64 bits as 16 hexadecimal digits. Two 32-bit lanes with different odd multipliers process four bytes
 * at a time; a finalizer then mixes the bits (constants of MurmurHash3). It identifies versions of a file and does not
 * resist deliberate collisions.
 */
export function digestBytes(bytes: Uint8Array): string {
  const digest = createDigest(bytes.length);
  digest.add(bytes);
  return digest.end();
}

/** `digestBytes` of the text in UTF-8. */
export function digestText(text: string): string {
  return digestBytes(encoder.encode(text));
}

const encoder = new TextEncoder();

/** Computes the digest of bytes that arrive in parts. */
export interface Digest {
  /** The length of each part but the last must be a multiple of four. */
  add(part: Uint8Array): void;
  end(): string;
}

/** `length` is the total length of all parts. */
export function createDigest(length: number): Digest {
  let lanes: Lanes = { a: 0x9e3779b1 ^ length, b: 0x85ebca77 ^ length };
  return {
    add(part) {
      lanes = mix(part, lanes);
    },
    // Joined, because a sum of strings keeps its parts and takes twice the memory.
    end: () => [hex(finish(lanes.a ^ (lanes.b >>> 16))), hex(finish(lanes.b ^ (lanes.a << 5)))].join(''),
  };
}

interface Lanes {
  readonly a: number;
  readonly b: number;
}

function mix(bytes: Uint8Array, lanes: Lanes): Lanes {
  let { a, b } = lanes;
  const { length } = bytes;
  const whole = length - (length % 4);
  let index = 0;
  // Fast path for aligned bytes.
  const words = LITTLE_ENDIAN && bytes.byteOffset % 4 === 0 ? wordsOf(bytes) : undefined;
  for (; words !== undefined && index < whole; index += 4) {
    const word = words[index >> 2]!;
    a = Math.imul(a ^ word, 0x01000193);
    a ^= a >>> 15;
    b = Math.imul(b ^ word, 0x5bd1e995);
    b ^= b >>> 13;
  }
  for (; index < whole; index += 4) {
    const word =
      bytes[index]! | (bytes[index + 1]! << 8) | (bytes[index + 2]! << 16) | (bytes[index + 3]! << 24);
    a = Math.imul(a ^ word, 0x01000193);
    a ^= a >>> 15;
    b = Math.imul(b ^ word, 0x5bd1e995);
    b ^= b >>> 13;
  }
  for (; index < length; index += 1) {
    a = Math.imul(a ^ bytes[index]!, 0x01000193);
    b = Math.imul(b ^ bytes[index]!, 0x5bd1e995);
  }
  return { a, b };
}

const LITTLE_ENDIAN = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1;

function wordsOf({ buffer, byteOffset, length }: Uint8Array): Int32Array {
  return new Int32Array(buffer, byteOffset, length >> 2);
}

function finish(lane: number): number {
  let mixed = Math.imul(lane ^ (lane >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

function hex(lane: number): string {
  return lane.toString(16).padStart(8, '0');
}
