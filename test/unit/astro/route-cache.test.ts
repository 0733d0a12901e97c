import { expect, test, vi } from 'vitest';

vi.mock('astro-jsonapi:runtime', () => ({ runtime: () => Promise.reject(new Error('not opened')) }));

test('the middleware of a route cache lets a request pass that Astro gives no cache', async () => {
  const { onRequest } = await import('../../../integration/astro/route-cache.ts');
  const context = { isPrerendered: false } as Parameters<typeof onRequest>[0];
  const response = await onRequest(context, async () => new Response('page'));
  expect(await response?.text()).toBe('page');
});
