import { afterEach, describe, expect, it } from 'vitest';
import type { SharedState } from '../../integration/core/runtime/shared-state.ts';
import { createAccountFile } from '../../integration/features/accounts/account-file.ts';
import { createSharedAccounts } from '../../integration/features/accounts/account-storage.ts';
import { createAuditLog } from '../../integration/features/accounts/audit-log.ts';
import { openSharedState } from '../../integration/features/postgres/shared-state.ts';
import { HAS_POSTGRES, usePostgres } from '../support/postgres.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { basic, createTestAuth, MIN_COST, type TestAuth } from '../unit/accounts/test-auth.ts';

const log = { info: () => undefined, error: () => undefined };
const postgres = usePostgres();
const opened: SharedState[] = [];
let schemas = 0;
afterEach(async () => {
  await Promise.all(opened.splice(0).map((state) => state.close()));
});

function openState(schema: string): SharedState {
  const state = openSharedState({ url: () => postgres().url, schema, log });
  opened.push(state);
  return state;
}

/** Two servers of one site. */
function twoServers(kind: 'file' | 'postgres'): readonly [TestAuth, TestAuth] {
  schemas += 1;
  const folder = temporaryFolder();
  const clock = { now: Date.parse('2026-11-21T12:00:00Z') };
  const open = () =>
    createTestAuth(folder, MIN_COST, clock, kind === 'postgres' ? openState(`s${schemas}`) : undefined);
  return [open(), open()];
}

const JANE = { name: 'jane', password: 'low tide', address: '192.0.2.1' };

describe.each(HAS_POSTGRES ? (['file', 'postgres'] as const) : (['file'] as const))(
  'accounts in a %s',
  (kind) => {
    it('are the same on two servers at once: added, blocked, with another password, removed', async () => {
      const [one, other] = twoServers(kind);
      await one.accounts.add({ name: 'jane', roles: ['editor'], password: 'low tide' });
      const { session } = await other.authenticator.signIn(JANE);
      const credentials = { authorization: null, session, address: '192.0.2.1' };
      expect((await one.authenticator.authenticate(credentials))?.actor.name).toBe('jane');
      await one.accounts.update('jane', { password: 'high tide' });
      expect(await other.authenticator.authenticate(credentials)).toBeNull();
      const next = await other.authenticator.signIn({ ...JANE, password: 'high tide' });
      await other.accounts.update('jane', { blocked: true });
      expect(await one.authenticator.authenticate({ ...credentials, session: next.session })).toBeNull();
      await one.accounts.remove('jane');
      expect(await other.accounts.find('jane')).toBeUndefined();
    });

    it('end a token and a cached password on the other server at once', async () => {
      const [one, other] = twoServers(kind);
      await one.accounts.add({ name: 'jane', roles: [], password: 'low tide' });
      const { secret, token } = await one.accounts.addToken('jane', {
        label: '',
        scope: 'read',
        expires: null,
      });
      const send = (authorization: string) =>
        other.authenticator.authenticate({ authorization, session: undefined, address: '192.0.2.1' });
      expect((await send(`Bearer ${secret}`))?.by).toBe('bearer');
      expect((await send(basic('jane', 'low tide')))?.by).toBe('basic');
      await one.accounts.removeToken('jane', token.id);
      await one.accounts.update('jane', { password: 'high tide' });
      await expect(send(`Bearer ${secret}`)).rejects.toMatchObject({ reason: 'invalid-token' });
      await expect(send(basic('jane', 'low tide'))).rejects.toMatchObject({ reason: 'unauthenticated' });
    });

    it('take one of two accounts of one name that are added at the same moment', async () => {
      const servers = twoServers(kind);
      const added = await Promise.allSettled(
        servers.map(({ accounts }) => accounts.add({ name: 'Jane', roles: [] })),
      );
      expect(added.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect(await servers[0].accounts.list()).toHaveLength(1);
    });

    it('keep one administrator if two servers demote the last two at the same moment', async () => {
      const servers = twoServers(kind);
      for (const name of ['a', 'b']) {
        await servers[0].accounts.add({ name, roles: ['administrator'], password: 'low tide' });
      }
      await Promise.allSettled(
        servers.map(({ accounts }, at) =>
          accounts.update(at === 0 ? 'a' : 'b', { roles: [] }, { keepsAdministrator: true }),
        ),
      );
      const left = await servers[1].accounts.list();
      expect(left.filter(({ roles }) => roles.includes('administrator'))).toHaveLength(1);
    });

    it('take one of two passwords for one link at the same moment', async () => {
      const servers = twoServers(kind);
      await servers[0].accounts.add({ name: 'jane', roles: [] });
      const { secret } = await servers[0].accounts.addLink('jane', 'invitation');
      const passwords = ['first tide', 'second tide'];
      const used = await Promise.allSettled(
        servers.map(({ accounts }, at) => accounts.useLink(secret, passwords[at]!)),
      );
      expect(used.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      const winner = passwords[used.findIndex(({ status }) => status === 'fulfilled')]!;
      await servers[1].authenticator.signIn({ ...JANE, password: winner });
    });

    it('keep all of many changes that two servers make at the same time', async () => {
      const servers = twoServers(kind);
      await servers[0].accounts.add({ name: 'jane', roles: [] });
      const input = { label: '', scope: 'read', expires: null } as const;
      await Promise.all(
        Array.from({ length: 20 }, (_, at) => servers[at % 2]!.accounts.addToken('jane', input)),
      );
      expect((await servers[0].accounts.find('jane'))?.tokens).toHaveLength(20);
    });
  },
);

describe.skipIf(!HAS_POSTGRES)('two servers with their accounts in PostgreSQL', () => {
  const fails = async (auth: TestAuth, address = '192.0.2.1') => {
    const wrong = auth.authenticator.signIn({ ...JANE, password: 'wrong', address });
    return wrong.then(
      () => 'succeeded',
      (error: { reason: string }) => error.reason,
    );
  };

  it('count failed sign-ins together, also those at the same moment', async () => {
    const servers = twoServers('postgres');
    await servers[0].accounts.add({ name: 'jane', roles: [], password: 'low tide' });
    const tries = await Promise.all(
      Array.from({ length: 30 }, (_, at) => {
        const auth = servers[at % 2]!;
        return auth.authenticator
          .authenticate({
            authorization: basic('jane', `wrong ${at}`),
            session: undefined,
            address: '192.0.2.1',
          })
          .catch((error: { reason: string }) => error.reason);
      }),
    );
    expect(tries.filter((reason) => reason === 'unauthenticated')).toHaveLength(10);
    expect(await fails(servers[1])).toBe('too-many-requests');
    expect(await fails(servers[1], '192.0.2.2')).toBe('unauthenticated');
  });

  it('forget failures after a success at either', async () => {
    const [one, other] = twoServers('postgres');
    await one.accounts.add({ name: 'jane', roles: [], password: 'low tide' });
    for (let at = 0; at < 9; at += 1) expect(await fails(one)).toBe('unauthenticated');
    await other.authenticator.signIn(JANE);
    for (let at = 0; at < 10; at += 1)
      expect(await fails(at % 2 === 0 ? one : other)).toBe('unauthenticated');
    expect(await fails(one)).toBe('too-many-requests');
  });

  it('take the setup link of each other, once', async () => {
    const [one, other] = twoServers('postgres');
    const tokens = await Promise.all(
      [one, other].map(async ({ setup }) => (await setup.createSetupLink())?.path.split('=')[1] ?? ''),
    );
    expect(await Promise.all(tokens.map((token) => other.setup.isValid(token)))).toEqual([true, true]);
    const made = await Promise.allSettled([
      other.setup.redeem(tokens[0]!, JANE),
      one.setup.redeem(tokens[1]!, { ...JANE, name: 'bob' }),
    ]);
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await one.setup.isValid(tokens[1]!)).toBe(false);
  });

  it('have one audit log, which has pages', async () => {
    schemas += 1;
    const states = [openState(`s${schemas}`), openState(`s${schemas}`)];
    const logs = states.map((shared) =>
      createAuditLog({
        extent: 'site',
        write: (line) => shared.append('audit', line.trimEnd()),
        lines: (before) => shared.lines('audit', before),
        now: () => Date.parse('2026-11-21T12:00:00Z'),
      }),
    );
    for (let at = 0; at < 6; at += 1) {
      const entry = { event: 'token added', result: 'succeeded', by: 'session' } as const;
      await logs[at % 2]!.record({ ...entry, account: at < 5 ? 'jane' : 'bob', detail: String(at) });
    }
    const first = await logs[0]!.find({ account: 'JANE', limit: 3 });
    expect(first.entries.map(({ detail }) => detail)).toEqual(['4', '3', '2']);
    const rest = await logs[1]!.find({ account: 'jane', limit: 3, before: first.next });
    expect(rest).toMatchObject({ entries: [{ detail: '1' }, { detail: '0' }], next: undefined });
  });

  it('store no name that people tried to sign in with', async () => {
    const [one] = twoServers('postgres');
    await one.authenticator.signIn({ ...JANE, name: 'hunter2' }).catch(() => undefined);
    expect(postgres().dump(`s${schemas}_shared`)).not.toMatch(/hunter2|192\.0\.2/);
  });

  it('say that the database is away, and work again when it is back', async () => {
    const [one] = twoServers('postgres');
    await one.accounts.add({ name: 'jane', roles: [], password: 'low tide' });
    await postgres().kill();
    await expect(one.accounts.find('jane')).rejects.toMatchObject({ reason: 'unavailable' });
    await postgres().start();
    expect((await one.accounts.find('jane'))?.name).toBe('jane');
    await one.authenticator.signIn(JANE);
  });

  it('accept only accounts that are valid', async () => {
    schemas += 1;
    const shared = openState(`s${schemas}`);
    await shared.change(['accounts'], () => ({ values: [{ text: '{}' }], result: undefined }));
    await expect(createSharedAccounts(shared).read()).rejects.toThrow(
      'The accounts file the database is not valid',
    );
    expect(
      await createAccountFile({ file: `${temporaryFolder()}/none.json`, warn: () => undefined }).read(),
    ).toBe(undefined);
  });
});
