import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { Roles } from '../../integration/access/role.ts';
import { adminPage } from '../../integration/runtime/admin-page.ts';
import { decimal, defineSchema, image, reference, z } from '../../integration/schema.ts';
import { createHandler } from '../../integration/server/handler.ts';
import { createMemoryDriver } from '../memory-driver.ts';
import { createServices } from '../services.ts';
import { createSession, PASSWORD, type TestSession } from '../sign-in-site.ts';
import { createTestAuth } from '../unit/accounts/test-auth.ts';
import type { ExampleSite } from './example-site.ts';

export interface WritableSite extends ExampleSite {
  /** The text of a content file; empty if it does not exist. */
  read(key: string): Promise<string>;
  /** Writes a file directly, without the API. */
  write(key: string, text: string): Promise<void>;
  /** Starts a session of an account. Returns the value of its cookie. */
  signIn(name: string): Promise<string>;
}

/** The name of the session cookie. */
export const SESSION = 'test-session';

/** The explorer with content in memory. `ada` is an administrator, `eve` may only read. */
export async function startWritableSite({
  readOnly = false,
  roles = {},
}: {
  readonly readOnly?: boolean;
  readonly roles?: Roles;
} = {}): Promise<WritableSite> {
  const auth = createTestAuth();
  await auth.accounts.add({ name: 'ada', roles: ['administrator'], password: PASSWORD });
  await auth.accounts.add({ name: 'eve', roles: [], password: PASSWORD });
  const driver = createMemoryDriver(CONTENT);
  const services = await createServices(driver, SCHEMA, {
    ...(!readOnly && { writable: {} }),
    roles,
    settings: { signIn: true, explorer: true },
  });
  const handle = createHandler(services, { auth });
  const page = adminPage({ base: '', mode: 'server' });
  const sessions = new Map<string, TestSession>();
  const server = createServer(async (incoming, outgoing) => {
    const { method = 'GET', headers, url = '/' } = incoming;
    if (url === '/jsonapi-explorer') {
      outgoing.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
      outgoing.end(page);
      return;
    }
    const id = new RegExp(`${SESSION}=(\\d+)`).exec(headers.cookie ?? '')?.[1] ?? String(sessions.size + 1);
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
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    async signIn(name) {
      const response = await fetch(`${origin}/user/login?_format=json`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ name, pass: PASSWORD }),
      });
      if (!response.ok) throw new Error(await response.text());
      return new RegExp(`${SESSION}=(\\d+)`).exec(response.headers.get('set-cookie') ?? '')?.[1] ?? '';
    },
    read: async (key) => new TextDecoder().decode(await driver.read(key)),
    write: (key, text) => driver.write(key, new TextEncoder().encode(text)),
    close: () =>
      new Promise((closed) => {
        server.closeAllConnections();
        server.close(() => closed());
      }),
  };
}

const SCHEMA = defineSchema({
  article: {
    field_author: reference('person').nullish(),
    field_cover: image().nullish(),
    field_featured: z.boolean().nullish(),
    field_mood: z.enum(['calm', 'rough']).nullish(),
    field_moment: z.iso.datetime({ offset: true }).nullish(),
    field_place: z.object({ name: z.string(), depth: z.number() }).partial().nullish(),
    field_price: decimal().nullish(),
    field_rating: z.int().max(5).nullish().describe('From 1 to 5.'),
    field_source: reference(['person', 'tag']).nullish(),
    field_tags: z.array(reference('tag')).default([]),
    field_words: z.array(z.string().min(2)).default([]),
  },
  person: {},
  tag: {},
});

const CONTENT = {
  'article/moon.md':
    '---\ntitle: The moon # by heart\nfield_author: jane\nfield_tags: [sky]\nfield_words: [late, round]\nfield_rating: 3\n---\nRises *late*.\n',
  'person/jane.md': '---\ntitle: Jane Low\n---\n',
  'person/omar.md': '---\ntitle: Omar Reed\n---\n',
  'tag/sky.md': '---\ntitle: Sky\n---\n',
  'tag/sea.md': '---\ntitle: Sea\n---\n',
};
