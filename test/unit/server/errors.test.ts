import { afterEach, describe, expect, it, vi } from 'vitest';
import { errorResponse } from '../../../integration/core/server/errors.ts';
import {
  LockTimeoutError,
  RevisionConflictError,
  UnsafeKeyError,
  UnwritableStorageError,
} from '../../../integration/core/storage/errors.ts';
import {
  DomainError,
  MethodNotAllowedError,
  NotFoundError,
  TooManyRequestsError,
  UnauthorizedError,
} from '../../../integration/core/util/errors.ts';
import { scopeTooSmall, tokenRefused } from '../../../integration/features/accounts/credentials.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

const request = new Request('http://example.com/jsonapi');
const BOTH = 'Basic realm="content", charset="UTF-8", Bearer realm="content"';

describe('the response to an error', () => {
  it.each([
    [new RevisionConflictError('a.md', null), 409, {}],
    [new LockTimeoutError(10_000), 503, { 'retry-after': '2' }],
    [new UnwritableStorageError('Full.', undefined, 'out-of-space'), 507, {}],
    [new UnsafeKeyError('a', 'is too long.'), 422, {}],
    [new MethodNotAllowedError('PUT', ['GET', 'HEAD']), 405, { allow: 'GET, HEAD' }],
    [new TooManyRequestsError('Too many.', 0.2), 429, { 'retry-after': '1' }],
    [new DomainError('unsupported-encoding', 'Compressed.'), 415, { 'accept-encoding': 'identity' }],
    [new UnauthorizedError('Sign in.'), 401, { 'www-authenticate': BOTH }],
    [
      tokenRefused('Expired.'),
      401,
      { 'www-authenticate': `${BOTH}, error="invalid_token", error_description="Expired."` },
    ],
    [
      scopeTooSmall(),
      403,
      { 'www-authenticate': 'Bearer realm="content", error="insufficient_scope", scope="write"' },
    ],
  ])('%s has its status and headers', async (error, status, headers) => {
    const response = errorResponse(request, 'jsonapi', error);
    expect(response.status).toBe(status);
    expect(Object.fromEntries(response.headers)).toMatchObject(headers);
    expect(await response.json()).toMatchObject({
      errors: [{ status: String(status), detail: error.detail }],
    });
  });

  it('does not trigger a password prompt for requests from scripts', () => {
    const sent = new Request(request, { headers: { 'sec-fetch-dest': 'empty' } });
    const response = errorResponse(sent, 'jsonapi', new UnauthorizedError('Sign in.'));
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="content"');
  });
});

describe('the error log', () => {
  const statusAndLog = async (error: DomainError) => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const response = errorResponse(request, 'jsonapi', error);
    expect(await response.text()).not.toContain('/srv/content');
    return [response.status, log.mock.calls.flat().filter((each) => each instanceof Error)];
  };

  it('contains the system error if content cannot be written; the response does not', async () => {
    const error = new UnwritableStorageError(
      'a.md cannot be written.',
      new Error('EACCES, open /srv/content/a.md'),
    );
    expect(await statusAndLog(error)).toEqual([503, [error]]);
  });

  it.each([
    [new LockTimeoutError(10_000), 503],
    [new NotFoundError('Not there.'), 404],
  ])('does not contain %s', async (error, status) => {
    expect(await statusAndLog(error)).toEqual([status, []]);
  });
});
