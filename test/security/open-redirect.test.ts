import { beforeAll, describe, expect, it } from 'vitest';
import { safeDestination } from '../../integration/features/accounts/sign-in/login.ts';
import {
  createSession,
  form,
  ORIGIN,
  openSignInSite,
  PASSWORD,
  type SignInSite,
} from '../support/sign-in-site.ts';

const OUTWARD = [
  'https://evil.example',
  'HTTPS://evil.example/editor',
  '//evil.example',
  '///evil.example',
  '////evil.example//',
  '/\\evil.example',
  '\\\\evil.example',
  '\\/evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  '\t//evil.example',
  ' //evil.example',
  '/.//evil.example',
  '/..//evil.example',
  './/evil.example',
  '/x/..//evil.example',
  '/%2e//evil.example',
  '/%2e%2e//evil.example',
  'https:/evil.example',
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'java\nscript:alert(1)',
  'data:text/html,x',
  'mailto:a@evil.example',
  'http://site.invalid@evil.example/',
  '//user@site.invalid/',
  '/docs/../..//evil.example',
];

let site: SignInSite;
beforeAll(async () => {
  site = await openSignInSite();
});

describe('the destination after signing in', () => {
  it.each(OUTWARD)('is ignored if it leads off the site: %j', async (destination) => {
    expect(safeDestination(destination, '')).toBeUndefined();
    const sent = form({ name: 'ada', pass: PASSWORD, destination });
    const response = await site.request('/user/login', sent, { session: createSession() });
    expect(response.headers.get('location')).toBe('/user/login');
    const query = new URLSearchParams({ destination });
    const page = await site.request(`/user/login?${query}`, {}, { session: createSession() });
    expect(await page.text()).not.toContain('name="destination"');
  });

  it.each([
    ['/editor', '/editor'],
    ['editor', '/editor'],
    ['/editor?x=1&y=%0d%0aSet-Cookie:a#part', '/editor?x=1&y=%0d%0aSet-Cookie:a#part'],
    ['/a/../b', '/b'],
    ['evil.example', '/evil.example'],
    ['http:evil.example', '/evil.example'],
    ['/redirect?to=https://evil.example', '/redirect?to=https://evil.example'],
    ['?x=1', '/?x=1'],
    ['/a\r\nSet-Cookie: x=1', '/aSet-Cookie:%20x=1'],
    ['/ä', '/%C3%A4'],
  ])('may be on the site: %j', async (destination, to) => {
    const sent = form({ name: 'ada', pass: PASSWORD, destination });
    const response = await site.request('/user/login', sent, { session: createSession() });
    expect([response.status, response.headers.get('location')]).toEqual([303, to]);
    expect(new URL(to, ORIGIN).origin).toBe(ORIGIN);
  });

  it.each([
    ['/docs/editor', '/docs/editor'],
    ['editor', '/docs/editor'],
    ['/docs', '/docs'],
    ['/elsewhere', undefined],
    ['/docs2', undefined],
    ['/docs/../elsewhere', undefined],
    ['../elsewhere', undefined],
  ])('stays below the base /docs: %j', (destination, to) => {
    expect(safeDestination(destination, '/docs')).toBe(to);
  });
});
