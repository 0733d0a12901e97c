import { describe, expect, it } from 'vitest';
import { createSessions } from '../../../integration/cli/sessions.ts';
import type { RequestSession } from '../../../integration/core/api/request.ts';

const sessions = createSessions({ cookie: 'notes', base: '/docs' });

/** Runs code with the session of a cookie. Returns the cookie of the response, or null. */
async function visit(cookie: string, use: (session: RequestSession) => unknown): Promise<string | null> {
  const request = new Request('http://localhost/', { headers: { cookie } });
  const response = await sessions.follow(request, async (session) => {
    await use(session);
    return new Response();
  });
  return response.headers.get('set-cookie');
}

const pairOf = (setCookie: string | null) => setCookie?.split(';', 1)[0] ?? '';

async function stored(cookie: string): Promise<unknown> {
  let value: unknown;
  await visit(cookie, async (session) => {
    value = await session.get('name');
  });
  return value;
}

describe('sessions in memory', () => {
  it('begin with the first value', async () => {
    expect(await visit('', (session) => session.get('name'))).toBeNull();
    const setCookie = await visit('', (session) => session.set('name', 'ada'));
    expect(setCookie).toMatch(/^notes=[\w-]{43}; Path=\/docs\/; HttpOnly; SameSite=Lax; Max-Age=1209600$/);
    expect(await stored(pairOf(setCookie))).toBe('ada');
    expect(await stored(`theme=dark; ${pairOf(setCookie)}`)).toBe('ada');
    expect(await visit(pairOf(setCookie), (session) => session.set('name', 'eve'))).toBeNull();
    expect(await stored(pairOf(setCookie))).toBe('eve');
  });

  it('do not take an id from a client', async () => {
    const planted = `notes=${'a'.repeat(43)}`;
    const setCookie = await visit(planted, (session) => session.set('name', 'ada'));
    expect(pairOf(setCookie)).not.toBe(planted);
    expect(await stored(planted)).toBeUndefined();
  });

  it('get a new id and keep their data; the old id ends', async () => {
    const first = pairOf(await visit('', (session) => session.set('name', 'ada')));
    const second = pairOf(await visit(first, (session) => session.regenerate()));
    expect(second).not.toBe(first);
    expect([await stored(first), await stored(second)]).toEqual([undefined, 'ada']);
  });

  it('lose a value, and end', async () => {
    const cookie = pairOf(await visit('', (session) => session.set('name', 'ada')));
    await visit(cookie, (session) => session.delete('name'));
    expect(await stored(cookie)).toBeUndefined();
    await visit(cookie, (session) => session.set('name', 'ada'));
    expect(await visit(cookie, (session) => session.destroy())).toContain('notes=; ');
    expect(await stored(cookie)).toBeUndefined();
  });
});
