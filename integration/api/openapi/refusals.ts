import { JSONAPI_MEDIA_TYPE } from '../../read/document-types.ts';
import type { JsonSchema } from '../jsonapi/resource-schema.ts';
import { errorResponse, responseRef } from './error-response.ts';

/** Statuses with which changes are refused, with what they mean. */
const MEANINGS = {
  401: 'Sign in, or with the right credentials.',
  403: 'You may not do this.',
  404: 'There is nothing here, or something that is referred to is not there, or you may not see it.',
  409: 'It stands against what is there, or against the address.',
  410: 'It was removed and will not return.',
  412: 'It has changed since it was read, or is not what a header says.',
  413: 'The body is too large.',
  415: 'The body is of another media type.',
  422: 'It cannot be as it was sent: each error says in `source.pointer` what is wrong.',
  428: 'Changes need the header `If-Match` here.',
  429: 'The account has changed or uploaded too much: try again after the seconds in `Retry-After`.',
  503: 'Others write for too long: try again after the seconds in `Retry-After`.',
} as const satisfies Readonly<Record<number, string>>;

export type RefusalStatus = keyof typeof MEANINGS;

/** What any change may be refused with. */
export const ANY_CHANGE: readonly RefusalStatus[] = [401, 403, 409, 413, 415, 422, 429, 503];
/** What a change of something that is there may be refused with, besides. */
export const STORED: readonly RefusalStatus[] = [...ANY_CHANGE, 404, 410, 412, 428];
/** The same of a change that has no body. */
export const REMOVAL: readonly RefusalStatus[] = STORED.filter((status) => ![413, 415, 422].includes(status));

/** The component responses, in the form of both APIs: the names of the second begin with `plain-`. */
export const REFUSALS: JsonSchema = Object.fromEntries(
  Object.entries(MEANINGS).flatMap(([status, meaning]) => [
    [nameOf('', status), errorResponse(meaning, JSONAPI_MEDIA_TYPE, 'error-document')],
    [nameOf('plain-', status), errorResponse(meaning, 'application/json', 'plain-error-document')],
  ]),
);

export function refusalResponses(form: '' | 'plain-', statuses: readonly RefusalStatus[]): JsonSchema {
  return Object.fromEntries(statuses.map((status) => [status, responseRef(nameOf(form, String(status)))]));
}

function nameOf(form: '' | 'plain-', status: string): string {
  return `${form}refused-${status}`;
}

/** What changes may be sent with. */
export const MATCH_HEADERS: readonly JsonSchema[] = [
  header(
    'If-Match',
    'Changes only what is still as it was read: `"` + `meta.revision` + `"`, or the `ETag` of `GET`.',
  ),
];
export const CREATE_HEADERS: readonly JsonSchema[] = [
  ...MATCH_HEADERS,
  header('If-None-Match', '`*` creates what is not there, and changes nothing that is.'),
];

function header(name: string, description: string): JsonSchema {
  return { name, in: 'header', description, schema: { type: 'string' } };
}

export const CREATED_HEADERS: JsonSchema = {
  Location: { description: 'Where it is.', schema: { type: 'string', format: 'uri' } },
};

/** How a client says who it is. Source: OpenAPI Specification 3.1.1, "Security Scheme Object". */
export const SECURITY_SCHEMES: JsonSchema = {
  basic: { type: 'http', scheme: 'basic' },
  bearer: { type: 'http', scheme: 'bearer' },
};
export const SECURITY: readonly JsonSchema[] = [{ basic: [] }, { bearer: [] }];
