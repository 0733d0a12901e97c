import { FILE_MEDIA_TYPE, JSON_MEDIA_TYPE, JSONAPI_MEDIA_TYPE } from '../read/document-types.ts';
import { DomainError } from '../util/errors.ts';

/** What a request says of its body. */
export interface SentBody {
  readonly headers: Headers;
  readonly hasBody: boolean;
}

/**
 * Throws a 415 where a body is sent as something else than JSON:API, or with parameters that nobody here knows
 * (`profile` may be there). Source: JSON:API 1.1, "Server Responsibilities".
 */
export function checkJsonApiBody(body: SentBody): void {
  const odd = checkBody(body, JSONAPI_MEDIA_TYPE).find((name) => name !== 'profile');
  if (odd !== undefined) {
    throw unsupported(`${JSONAPI_MEDIA_TYPE} without the parameter \`${odd}\``, body);
  }
}

/** Throws a 415 for anything but `application/octet-stream`. */
export function checkFileBody(body: SentBody): void {
  checkBody({ ...body, hasBody: true }, FILE_MEDIA_TYPE);
}

/** Whether the body says that it is a file. */
export function isFileBody({ headers }: Pick<SentBody, 'headers'>): boolean {
  return headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase() === FILE_MEDIA_TYPE;
}

/** Throws a 415 where a body is sent as anything but `application/json`, whatever its parameters. */
export function checkJsonBody(body: SentBody): void {
  checkBody(body, JSON_MEDIA_TYPE);
}

/**
 * The names of the media type's parameters. Throws a 415 where it is another; what is not there at all is told where it
 * is read. Letter case does not count.
 */
function checkBody(body: SentBody, wanted: string): readonly string[] {
  const contentType = body.headers.get('content-type');
  if (contentType === null && !body.hasBody) return [];
  checkEncoding(body.headers);
  const [type = '', ...parameters] = (contentType ?? '').split(';').map((part) => part.trim().toLowerCase());
  if (type !== wanted) throw unsupported(wanted, body);
  return parameters.filter((part) => part !== '').map((part) => (part.split('=', 1)[0] ?? '').trim());
}

/** Throws a 415 for a body that is compressed: nothing here unpacks it. Source: RFC 9110, section 12.5.3. */
function checkEncoding(headers: Headers): void {
  const encoding = headers.get('content-encoding') ?? '';
  if (['', 'identity'].includes(encoding.trim().toLowerCase())) return;
  throw new DomainError(
    'unsupported-encoding',
    `The body is encoded as ${JSON.stringify(encoding)}. Send it without Content-Encoding.`,
    { source: { header: 'Content-Encoding' } },
  );
}

function unsupported(expected: string, { headers }: SentBody): DomainError {
  const contentType = headers.get('content-type');
  const actual = contentType === null ? 'The header is missing' : `It is ${JSON.stringify(contentType)}`;
  return new DomainError(
    'unsupported-media-type',
    `The Content-Type of the body must be ${expected}. ${actual}.`,
    { source: { header: 'Content-Type' } },
  );
}
