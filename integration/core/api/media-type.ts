import { FILE_MEDIA_TYPE, JSON_MEDIA_TYPE, JSONAPI_MEDIA_TYPE } from '../read/document-types.ts';
import { DomainError } from '../util/errors.ts';
import { type MediaParameter, mediaParameters, splitOutsideQuotes } from './accept.ts';

/** The part of a request that describes its body. */
interface SentBody {
  readonly headers: Headers;
  readonly hasBody: boolean;
}

/**
 * Throws `unsupported-media-type` for a body that is not JSON:API, or has parameters other than `profile`. Source: JSON:API
 * 1.1, "Server Responsibilities".
 */
export function checkJsonApiBody(body: SentBody): void {
  const parameter = checkBody(body, JSONAPI_MEDIA_TYPE).find(([name]) => name !== 'profile')?.[0];
  if (parameter !== undefined) {
    throw unsupported(`${JSONAPI_MEDIA_TYPE} without the parameter \`${parameter}\``, body);
  }
}

/** Throws `unsupported-media-type` for a body that is not a file. */
export function checkFileBody(body: SentBody): void {
  checkBody({ ...body, hasBody: true }, FILE_MEDIA_TYPE);
}

/** True if the body is a file, according to its Content-Type. */
export function isFileBody({ headers }: Pick<SentBody, 'headers'>): boolean {
  return headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase() === FILE_MEDIA_TYPE;
}

/** Throws `unsupported-media-type` for a body that is not JSON. Parameters do not count. */
export function checkJsonBody(body: SentBody): void {
  checkBody(body, JSON_MEDIA_TYPE);
}

/** The parameters of the media type. Throws `unsupported-media-type` for another one. Missing bodies are reported by the code that reads them. */
export function checkBody(body: SentBody, expected: string): readonly MediaParameter[] {
  const contentType = body.headers.get('content-type');
  if (contentType === null && !body.hasBody) return [];
  checkEncoding(body.headers);
  const [type = '', ...parameters] = splitOutsideQuotes(contentType ?? '', ';');
  if (type.trim().toLowerCase() !== expected) throw unsupported(expected, body);
  return mediaParameters(parameters);
}

/** Throws `unsupported-encoding` for a compressed body. Source: RFC 9110, section 12.5.3. */
function checkEncoding(headers: Headers): void {
  const encoding = headers.get('content-encoding') ?? '';
  if (['', 'identity'].includes(encoding.trim().toLowerCase())) return;
  throw new DomainError(
    'unsupported-encoding',
    `The body is encoded as ${JSON.stringify(encoding)}. Send it without Content-Encoding.`,
    { source: { header: 'Content-Encoding' } },
  );
}

/** `expected` is the media type that a body must have. */
export function unsupported(expected: string, { headers }: SentBody): DomainError {
  const contentType = headers.get('content-type');
  const actual = contentType === null ? 'The header is missing' : `It is ${JSON.stringify(contentType)}`;
  return new DomainError(
    'unsupported-media-type',
    `The Content-Type of the body must be ${expected}. ${actual}.`,
    { source: { header: 'Content-Type' } },
  );
}
