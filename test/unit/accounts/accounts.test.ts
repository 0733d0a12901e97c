import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { actorOf } from '../../../integration/core/access/members.ts';
import { createTestAuth, type TestAuth } from './test-auth.ts';

let auth: TestAuth;
beforeEach(() => {
  auth = createTestAuth();
});

describe('an account', () => {
  it.each([
    ['jane'],
    ['Jane Shore'],
    ["o'neil+x@tides.example"],
    ['Žofie_1'],
    ['李小龙'],
    ['a'],
    ['x'.repeat(60)],
  ])('may have the name %s', async (name) => {
    expect((await auth.accounts.add({ name, roles: [] })).name).toBe(name);
  });

  it.each([
    [''],
    [' '],
    ['a:b'],
    ['a/b'],
    ['../x'],
    ['.hidden'],
    ['-x'],
    ['a\nb'],
    ['a\u0000'],
    ['a\u202eb'],
    ['<b>'],
    ['anonymous'],
    ['Anonymous'],
    ['x'.repeat(61)],
  ])('cannot have the name %j', async (name) => {
    await expect(auth.accounts.add({ name, roles: [] })).rejects.toMatchObject({
      reason: 'invalid',
      field: 'name',
    });
    expect(await auth.accounts.list()).toEqual([]);
  });

  it('has a unique name, regardless of letter case and Unicode composition', async () => {
    await auth.accounts.add({ name: ' Ren\u0065\u0301e ', roles: [] });
    expect((await auth.accounts.find('REN\u00c9E'))?.name).toBe('Ren\u00e9e');
    await expect(auth.accounts.add({ name: 'ren\u00e9E', roles: [] })).rejects.toMatchObject({
      reason: 'conflict',
    });
    expect(await auth.accounts.find('Rene')).toBeUndefined();
  });

  it('has its own roles and the role of every signed-in user', async () => {
    const account = await auth.accounts.add({ name: 'jane', roles: ['editor', 'editor', 'tide_keeper'] });
    expect(actorOf(account)).toEqual({ name: 'jane', roles: ['authenticated', 'editor', 'tide_keeper'] });
    expect((await auth.accounts.update('JANE', { roles: (roles) => [...roles, 'x'] })).roles).toEqual([
      'editor',
      'tide_keeper',
      'x',
    ]);
    for (const role of ['authenticated', 'anonymous', '', 'a b', '-a']) {
      await expect(auth.accounts.update('jane', { roles: () => [role] })).rejects.toMatchObject({
        field: 'roles',
      });
    }
  });

  it('has an optional mail address', async () => {
    await expect(auth.accounts.add({ name: 'jane', roles: [], mail: 'jane' })).rejects.toMatchObject({
      field: 'mail',
    });
  });

  it('rejects a password that is easy to guess', async () => {
    const add = auth.accounts.add({ name: 'jane', roles: [], password: 'short' });
    await expect(add).rejects.toMatchObject({ reason: 'invalid', field: 'password' });
    await auth.accounts.add({ name: 'jane', roles: [] });
    await expect(auth.accounts.update('jane', { password: 'JANE' })).rejects.toMatchObject({
      field: 'password',
    });
  });

  it('cannot be changed if it does not exist', async () => {
    const unknown = { reason: 'not-found', detail: 'There is no account bob.' };
    await expect(auth.accounts.update('bob', { password: 'low tide' })).rejects.toMatchObject(unknown);
    await expect(auth.accounts.update('bob', { blocked: true })).rejects.toMatchObject(unknown);
    await expect(auth.accounts.update('bob', { roles: () => [] })).rejects.toMatchObject(unknown);
    await expect(
      auth.accounts.addToken('bob', { label: '', scope: 'read', expires: null }),
    ).rejects.toMatchObject(unknown);
  });
});

describe('changes of an account', () => {
  const update = (...change: Parameters<TestAuth['accounts']['update']>) => auth.accounts.update(...change);

  it('are made all or none', async () => {
    const before = await auth.accounts.add({ name: 'jane', roles: ['editor'], password: 'low tide' });
    const changes = { roles: [], blocked: true, displayName: 'Jane', mail: 'no address' };
    await expect(update('jane', changes)).rejects.toMatchObject({ field: 'mail' });
    await expect(update('jane', { ...changes, mail: null, password: 'x' })).rejects.toMatchObject({
      field: 'password',
    });
    expect(await auth.accounts.find('jane')).toEqual(before);
    const after = await update('jane', { ...changes, mail: 'jane@site.example' });
    expect(after).toMatchObject({ roles: [], blocked: true, displayName: 'Jane', mail: 'jane@site.example' });
    expect(after.password).toBe(before.password);
    expect(await auth.restarted().accounts.find('jane')).toEqual(after);
  });

  it.each([
    ['a password', { password: 'high tide' }, true],
    ['no password', { password: null }, true],
    ['a block', { blocked: true }, true],
    ['the same state', { blocked: false }, false],
    ['roles', { roles: ['editor'] }, false],
    ['a display name', { displayName: 'Jane' }, false],
    ['nothing', {}, false],
  ] as const)('end its sessions if necessary: %s', async (_, changes, ends) => {
    const { epoch } = await auth.accounts.add({ name: 'jane', roles: [], password: 'low tide' });
    expect((await update('jane', changes)).epoch !== epoch).toBe(ends);
  });

  it('keep their ids until they are removed', async () => {
    const add = () => auth.accounts.add({ name: 'jane', roles: [] });
    const idOf = ({ epoch }: { readonly epoch: string }) => epoch.split('.')[0];
    const first = await add();
    for (let round = 0; round < 2; round++) {
      expect(idOf(await update('jane', { password: `tide ${round} is high` }))).toBe(idOf(first));
      expect(idOf(await auth.accounts.endSessions('jane'))).toBe(idOf(first));
    }
    await auth.accounts.remove('jane');
    expect(idOf(await add())).not.toBe(idOf(first));
  });

  it.each([[''], [' '], ['a\nb'], ['\u202e'], ['x'.repeat(101)]])(
    'cannot set the display name %j',
    async (displayName) => {
      await auth.accounts.add({ name: 'jane', roles: [] });
      await expect(update('jane', { displayName })).rejects.toMatchObject({ field: 'displayName' });
    },
  );

  describe('that keep an administrator', () => {
    const RULES = { keepsAdministrator: true } as const;
    const conflict = { reason: 'conflict' };

    it('leave the last administrator with a password', async () => {
      await auth.accounts.add({ name: 'ada', roles: ['administrator'], password: 'low tide' });
      await auth.accounts.add({ name: 'program', roles: ['administrator'] });
      await expect(update('ada', { roles: [] }, RULES)).rejects.toMatchObject(conflict);
      await expect(update('ada', { blocked: true }, RULES)).rejects.toMatchObject(conflict);
      await expect(update('ada', { password: null }, RULES)).rejects.toMatchObject(conflict);
      await expect(auth.accounts.remove('ada', RULES)).rejects.toMatchObject(conflict);
      await update('ada', { roles: (present) => [...present, 'editor'], password: 'high tide' }, RULES);
      await auth.accounts.remove('program', RULES);
      await update('ada', { blocked: true });
      expect((await auth.accounts.find('ada'))?.blocked).toBe(true);
    });

    it('are not limited if no administrator can sign in', async () => {
      await auth.accounts.add({ name: 'program', roles: ['administrator'] });
      await update('program', { roles: [] }, RULES);
      await auth.accounts.remove('program', RULES);
    });
  });
});

describe('tokens and clients', () => {
  beforeEach(async () => {
    await auth.accounts.add({ name: 'jane', roles: [] });
  });

  it('are stored as digests only', async () => {
    const { secret, token } = await auth.accounts.addToken('jane', {
      label: 'ci',
      scope: 'write',
      expires: null,
    });
    const made = await auth.accounts.addClient('jane', { label: 'site', scope: 'read' });
    expect(secret).toMatch(/^ajp_[\w-]{43}$/);
    expect(made.secret).toMatch(/^ajs_[\w-]{43}$/);
    // next-drupal and drupal-state send both parts unencoded.
    expect(encodeURIComponent(made.client.id + made.secret)).toBe(made.client.id + made.secret);
    const text = readFileSync(auth.path, 'utf8');
    expect(text).not.toContain(secret.slice(4));
    expect(text).not.toContain(made.secret.slice(4));
    expect(text).toContain(token.hash);
  });

  it('are listed by label and removed one at a time', async () => {
    const expires = new Date('2027-01-01T00:00:00Z');
    const [one, two] = [
      await auth.accounts.addToken('jane', { label: 'one', scope: 'read', expires }),
      await auth.accounts.addToken('jane', { label: 'two', scope: 'write', expires: null }),
    ];
    const { client } = await auth.accounts.addClient('jane', { label: 'site', scope: 'read' });
    await auth.accounts.removeToken('jane', one.token.id);
    await expect(auth.accounts.removeToken('jane', one.token.id)).rejects.toThrow(
      `The account jane has no token ${one.token.id}. It has: ${two.token.id}.`,
    );
    await auth.accounts.removeClient('jane', client.id);
    await expect(auth.accounts.removeClient('jane', client.id)).rejects.toThrow('It has none.');
    expect((await auth.accounts.find('jane'))?.tokens).toEqual([
      {
        id: two.token.id,
        label: 'two',
        scope: 'write',
        hash: expect.any(String),
        created: '2026-11-21T12:00:00.000Z',
        expires: null,
      },
    ]);
  });

  it('have a single-line label', async () => {
    const add = (label: string) => auth.accounts.addToken('jane', { label, scope: 'read', expires: null });
    await expect(add('x'.repeat(101))).rejects.toMatchObject({ field: 'label' });
    await expect(add('a\nb')).rejects.toMatchObject({ field: 'label' });
    await add('x'.repeat(100));
  });
});
