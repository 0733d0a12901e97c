import { mediaRanges } from '../../core/api/accept.ts';

/** The codings of the built files, the smallest first. */
export const CODINGS = ['br', 'gzip'] as const;
export type Coding = (typeof CODINGS)[number];

/** The ending of a file's name in a coding. */
export const CODING_SUFFIX: Readonly<Record<Coding, string>> = { br: '.br', gzip: '.gz' };

/** The coding that the client prefers; undefined if it accepts neither. Source: RFC 9110, section 12.5.3. */
export function acceptedCoding(header: string | null): Coding | undefined {
  const weights = new Map(mediaRanges(header ?? '').map(({ type, quality }) => [type, quality]));
  const weightOf = (coding: Coding) => weights.get(coding) ?? weights.get('*') ?? 0;
  const [best] = CODINGS.filter((coding) => weightOf(coding) > 0).sort((a, b) => weightOf(b) - weightOf(a));
  return best;
}
