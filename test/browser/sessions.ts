import type { RequestListener } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { RequestSession } from '../../integration/core/api/request.ts';
import { createSession, type TestSession } from '../support/sign-in-site.ts';

type Handle = (request: Request, from: { session: RequestSession }) => Promise<Response | undefined>;

/** The name of the session cookie. */
export const SESSION = 'test-session';

/** Sessions of different sites have different ids. */
let lastSession = 0;

/** Answers with sessions in memory, which a cookie identifies. */
export function withSessions(handle: Handle): RequestListener {
  const sessions = new Map<string, TestSession>();
  return async (incoming, outgoing) => {
    const { method = 'GET', headers, url = '/' } = incoming;
    const id = sessionIn(headers.cookie) ?? String(++lastSession);
    const session = sessions.get(id) ?? createSession();
    sessions.set(id, session);
    const body = await buffer(incoming);
    const sent = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
      typeof value === 'string' ? [[name, value]] : [],
    );
    const request = new Request(`http://${headers.host}${url}`, {
      method,
      headers: sent,
      ...(body.length > 0 && { body: new Uint8Array(body) }),
    });
    const response = await handle(request, { session });
    outgoing.writeHead(response?.status ?? 404, {
      ...Object.fromEntries(response?.headers ?? []),
      'set-cookie': `${SESSION}=${id}; HttpOnly; SameSite=Lax; Path=/`,
    });
    outgoing.end(response === undefined ? 'Not found' : Buffer.from(await response.arrayBuffer()));
  };
}

export function sessionIn(cookies: string | null | undefined): string | undefined {
  return new RegExp(`${SESSION}=(\\d+)`).exec(cookies ?? '')?.[1];
}
