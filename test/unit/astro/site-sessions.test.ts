import { sessionDrivers } from 'astro/config';
import { describe, expect, it } from 'vitest';
import { SESSION_SECONDS, sessionCookie, sessionDefaults } from '../../../integration/astro/site-sessions.ts';

const DRIVER = new URL('file:///driver.js');
const FILES = sessionDrivers.fsLite({ base: '/srv/sessions' });
const REDIS = sessionDrivers.redis({ url: 'redis://127.0.0.1' });
const defaults = (session: Parameters<typeof sessionDefaults>[0]['session'], command = 'build') =>
  sessionDefaults({ session }, command, DRIVER);

describe('sessions', () => {
  it('are unchanged without a storage for them', () => {
    expect(defaults(false)).toBeUndefined();
    expect(defaults(undefined)).toBeUndefined();
    expect(defaults({ ttl: 5 })).toBeUndefined();
  });

  it('end after 14 days, or after the time that the site sets', () => {
    expect(SESSION_SECONDS).toBe(14 * 24 * 60 * 60);
    expect(defaults({ driver: REDIS })?.ttl).toBe(SESSION_SECONDS);
    expect(defaults({ driver: REDIS, ttl: 60 })?.ttl).toBe(60);
  });

  it('in files are stored by a driver that keeps them private, in the same folder', () => {
    const driver = { entrypoint: DRIVER, config: { base: '/srv/sessions', ttl: 60 } };
    expect(defaults({ driver: FILES, ttl: 60 })).toMatchObject({ driver });
    expect(defaults({ driver: 'fs', options: { base: '/srv/sessions' }, ttl: 60 })).toMatchObject({ driver });
    expect(defaults({ driver: sessionDrivers.fs({}) })).toMatchObject({
      driver: { config: { base: '.astro/session' } },
    });
  });

  it('with another driver keep it', () => {
    expect(defaults({ driver: REDIS })).not.toHaveProperty('driver');
    expect(defaults({ driver: { entrypoint: './my-fs-lite.ts' } })).not.toHaveProperty('driver');
  });
});

describe('the cookie', () => {
  it('of a built server cannot be overwritten by another host', () => {
    const cookie = { name: '__Host-astro-session' };
    expect(defaults({ driver: FILES })?.cookie).toEqual(cookie);
    expect(defaults({ driver: REDIS, cookie: { sameSite: 'none' } })?.cookie).toEqual(cookie);
  });

  it.each([
    ['a name', { name: 'mine' }],
    ['a domain', { domain: 'example.org' }],
    ['a path', { path: '/app' }],
    ['plain HTTP', { secure: false }],
  ])('keeps its name if the site configures %s', (_, cookie) => {
    expect(defaults({ driver: FILES, cookie })).not.toHaveProperty('cookie');
  });

  it('keeps its name in astro dev, which has no TLS', () => {
    expect(defaults({ driver: FILES }, 'dev')).not.toHaveProperty('cookie');
  });

  it('has the name that the server expects', () => {
    expect(sessionCookie({ session: false })).toBeNull();
    expect(sessionCookie({ session: { driver: FILES } })).toBe('astro-session');
    expect(sessionCookie({ session: { driver: FILES, cookie: { name: 'mine' } } })).toBe('mine');
  });
});
