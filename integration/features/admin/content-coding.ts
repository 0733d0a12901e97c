import { mediaRanges } from '../../core/api/accept.ts';

/** The codings of the built files, the smallest first. */
export const CODINGS = ['br', 'gzip'] as const;
export type Coding = (typeof CODINGS)[number];

/** The ending of a file's name in a coding. */
export const CODING_SUFFIX: Readonly<Record<Coding, string>> = { br: '.br', gzip: '.gz' };

/** The coding that the client prefers; undefined if it accepts none. Source: RFC 9110, section 12.5.3. */
export function acceptedCoding(
  header: string | null,
  codings: readonly Coding[] = CODINGS,
): Coding | undefined {
  const weights = new Map(mediaRanges(header ?? '').map(({ type, quality }) => [type, quality]));
  const weightOf = (coding: Coding) => weights.get(coding) ?? weights.get('*') ?? 0;
  const [best] = codings.filter((coding) => weightOf(coding) > 0).sort((a, b) => weightOf(b) - weightOf(a));
  return best;
}

/** Compresses a body with gzip, also without modules of Node. */
export async function zip(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  return transform(bytes, new CompressionStream('gzip'));
}

export async function unzip(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  return transform(bytes, new DecompressionStream('gzip'));
}

async function transform(
  bytes: Uint8Array<ArrayBuffer>,
  stream: CompressionStream | DecompressionStream,
): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}
