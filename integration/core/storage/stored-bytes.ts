/** Immutable bytes in memory, or in a file that is only replaced as a whole. */
export interface ByteSource {
  read(start: number, length: number): Uint8Array;
}

/** Bytes of a file as they were when it was read. Their location may change, their content never does. */
export interface StoredBytes {
  readonly length: number;
  /** Only `relocateBytes` changes it. */
  source: ByteSource;
  start: number;
}

/** Bytes that stay in memory. */
export function bytesInMemory(bytes: Uint8Array): StoredBytes {
  return { length: bytes.length, source: sourceOf(bytes.buffer), start: bytes.byteOffset };
}

/** The bytes from `from` to before `end`. The result shares memory: do not store or change it. */
export function readBytes({ source, start, length }: StoredBytes, from = 0, end = length): Uint8Array {
  return source.read(start + from, end - from);
}

/** Reads the same bytes from another location from now on. */
export function relocateBytes(bytes: StoredBytes, source: ByteSource, start: number): void {
  bytes.source = source;
  bytes.start = start;
}

/** Many small files share one buffer. */
const sources = new WeakMap<ArrayBufferLike, ByteSource>();

function sourceOf(buffer: ArrayBufferLike): ByteSource {
  const source = sources.get(buffer) ?? { read: (start, length) => new Uint8Array(buffer, start, length) };
  sources.set(buffer, source);
  return source;
}
