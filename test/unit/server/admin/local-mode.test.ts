import { describe, expect, it } from 'vitest';
import { createLocalMode } from '../../../../integration/core/runtime/local-mode.ts';

const SECRET = 'k3y';
const COOKIE = `astro-jsonapi-local-demo=${SECRET}`;
const mode = createLocalMode({ secret: SECRET, name: 'Ann Author', base: '/docs', site: 'demo' });

interface Sent {
  readonly url?: string;
  readonly address?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

function send({ url = 'http://localhost:4321/admin', headers = {}, ...sent }: Sent = {}) {
  const request = new Request(url, { headers: { host: new URL(url).host, ...headers } });
  const address = 'address' in sent ? sent.address : '127.0.0.1';
  return {
    isAdmitted: mode.admits(request, address),
    author: (cookie: string) => {
      request.headers.set('cookie', cookie);
      return mode.authorOf(request, address);
    },
  };
}

const ADMITTED: readonly [string, Sent][] = [
  ['the address bar', { headers: { 'sec-fetch-site': 'none' } }],
  ['a page of the site', { headers: { 'sec-fetch-site': 'same-origin', origin: 'http://localhost:4321' } }],
  ['a browser without Fetch Metadata', { headers: { origin: 'http://localhost:4321' } }],
  ['a program', {}],
  ['127.0.0.1', { url: 'http://127.0.0.1:4321/admin' }],
  ['[::1]', { url: 'http://[::1]:4321/admin', address: '::1' }],
  ['a host without a port', { url: 'http://localhost/admin' }],
  ['a host in capitals', { headers: { host: 'LOCALHOST:4321' } }],
  ['an IPv4-mapped address', { address: '::ffff:127.0.0.1' }],
  ['another loopback address', { address: '127.8.9.10' }],
];

const REFUSED: readonly [string, Sent][] = [
  ['another machine', { address: '192.168.1.20' }],
  ['another machine, with a mapped address', { address: '::ffff:10.0.0.5' }],
  ['an unknown address', { address: undefined }],
  ['an address that begins like loopback', { address: '127.0.0.1.evil.example' }],
  ['a forged address', { address: '::1, 10.0.0.5' }],
  ['a name that resolves to this machine', { url: 'http://evil.example:4321/admin' }],
  ['a rebound name in the Host header', { headers: { host: 'evil.example:4321' } }],
  ['a rebound name in the URL', { url: 'http://evil.example/', headers: { host: 'localhost' } }],
  ['a name that begins like localhost', { headers: { host: 'localhost.evil.example' } }],
  ['a name that ends like localhost', { headers: { host: 'evil-localhost:4321' } }],
  ['a subdomain of localhost', { headers: { host: 'app.localhost:4321' } }],
  ['a name that contains 127.0.0.1', { headers: { host: '127.0.0.1.nip.io:4321' } }],
  ['a host with credentials', { headers: { host: 'localhost@evil.example' } }],
  ['the name of this machine in its network', { url: 'http://192.168.1.10:4321/admin' }],
  ['a page of another site', { headers: { 'sec-fetch-site': 'cross-site' } }],
  ['a page on another port', { headers: { 'sec-fetch-site': 'same-site', origin: 'http://localhost:3000' } }],
  ['a page of another origin in an older browser', { headers: { origin: 'http://localhost:3000' } }],
  ['a sandboxed frame', { headers: { origin: 'null' } }],
  ['a proxy that reports its client', { headers: { 'x-forwarded-for': '203.0.113.7' } }],
  ['a proxy that reports its host', { headers: { 'x-forwarded-host': 'site.example' } }],
  ['a proxy with the header Forwarded', { headers: { forwarded: 'for=203.0.113.7' } }],
  ['a proxy with the header Via', { headers: { via: '1.1 tunnel' } }],
];

describe('local mode', () => {
  it.each(ADMITTED)('admits %s', (_, sent) => {
    expect(send(sent).isAdmitted).toBe(true);
    expect(send(sent).author(COOKIE)?.name).toBe('Ann Author');
  });

  it.each(REFUSED)('refuses %s, even with the cookie', (_, sent) => {
    expect(send(sent).isAdmitted).toBe(false);
    expect(send(sent).author(COOKIE)).toBeUndefined();
  });

  it.each([
    ['', undefined],
    ['astro-jsonapi-local-demo=', undefined],
    ['astro-jsonapi-local-demo=k3', undefined],
    ['astro-jsonapi-local-demo=k3y2', undefined],
    ['astro-jsonapi-local-other=k3y', undefined],
    ['x-astro-jsonapi-local-demo=k3y', undefined],
    ['theme=dark; astro-jsonapi-local-demo=k3y', 'Ann Author'],
    ['astro-jsonapi-local-demo=k3y;theme=dark', 'Ann Author'],
  ])('with the cookie %j, the author is %s', (cookie, name) => {
    expect(send().author(cookie)?.name).toBe(name);
  });

  it('has an author with the role administrator and the permission to write MDX', () => {
    expect(mode.author).toEqual({
      name: 'Ann Author',
      roles: ['authenticated', 'administrator'],
      also: ['write mdx'],
    });
    const nameless = createLocalMode({ secret: SECRET, name: '', base: '', site: 'demo' });
    expect(nameless.author.name).toBe('local author');
  });

  it('sends a cookie that scripts and other sites cannot use', () => {
    expect(mode.cookie).toBe(`${COOKIE}; Path=/docs/; HttpOnly; SameSite=Strict`);
  });
});
