/** Bytes with gzip of a file that is packed, and of all packed files. */
export const MAX_PACKED_FILE = 4000;
export const MAX_PACKED = 8000;
/** Files of a kind that can be packed. */
const MAX_PACKED_PARTS = 16;
/** Bytes from which the size of a file with gzip is estimated first. */
const SAMPLE = 4000;

export interface MeasuredFile {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly text: string;
  /** Bytes with gzip. */
  readonly size: number;
}

/** Files of `large` kinds are not measured. */
export async function measureFile(
  [name, text]: readonly [string, string],
  large: ReadonlySet<string>,
): Promise<MeasuredFile> {
  const bytes = encoder.encode(text);
  if (large.has(kindOf(name))) return { name, text, bytes, size: Number.POSITIVE_INFINITY };
  const scale = Math.max(1, bytes.length / SAMPLE);
  const estimate = scale * (await compressedSize(bytes.subarray(0, SAMPLE)));
  const isFinal = scale === 1 || estimate > 2 * MAX_PACKED_FILE;
  return { name, text, bytes, size: isFinal ? estimate : await compressedSize(bytes) };
}

/** The kinds with many files, of which a query needs few. */
export function largeKinds(names: Iterable<string>): ReadonlySet<string> {
  const kinds = Object.groupBy(names, kindOf);
  return new Set(Object.keys(kinds).filter((kind) => kinds[kind]!.length > MAX_PACKED_PARTS));
}

/** The name without its digest, and without the number of a part. */
export function kindOf(name: string): string {
  return name.replace(/(?:-\d+)?\.\w+\.json$/, '');
}

async function compressedSize(bytes: Uint8Array<ArrayBuffer>): Promise<number> {
  return (await compressed(bytes, 'gzip')).byteLength;
}

export function compressed(bytes: Uint8Array<ArrayBuffer>, format: CompressionFormat): Promise<ArrayBuffer> {
  return new Response(new Blob([bytes]).stream().pipeThrough(new CompressionStream(format))).arrayBuffer();
}

const encoder = new TextEncoder();
