import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A link that signs a browser in. */
export interface SignInLink {
  readonly link: string;
  stop(): void;
}

/**
 * Serves a link on the host of a site that signs a browser in as an account and opens the admin. Browsers send the cookies of a
 * host to all of its ports. The path of the link is a secret.
 */
export async function serveSignIn(origin: string, name: string, pass: string): Promise<SignInLink> {
  const secret = `/${randomBytes(16).toString('hex')}`;
  const server = createServer(async (request, response) => {
    if (request.url !== secret) return void response.writeHead(404).end();
    const answer = await fetch(`${origin}/user/login`, {
      method: 'POST',
      body: new URLSearchParams({ name, pass }),
      headers: { origin },
      redirect: 'manual',
    });
    const cookies = answer.headers.getSetCookie();
    response.writeHead(303, { location: `${origin}/admin`, 'set-cookie': cookies }).end();
  });
  const { hostname } = new URL(origin);
  server.listen(0, hostname);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { link: `http://${hostname}:${port}${secret}`, stop: () => void server.close() };
}
