import { expect, test } from 'vitest';
import { NotLoadedError, ServiceUnavailableError } from '../../../integration/core/util/errors.ts';
import { lazyCode } from '../../../integration/core/util/lazy-code.ts';

test('code that cannot be loaded is unavailable, asks to reload the page, and is tried again', async () => {
  let isOnline = false;
  const code = lazyCode(async () => {
    if (!isOnline) throw new TypeError('Failed to fetch dynamically imported module');
    return 'loaded';
  });
  const load = async () => {
    try {
      return code();
    } catch (error) {
      if (!(error instanceof NotLoadedError)) throw error;
      await error.loadCode?.();
      return code();
    }
  };
  const failure = await load().catch((error) => error);
  expect(failure).toBeInstanceOf(ServiceUnavailableError);
  expect(failure.detail).toContain('Reload the page.');
  isOnline = true;
  expect(await load()).toBe('loaded');
  expect(code()).toBe('loaded');
});
