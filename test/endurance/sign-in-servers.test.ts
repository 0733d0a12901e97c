import { afterAll, describe, expect, it } from 'vitest';
import { HAS_POSTGRES, startPostgres } from '../support/postgres.ts';
import { startSignInServers } from '../support/sign-in-servers.ts';
import { useSignInBackend } from '../support/sign-in-site.ts';

const postgres = HAS_POSTGRES ? await startPostgres() : undefined;
const servers = postgres && (await startSignInServers(postgres));
useSignInBackend(servers);
afterAll(async () => {
  await servers?.stop();
  await postgres?.remove();
});

/** Tests of one server, which two servers behind a balancer pass too. */
const TABLES = [
  ['signing in', () => import('../unit/server/sign-in.test.ts')],
  ['links', () => import('../unit/server/links.test.ts')],
  ['accounts over HTTP', () => import('../unit/api/jsonapi/accounts.test.ts')],
  ['the own account', () => import('../unit/server/admin/me.test.ts')],
  ['sessions', () => import('../security/session.test.ts')],
  ['requests of other sites', () => import('../security/csrf.test.ts')],
] as const;

describe.skipIf(!HAS_POSTGRES)('two built servers behind a balancer', () => {
  for (const [name, load] of TABLES) describe(name, async () => void (await load()));

  it('have answered half of the requests each', async () => {
    const shares = await servers!.shares();
    expect(shares.length).toBeGreaterThan(2);
    for (const [at, share] of shares.entries()) {
      expect(share).toBeGreaterThan(10);
      expect(Math.abs(share - shares[at ^ 1]!)).toBeLessThan(2);
    }
  });
});
