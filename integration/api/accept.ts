import { JSON_MEDIA_TYPE, JSONAPI_MEDIA_TYPE } from '../read/document-types.ts';
import { NotAcceptableError } from '../util/errors.ts';

/**
 * Throws NotAcceptableError if the header contains the JSON:API media type, but only with parameters that are not supported.
 * `profile` is. Other media types never fail. Source: JSON:API 1.1, "Server Responsibilities".
 */
export function checkJsonApiAccept(header: string | null): void {
  if (header === null) return;
  const ranges = mediaRanges(header).filter(({ type }) => type === JSONAPI_MEDIA_TYPE);
  if (ranges.length === 0) return;
  if (ranges.some(({ parameters }) => parameters.every((name) => name === 'profile'))) return;
  throw new NotAcceptableError(
    `Every ${JSONAPI_MEDIA_TYPE} in Accept has a parameter that is not supported. Send it without parameters.`,
    { header: 'Accept' },
  );
}

/** Throws NotAcceptableError if the client does not accept JSON. */
export function checkJsonAccept(header: string | null): void {
  const ranges = mediaRanges(header ?? '');
  if (ranges.length === 0) return;
  if (ranges.some(({ type, quality }) => quality > 0 && JSON_RANGES.includes(type))) return;
  throw new NotAcceptableError('Only application/json is available here.', { header: 'Accept' });
}

const JSON_RANGES: readonly string[] = [JSON_MEDIA_TYPE, 'application/*', '*/*'];

interface MediaRange {
  readonly type: string;
  /** Lower-case names, without the weight. */
  readonly parameters: readonly string[];
  readonly quality: number;
}

function mediaRanges(header: string): MediaRange[] {
  return splitOutsideQuotes(header, ',').flatMap((range) => {
    const [type = '', ...rest] = splitOutsideQuotes(range, ';').map((part) => part.trim().toLowerCase());
    if (type === '') return [];
    const pairs = rest.filter((part) => part !== '').map((part) => part.split('=', 2));
    const names = pairs.map(([name = '']) => name.trim());
    const weight = names.indexOf('q');
    if (weight < 0) return [{ type, parameters: names, quality: 1 }];
    // Parameters after the weight are extensions of Accept, not of the media type.
    return [{ type, parameters: names.slice(0, weight), quality: Number(pairs[weight]?.[1]) }];
  });
}

function splitOutsideQuotes(text: string, separator: ',' | ';'): readonly string[] {
  return text.match(PARTS[separator]) ?? [];
}

const PARTS = { ',': /(?:"[^"]*"?|[^",])+/g, ';': /(?:"[^"]*"?|[^";])+/g };
