import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openAuth } from '../../integration/features/accounts/open-auth.ts';
import { build, copySite, type Served, type Site, serve } from '../astro/site.ts';

const LOOPS = 40;
const ACCOUNTS = ['ada', 'bob', 'cleo', 'dan', 'eve'];
/** The sign-ins of each account. All accounts sign in at the same time. */
const ROUNDS = 6;
const PASSWORD = 'correct horse';

let site: Site;
let server: Served;
const agent = new Agent({ keepAlive: true });

beforeAll(async () => {
  site = copySite('plain', 'sign-in-attack');
  writeFileSync(
    site.file('astro.config.mjs'),
    `import node from '@astrojs/node';
import { defineConfig } from 'astro/config';
import jsonapi from 'astro-jsonapi';
export default defineConfig({
  adapter: node({ mode: 'standalone' }),
  integrations: [jsonapi({ editing: true })],
  security: { allowedDomains: [{ protocol: 'https', hostname: 'site.example' }] },
});
`,
  );
  const { accounts } = openAuth({ file: site.file('.astro-jsonapi/accounts.json'), warn: console.warn });
  for (const name of ACCOUNTS) await accounts.add({ name, roles: [], password: PASSWORD });
  await build(site);
  server = await serve(site);
});
afterAll(async () => {
  agent.destroy();
  await server?.stop();
  site?.remove();
});

/** The status of a request that a proxy forwards for a visitor. */
function send(method: string, path: string, address: string, body = ''): Promise<number> {
  const headers = {
    host: 'site.example',
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'site.example',
    'x-forwarded-for': address,
    ...(body !== '' && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
  };
  return new Promise((resolve, reject) => {
    const sent = request(server.origin + path, { method, headers, agent }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const newAddress = () => randomBytes(4).join('.');
const signIn = (name: string, pass: string) =>
  send('POST', '/user/login?_format=json', newAddress(), JSON.stringify({ name, pass }));

it('correct sign-ins from new addresses succeed while wrong ones come from ever new addresses', async () => {
  const state = { isOver: false };
  let wrong = 0;
  const loops = Array.from({ length: LOOPS }, async () => {
    while (!state.isOver) {
      await signIn(randomBytes(6).toString('hex'), 'wrong password');
      wrong += 1;
    }
  });
  const reads: number[] = [];
  const reading = (async () => {
    while (!state.isOver) {
      const start = performance.now();
      await send('GET', '/jsonapi/node/article', '192.0.2.1');
      reads.push(performance.now() - start);
      await sleep(50);
    }
  })();
  await sleep(3000);
  const statuses: number[] = [];
  const waits: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const signIns = ACCOUNTS.map(async (name) => {
      const start = performance.now();
      statuses.push(await signIn(name, PASSWORD));
      waits.push(performance.now() - start);
    });
    await Promise.all(signIns);
  }
  state.isOver = true;
  await Promise.all([...loops, reading]);
  const at = (list: readonly number[], part: number) =>
    (list.toSorted((a, b) => a - b)[Math.floor(list.length * part)] ?? 0).toFixed(0);
  const right = statuses.filter((status) => status === 200).length;
  console.log(
    `${right} of ${statuses.length} right sign-ins, after ${at(waits, 0.5)} ms (longest ${at(waits, 0.999)} ms), ` +
      `during ${wrong} wrong ones; GET p50 ${at(reads, 0.5)} ms, p99 ${at(reads, 0.99)} ms`,
  );
  expect(right).toBe(ACCOUNTS.length * ROUNDS);
});
