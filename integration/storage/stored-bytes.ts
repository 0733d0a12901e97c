/** Where bytes lie that nobody changes: in memory, or in a file that is only ever replaced as a whole. */
export interface BytesPlace {
  read(start: number, length: number): Uint8Array;
}

/** Bytes of a file as they were when it was read. Where they lie may change; what they are never does. */
export interface StoredBytes {
  readonly length: number;
  /** Changed by `moveBytes` only. */
  place: BytesPlace;
  start: number;
}

/** Bytes that stay in memory. */
export function bytesInMemory(bytes: Uint8Array): StoredBytes {
  return { length: bytes.length, place: placeOf(bytes.buffer), start: bytes.byteOffset };
}

/** The bytes from `from` to before `end`, to be looked at and not to be kept. */
export function readBytes({ place, start, length }: StoredBytes, from = 0, end = length): Uint8Array {
  return place.read(start + from, end - from);
}

/** The very same bytes lie elsewhere too, where they are read from now on. */
export function moveBytes(bytes: StoredBytes, place: BytesPlace, start: number): void {
  bytes.place = place;
  bytes.start = start;
}

/** Many small files share a buffer. */
const places = new WeakMap<ArrayBufferLike, BytesPlace>();

function placeOf(buffer: ArrayBufferLike): BytesPlace {
  const known = places.get(buffer) ?? { read: (start, length) => new Uint8Array(buffer, start, length) };
  places.set(buffer, known);
  return known;
}
