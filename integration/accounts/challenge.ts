import { DomainError, UnauthorizedError } from '../util/errors.ts';

const HEADER = { header: 'Authorization' } as const;

/** The credentials are wrong. */
export function credentialsRefused(detail: string): UnauthorizedError {
  return new UnauthorizedError(detail, HEADER);
}

/** The bearer token is not valid. `detail` contains no double quotes: a header repeats it. Source: RFC 6750, section 3. */
export function tokenRefused(detail: string): DomainError {
  return new DomainError('invalid-token', detail, { source: HEADER });
}

/** The token is limited to reading. */
export function scopeTooSmall(): DomainError {
  const detail = 'The token may only read. To write, use one with the scope write.';
  return new DomainError('insufficient-scope', detail, { source: HEADER });
}
