import { JSON_MEDIA_TYPE, JSONAPI_MEDIA_TYPE } from '../read/document-types.ts';
import { NotAcceptableError } from '../util/errors.ts';

/**
 * Throws NotAcceptableError if the header contains the JSON:API media type, but only with parameters that are not supported.
 * `profile` is, and `ext` with the URI of `extension`. Other media types never fail. Source: JSON:API 1.1, "Server
 * Responsibilities".
 */
export function checkJsonApiAccept(header: string | null, extension?: string): void {
  const ranges = mediaRanges(header ?? '').filter(({ type }) => type === JSONAPI_MEDIA_TYPE);
  const isSupported = ([name, value]: MediaParameter) =>
    name === 'profile' || (name === 'ext' && value === extension);
  if (ranges.length === 0 || ranges.some(({ parameters }) => parameters.every(isSupported))) return;
  throw new NotAcceptableError(
    `Every ${JSONAPI_MEDIA_TYPE} in Accept has a parameter that is not supported. Send it without parameters.`,
    { header: 'Accept' },
  );
}

/** The URIs of the profiles in the header, in lower case. Source: JSON:API 1.1, "Profile Media Type Parameter". */
export function profilesInAccept(header: string | null): readonly string[] {
  const ranges = mediaRanges(header ?? '').filter(({ type }) => type === JSONAPI_MEDIA_TYPE);
  return ranges.flatMap(({ parameters }) =>
    parameters.flatMap(([name, value]) => (name === 'profile' ? value.split(/\s+/) : [])),
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
  /** Without the weight. */
  readonly parameters: readonly MediaParameter[];
  readonly quality: number;
}

/** In lower case, the value without quotation marks. */
export type MediaParameter = readonly [name: string, value: string];

/** The parameters after a media type. */
export function mediaParameters(parts: readonly string[]): readonly MediaParameter[] {
  return parts
    .map((part) => part.trim().toLowerCase())
    .filter((part) => part !== '')
    .map((part) => {
      const end = part.indexOf('=');
      const [name, value] = end < 0 ? [part, ''] : [part.slice(0, end), part.slice(end + 1)];
      return [
        name.trim(),
        value
          .trim()
          .replace(/^"(.*)"$/, '$1')
          .trim(),
      ];
    });
}

/** The ranges of `Accept`. The codings of `Accept-Encoding` are written in the same way. */
export function mediaRanges(header: string): MediaRange[] {
  return splitOutsideQuotes(header, ',').flatMap((range) => {
    const [first = '', ...rest] = splitOutsideQuotes(range, ';');
    const type = first.trim().toLowerCase();
    if (type === '') return [];
    const parameters = mediaParameters(rest);
    const weight = parameters.findIndex(([name]) => name === 'q');
    if (weight < 0) return [{ type, parameters, quality: 1 }];
    // Parameters after the weight are extensions of Accept, not of the media type.
    return [{ type, parameters: parameters.slice(0, weight), quality: Number(parameters[weight]?.[1]) }];
  });
}

export function splitOutsideQuotes(text: string, separator: ',' | ';'): readonly string[] {
  return text.match(PARTS[separator]) ?? [];
}

const PARTS = { ',': /(?:"[^"]*"?|[^",])+/g, ';': /(?:"[^"]*"?|[^";])+/g };
