import { BEARER_CHALLENGE, CHALLENGE, ForbiddenError, UnauthorizedError } from '../util/errors.ts';

const HEADER = { header: 'Authorization' } as const;

/** 401 for credentials that do not hold. */
export function credentialsRefused(detail: string): UnauthorizedError {
  return new UnauthorizedError(detail, CHALLENGE, HEADER);
}

/** 401 for a bearer token that does not hold. Source: RFC 6750, section 3. `detail` has no quotes in it. */
export function tokenRefused(detail: string): UnauthorizedError {
  const challenge = `${CHALLENGE}, error="invalid_token", error_description="${detail}"`;
  return new UnauthorizedError(detail, challenge, HEADER);
}

/** 403 for a token that may only read. */
export function scopeTooSmall(): ForbiddenError {
  return new ForbiddenError(
    'The token may only read. To write, use one with the scope write.',
    HEADER,
    `${BEARER_CHALLENGE}, error="insufficient_scope", scope="write"`,
  );
}
