import { afterEach, expect, it, vi } from 'vitest';
import { answerOrError } from '../../../integration/server/error-response.ts';
import { LockTimeoutError, UnwritableStorageError } from '../../../integration/storage/errors.ts';
import { NotFoundError } from '../../../integration/util/errors.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

async function statusAndLog(error: Error): Promise<readonly [status: number, logged: readonly unknown[]]> {
  const log = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const request = new Request('http://example.com/jsonapi');
  const response = await answerOrError(request, 'jsonapi', () => Promise.reject(error));
  expect(await response.text()).not.toContain('/srv/content');
  return [response.status, log.mock.calls.flat().filter((each) => each instanceof Error)];
}

it('logs what the system said where content cannot be written, and does not send it', async () => {
  const error = new UnwritableStorageError(
    'a.md cannot be written.',
    new Error('EACCES, open /srv/content/a.md'),
  );
  expect(await statusAndLog(error)).toEqual([503, [error]]);
});

it.each([new LockTimeoutError(10_000), new NotFoundError('There is none.')])(
  'does not log %s',
  async (error) => {
    expect(await statusAndLog(error)).toEqual([error.status, []]);
  },
);
