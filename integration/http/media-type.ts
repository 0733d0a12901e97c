import { ApiError } from '../errors.ts';
import { JSONAPI_MEDIA_TYPE } from '../jsonapi/document-types.ts';

/**
 * Throws a 415 where a body is sent as something else than JSON:API, or with parameters that nobody here knows
 * (`profile` may be there); what is not there at all is told where it is read. Letter case does not count. Source: JSON:API 1.1, "Server Responsibilities".
 */
export function checkJsonApiBody({
  headers,
  hasBody,
}: {
  readonly headers: Headers;
  readonly hasBody: boolean;
}): void {
  const contentType = headers.get('content-type');
  if (contentType === null && !hasBody) return;
  const [type = '', ...parameters] = (contentType ?? '').split(';').map((part) => part.trim());
  if (type.toLowerCase() !== JSONAPI_MEDIA_TYPE) throw unsupported(JSONAPI_MEDIA_TYPE, contentType);
  const odd = parameters.find(
    (part) => part !== '' && part.split('=', 1)[0]?.trim().toLowerCase() !== 'profile',
  );
  if (odd !== undefined) {
    throw unsupported(`${JSONAPI_MEDIA_TYPE} without the parameter \`${odd.split('=', 1)[0]}\``, contentType);
  }
}

/** Throws a 415 for anything but `application/octet-stream`. Source: Drupal, "File uploads". */
export function checkFileBody(contentType: string | null): void {
  const [type = ''] = (contentType ?? '').split(';', 1);
  if (type.trim().toLowerCase() !== FILE_MEDIA_TYPE) throw unsupported(FILE_MEDIA_TYPE, contentType);
}

const FILE_MEDIA_TYPE = 'application/octet-stream';

/** Throws a 415 for anything but `application/json`. */
export function checkJsonBody(contentType: string | null): void {
  const [type = ''] = (contentType ?? '').split(';', 1);
  if (type.trim().toLowerCase() !== 'application/json') throw unsupported('application/json', contentType);
}

function unsupported(wanted: string, contentType: string | null): ApiError {
  const sent = contentType === null ? 'nothing says what it is' : `it is ${JSON.stringify(contentType)}`;
  return new ApiError({
    status: 415,
    title: 'Unsupported Media Type',
    detail: `The body has to be ${wanted}; ${sent}.`,
    source: { header: 'Content-Type' },
  });
}
