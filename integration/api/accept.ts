import { JSONAPI_MEDIA_TYPE } from '../read/document-types.ts';
import { NotAcceptableError } from '../util/errors.ts';

/**
 * Throws NotAcceptableError where the header names the JSON:API media type and every such range has a parameter
 * that we do not know (`profile` may be there, `ext` and others may not). Other ranges never fail.
 * Source: JSON:API 1.1, "Server Responsibilities".
 */
export function checkJsonApiAccept(header: string | null): void {
  const ranges = mediaRanges(header).filter((range) => range.type === JSONAPI_MEDIA_TYPE);
  if (ranges.length === 0) return;
  if (ranges.some(({ parameters }) => parameters.every((name) => name === 'profile'))) return;
  throw new NotAcceptableError(
    `Every ${JSONAPI_MEDIA_TYPE} in Accept has a parameter that is not supported here. Send it without parameters.`,
    { header: 'Accept' },
  );
}

/** Throws NotAcceptableError where nothing that the header accepts is JSON. */
export function checkJsonAccept(header: string | null): void {
  const ranges = mediaRanges(header);
  if (ranges.length === 0) return;
  if (ranges.some(({ type, quality }) => quality > 0 && JSON_RANGES.includes(type))) return;
  throw new NotAcceptableError('Only application/json is answered here.', { header: 'Accept' });
}

function mediaRanges(header: string | null): MediaRange[] {
  return splitOutsideQuotes(header ?? '', ',').flatMap((text) => {
    const [type = '', ...rest] = splitOutsideQuotes(text, ';').map((part) => part.trim());
    if (type === '') return [];
    const parameters = rest
      .filter((part) => part !== '')
      .map((part) => part.split('=', 2).map((side) => side.trim()));
    const weight = parameters.findIndex(([name]) => name?.toLowerCase() === 'q');
    return {
      type: type.toLowerCase(),
      // What follows the weight are extensions of Accept, not parameters of the media type.
      parameters: (weight < 0 ? parameters : parameters.slice(0, weight)).map(([name = '']) =>
        name.toLowerCase(),
      ),
      quality: weight < 0 ? 1 : Number(parameters[weight]?.[1]),
    };
  });
}

function splitOutsideQuotes(text: string, separator: string): string[] {
  const parts = [''];
  let quoted = false;
  for (const sign of text) {
    if (sign === '"') quoted = !quoted;
    if (sign === separator && !quoted) parts.push('');
    else parts[parts.length - 1] += sign;
  }
  return parts;
}

const JSON_RANGES: readonly string[] = ['application/json', 'application/*', '*/*'];

interface MediaRange {
  readonly type: string;
  /** Names, lower case, without the weight. */
  readonly parameters: readonly string[];
  readonly quality: number;
}
