import { beforeAll, describe, expect, it } from 'vitest';
import {
  createSession,
  form,
  json,
  ORIGIN,
  openSignInSite,
  PASSWORD,
  type SignInSite,
} from '../support/sign-in-site.ts';

const HOSTILE = [
  'a\r\nSet-Cookie: astro-session=x',
  'a\nLocation: https://evil.example',
  'a\r\n\r\n<script>alert(1)</script>',
  'a%0d%0aSet-Cookie: x=1',
  'a\u2028Set-Cookie: x=1',
  'a\0b',
  '嘊嘍Set-Cookie: x=1',
];

let site: SignInSite;
beforeAll(async () => {
  site = await openSignInSite();
});

const KNOWN = [
  'cache-control',
  'content-length',
  'content-security-policy',
  'content-type',
  'location',
  'referrer-policy',
  'retry-after',
  'vary',
  'www-authenticate',
  'x-content-type-options',
];

async function expectNothingOfIt(response: Response): Promise<void> {
  expect(response.status).toBeLessThan(500);
  for (const [name, value] of response.headers) {
    expect(KNOWN).toContain(name);
    expect(value).not.toMatch(/[\r\n\0]/);
    if (name !== 'location') expect(value).not.toContain('evil.example');
  }
  expect(await response.text()).not.toContain('<script');
}

describe.each(HOSTILE)('%j', (text) => {
  const session = () => ({ session: createSession() });

  it.each([
    ['in the name', { name: text, pass: 'wrong' }],
    ['in the password', { name: 'ada', pass: text }],
    ['in the destination', { name: 'ada', pass: PASSWORD, destination: `/${text}` }],
    ['in the setup link', { name: 'ada', pass: PASSWORD, setup: text }],
  ])('%s of a form appears in no header and no markup', async (_, fields) => {
    await expectNothingOfIt(await site.request('/user/login', form(fields), { ...session(), address: text }));
  });

  it('in JSON has no effect', async () => {
    const sent = json({ name: text, pass: text });
    await expectNothingOfIt(await site.request('/user/login?_format=json', sent, session()));
  });

  it.each(['/user/login?destination=', '/user/login?setup=', '/user/login?_format=', '/user/logout?token='])(
    'after %s has no effect',
    async (path) => {
      for (const method of ['GET', 'POST']) {
        const init = { method, headers: { origin: ORIGIN } };
        await expectNothingOfIt(await site.request(path + encodeURIComponent(text), init, session()));
      }
    },
  );
});
