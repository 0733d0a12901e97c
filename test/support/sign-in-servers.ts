import { createHash, randomUUID } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer, request as open } from 'node:http';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { pipeline } from 'node:stream';
import { buffer, json } from 'node:stream/consumers';
import { parse, stringify } from 'devalue';
import { Client } from 'pg';
import { TestRunner } from 'vitest';
import type { Mail } from '../../integration/features/accounts/mail.ts';
import { DEFAULT_COST } from '../../integration/features/accounts/password.ts';
import { openSharedState } from '../../integration/features/postgres/shared-state.ts';
import { build, emptySite, type ServedProcess, type Site, serve } from '../astro/site.ts';
import { createTestAuth, type TestAuth } from '../unit/accounts/test-auth.ts';
import { eventually } from './eventually.ts';
import type { TestPostgres } from './postgres.ts';
import { ARTICLES, addSignInAccounts, type SignInBackend, type TestSession } from './sign-in-site.ts';

/** Astro's `site`, with which links in mails begin. */
const SITE = 'https://mail.site.example';
const COOKIE = '__Host-astro-session';
/** A header of the site's own page. */
const OWN_PAGE = 'x-own-page';

/** Two built servers of one site. */
interface Pair {
  readonly servers: readonly ServedProcess[];
  readonly balancer: Balancer;
}

export interface SignInServers extends SignInBackend {
  /** How many requests each server of each site got from its balancer. */
  shares(): Promise<readonly number[]>;
  stop(): Promise<void>;
}

/**
 * Opens the sites of tests of signing in as built servers: two for each combination of options, behind a balancer that sends
 * each request to the other server. They share the accounts in PostgreSQL, the content, and a folder of sessions. Tests of sites
 * with other options, or with another clock, are skipped.
 */
export async function startSignInServers({ url }: TestPostgres): Promise<SignInServers> {
  const site = emptySite('sign-in-servers');
  writeSite(site);
  const log = { info: () => undefined, error: (message: string) => console.error(message) };
  const shared = openSharedState({ url: () => url, schema: 'astro_jsonapi', log });
  const mails: Mail[] = [];
  const webhook = createHttpServer(async (request, response) => {
    const { data } = (await json(request)) as { data: Mail };
    mails.push(data);
    response.writeHead(204).end();
  });
  const environment = {
    DATABASE_URL: url,
    MAIL_WEBHOOK: `http://127.0.0.1:${await listen(webhook)}`,
    MAIL_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
  };
  const pairs = new Map<string, Promise<Pair>>();
  let accounts: string | undefined;

  async function start(options: string, outDir: string): Promise<Pair> {
    await build(site, { JSONAPI_OPTIONS: options }, outDir);
    const servers = await Promise.all([1, 2].map(() => serve(site, environment, outDir)));
    return {
      servers,
      balancer: await startBalancer(servers.map(({ origin }) => Number(new URL(origin).port))),
    };
  }

  /** Removes everything that the servers have remembered, and adds the accounts if a test has some. */
  async function resetShared(auth: TestAuth, hasAccounts: boolean): Promise<void> {
    await auth.accounts.list();
    const client = new Client({ connectionString: url });
    await client.connect();
    await client.query('delete from astro_jsonapi_shared.shared; delete from astro_jsonapi_shared.lines');
    await client.end();
    if (!hasAccounts) return;
    // Hashes take long, so they are made once.
    if (accounts === undefined) await addSignInAccounts(auth.accounts);
    accounts ??= (await shared.read('accounts'))?.text ?? '';
    const value = { text: accounts };
    await shared.change(['accounts'], () => ({ values: [value], result: undefined }));
  }

  return {
    createSession: (data) => createBrowser(site.file('node_modules/.astro/sessions'), data),
    async open({ accounts: hasAccounts = true, sessions = true, settings, front, roles = {} }) {
      const { cors = false, adminApp: _, ...otherFront } = front ?? {};
      const { admin, ...otherSettings } = settings ?? {};
      const others = Object.keys({
        ...otherFront,
        ...otherSettings,
        ...(!sessions && { sessions }),
        ...(admin === false && { admin }),
      });
      if (others.length > 0) skip(`no servers are built with ${others}`);
      const options = JSON.stringify({ cors, roles });
      const opened = pairs.get(options) ?? start(options, `dist-${pairs.size}`);
      pairs.set(options, opened);
      const { servers, balancer } = await opened;
      const auth = { ...createTestAuth(undefined, DEFAULT_COST, SERVER_CLOCK, shared), mails };
      await resetContent(site, servers);
      await resetShared(auth, hasAccounts);
      mails.length = 0;
      return {
        auth,
        home: '/admin',
        async handle(request, { session, address } = {}) {
          const browser = session as Browser | undefined;
          const response = await send(balancer.port, request, browser?.cookie(), address);
          browser?.take(response);
          const created = response.headers.get('location');
          if (response.status === 201 && created?.includes('/jsonapi/node/')) {
            await untilServed(servers, new URL(created).pathname, request, browser?.cookie());
          }
          return response.headers.has(OWN_PAGE) ? undefined : response;
        },
      };
    },
    shares: async () => (await Promise.all(pairs.values())).flatMap(({ balancer }) => balancer.connections),
    async stop() {
      for (const { servers, balancer } of await Promise.all(pairs.values())) {
        balancer.stop();
        await Promise.all(servers.map((server) => server.stop()));
      }
      webhook.close();
      await shared.close();
      site.remove();
    },
  };
}

/** Tests with a clock of their own cannot set that of a server. */
const SERVER_CLOCK = {
  get now() {
    return Date.now();
  },
  set now(_: number) {
    skip('servers have their own clock');
  },
};

/** Skips the running test. */
function skip(reason: string): void {
  TestRunner.getCurrentTest()?.context.skip(reason);
}

function writeSite(site: Site): void {
  mkdirSync(site.file('src/pages'), { recursive: true });
  writeFileSync(
    site.file('astro.config.mjs'),
    `import node from '@astrojs/node';
import { defineConfig } from 'astro/config';
import jsonapi from 'astro-jsonapi';
import { postgres } from 'astro-jsonapi/postgres';

const mail = { webhook: 'env:MAIL_WEBHOOK', secret: 'env:MAIL_SECRET' };
export default defineConfig({
  site: '${SITE}',
  adapter: node({ mode: 'standalone' }),
  devToolbar: { enabled: false },
  security: { allowedDomains: [{ protocol: 'https', hostname: 'site.example' }] },
  integrations: [
    jsonapi({
      healthPath: '/healthz',
      limits: { writesPerMinute: 100_000 },
      editing: { mail, accountStore: postgres({ url: 'env:DATABASE_URL' }) },
      ...JSON.parse(process.env.JSONAPI_OPTIONS),
    }),
  ],
});
`,
  );
  writeFileSync(
    site.file('src/pages/elsewhere.js'),
    `export const prerender = false;
export const GET = () => new Response('', { headers: { '${OWN_PAGE}': 'yes' } });
`,
  );
  writeContent(site);
}

function writeContent(site: Site): void {
  rmSync(site.file('content'), { recursive: true, force: true });
  mkdirSync(site.file('content/article'), { recursive: true });
  for (const [file, text] of Object.entries(ARTICLES)) writeFileSync(site.file('content', file), text);
}

/** Undoes the changes that tests made to the content, and waits until the servers have noticed it. */
async function resetContent(site: Site, servers: readonly ServedProcess[]): Promise<void> {
  const files = globSync('**/*.md', { cwd: site.file('content') });
  const isSame = (file: string) => readFileSync(site.file('content', file), 'utf8') === ARTICLES[file];
  if (files.length === Object.keys(ARTICLES).length && files.every(isSame)) return;
  for (const file of files) {
    if (ARTICLES[file] === undefined) rmSync(site.file('content', file));
  }
  for (const [file, text] of Object.entries(ARTICLES)) writeFileSync(site.file('content', file), text);
  for (const { origin } of servers) {
    await eventually(async () => {
      const { data } = await (await fetch(`${origin}/jsonapi/node/article?sort=title`)).json();
      const titles = data.map(({ attributes }: { attributes: { title: string } }) => attributes.title);
      if (String(titles) !== 'First,Second') throw new Error(`The server still has ${titles}.`);
    });
  }
}

/** Waits until a new entity has reached both servers, which read it from the same folder. */
async function untilServed(
  servers: readonly ServedProcess[],
  path: string,
  { headers }: Request,
  cookie: string | undefined,
): Promise<void> {
  const authorization = headers.get('authorization');
  const sender = { ...(authorization && { authorization }), ...(cookie && { cookie }) };
  for (const { origin } of servers) {
    await eventually(async () => {
      const { status } = await fetch(origin + path, { headers: sender });
      if (status !== 200) throw new Error(`${path} is a ${status}.`);
    });
  }
}

interface Balancer {
  readonly port: number;
  /** Connections that each server got. */
  readonly connections: readonly number[];
  stop(): void;
}

/** Passes connections to servers in turn. */
async function startBalancer(ports: readonly number[]): Promise<Balancer> {
  const connections = ports.map(() => 0);
  let turn = 0;
  const server = createServer((client) => {
    const at = turn++ % ports.length;
    connections[at]! += 1;
    const upstream = connect(ports[at]!, '127.0.0.1');
    const ignore = () => undefined;
    pipeline(client, upstream, ignore);
    pipeline(upstream, client, ignore);
  });
  return { port: await listen(server), connections, stop: () => void server.close() };
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** Sends a request over a connection of its own, as a proxy that terminates TLS does. */
async function send(
  port: number,
  request: Request,
  cookie: string | undefined,
  address: string | undefined,
): Promise<Response> {
  const { host, protocol, pathname, search } = new URL(request.url);
  const body = Buffer.from(await request.arrayBuffer());
  const headers = {
    ...Object.fromEntries(request.headers),
    host,
    'x-forwarded-host': host,
    'x-forwarded-proto': protocol.slice(0, -1),
    ...(address !== undefined && { 'x-forwarded-for': address }),
    ...(cookie !== undefined && { cookie }),
    ...(body.length > 0 && { 'content-length': String(body.length) }),
  };
  return new Promise((resolve, reject) => {
    const path = pathname + search;
    const sent = open(
      { host: '127.0.0.1', port, path, method: request.method, headers, agent: false },
      async (received) => {
        const bytes = await buffer(received);
        const status = received.statusCode ?? 0;
        const pairs = Object.entries(received.headersDistinct).flatMap(([name, values = []]) =>
          values.map((value): [string, string] => [name, value]),
        );
        resolve(new Response(status === 204 ? null : bytes, { status, headers: pairs }));
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

/** The cookie of a browser, and what the servers have stored for it. */
interface Browser extends TestSession {
  cookie(): string | undefined;
  take(response: Response): void;
}

function createBrowser(folder: string, data: Readonly<Record<string, unknown>> = {}): Browser {
  let id: string | undefined;
  let count = 1;
  let isDestroyed = false;
  const fileOf = (session: string) => `${folder}/${createHash('sha256').update(session).digest('hex')}`;
  const read = (): ReadonlyMap<string, { readonly data: unknown }> =>
    id !== undefined && existsSync(fileOf(id)) ? parse(readFileSync(fileOf(id), 'utf8')) : new Map();
  const set = (key: string, value: unknown) => {
    id ??= randomUUID();
    mkdirSync(folder, { recursive: true });
    writeFileSync(fileOf(id), stringify(new Map([...read(), [key, { data: value }]])));
  };
  const done = (): never => {
    throw new Error('Only a server does this.');
  };
  for (const [key, value] of Object.entries(data)) set(key, value);
  return {
    cookie: () => (id === undefined || isDestroyed ? undefined : `${COOKIE}=${id}`),
    take({ headers }) {
      for (const cookie of headers.getSetCookie()) {
        const [, value] = /^__Host-astro-session=([^;]*)/.exec(cookie) ?? [];
        if (value === undefined || value === id) continue;
        isDestroyed = value === '' || value === 'deleted';
        if (isDestroyed) continue;
        id = value;
        count += 1;
      }
    },
    get data() {
      return new Map([...read()].map(([key, entry]) => [key, entry.data]));
    },
    id: () => count,
    isDestroyed: () => isDestroyed && read().size === 0,
    get: async (key) => read().get(key)?.data,
    set,
    delete: done,
    regenerate: done,
    destroy: done,
  };
}
