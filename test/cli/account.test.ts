import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openAuth } from '../../integration/features/accounts/open-auth.ts';
import { cli, createFolder, type Folder } from './cli.ts';

let folder: Folder;
beforeEach(() => {
  folder = createFolder({ 'content/article/first.md': '---\ntitle: First\n---\n' });
});
afterEach(() => folder.remove());

const account = (args: readonly string[], input?: string) => cli(folder.dir, ['account', ...args], input);
const add = (name: string, ...more: string[]) =>
  account(['add', name, '--password-stdin', ...more], 'low tide\n');
const file = () => folder.file('.astro-jsonapi/accounts.json');
const auth = () => openAuth({ file: file(), warn: () => undefined });

describe('account', () => {
  it('adds an account that can sign in, and prints no secret', async () => {
    mkdirSync(folder.file('.git'));
    writeFileSync(folder.file('.git/HEAD'), 'ref: refs/heads/main\n');
    const { code, stdout, stderr } = await add(
      'Jane Shore',
      '--role',
      'editor,administrator',
      '--mail',
      'jane@tides.example',
    );
    expect([code, stdout]).toEqual([0, 'Account Jane Shore added: editor, administrator.\n']);
    expect(stderr).toMatch(/^Accounts are stored in \.astro-jsonapi\/accounts\.json\. .+\n$/);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect(readFileSync(folder.file('.astro-jsonapi/.gitignore'), 'utf8')).toBe('/accounts.json*\n');
    const who = { name: 'jane shore', password: 'low tide', address: undefined };
    expect((await auth().authenticator.signIn(who)).actor).toEqual({
      name: 'Jane Shore',
      roles: ['authenticated', 'editor', 'administrator'],
    });
    expect(await add('bob')).toEqual({ code: 0, stdout: 'Account bob added, without roles.\n', stderr: '' });
  });

  it('works beside a built server, whose content folder is in JSONAPI_CONTENT_DIR', async () => {
    const server = createFolder({
      'astro.config.mjs': "export default { integrations: [{ name: 'astro-jsonapi' }] };\n",
    });
    vi.stubEnv('JSONAPI_CONTENT_DIR', folder.file('content'));
    vi.stubEnv('JSONAPI_ACCOUNTS', folder.file('private/accounts.json'));
    const args = ['account', 'add', 'jane', '--password-stdin'];
    expect(await cli(server.dir, args, 'low tide\n')).toMatchObject({ code: 0 });
    vi.unstubAllEnvs();
    expect(existsSync(folder.file('private/accounts.json'))).toBe(true);
    server.remove();
  });

  it('records each change in a private log beside the accounts', async () => {
    await add('jane', '--role', 'editor');
    await account(['token', 'jane', '--label', 'ci']);
    await account(['block', 'jane']);
    const log = `${file()}.log`;
    expect(statSync(log).mode & 0o777).toBe(0o600);
    const lines = readFileSync(log, 'utf8').trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { event: 'account added', account: 'jane', by: 'command line', detail: 'editor' },
      { event: 'token added', account: 'jane', by: 'command line' },
      { event: 'account blocked', account: 'jane', by: 'command line' },
    ]);
  });

  it('changes and removes a password', async () => {
    await add('jane');
    const signIn = (password: string) =>
      auth().authenticator.signIn({ name: 'jane', password, address: undefined });
    expect((await account(['passwd', 'jane', '--password-stdin'], 'high tide\r\n')).code).toBe(0);
    await signIn('high tide');
    await expect(signIn('low tide')).rejects.toMatchObject({ reason: 'unauthenticated' });
    const { stdout } = await account(['passwd', 'jane', '--none']);
    expect(stdout).toBe('Password of jane removed. Its sessions have ended.\n');
    await expect(signIn('high tide')).rejects.toMatchObject({ reason: 'unauthenticated' });
  });

  it('grants and revokes roles', async () => {
    await auth().accounts.add({ name: 'jane', roles: ['administrator'] });
    expect((await account(['role', 'jane'])).stdout).toBe('jane: administrator\n');
    expect((await account(['role', 'jane', '--add', 'editor'])).stdout).toBe('jane: administrator, editor\n');
    expect(await account(['role', 'jane', '--remove', 'administrator'])).toEqual({
      code: 0,
      stdout: 'jane: editor\n',
      stderr: 'warning: no account is an administrator now.\n',
    });
    expect((await account(['role', 'jane', '--set', 'administrator'])).stderr).toBe('');
  });

  it('creates a working token, and removes it', async () => {
    await auth().accounts.add({ name: 'deploy', roles: [] });
    const made = await account(['token', 'deploy', '--scope', 'write', '--expires', '90d', '--label', 'ci']);
    expect(made.stdout).toMatch(/^ajp_[\w-]{43}\n$/);
    const id = /Its id is (\S+)\.\n$/.exec(made.stderr)?.[1] ?? '';
    expect(made.stderr).toMatch(
      /^Token of deploy with scope write, valid until 20\d\d-\d\d-\d\d \d\d:\d\d UTC\. /,
    );
    const ask = () =>
      auth().authenticator.authenticate({
        authorization: `Bearer ${made.stdout.trim()}`,
        session: undefined,
        address: undefined,
      });
    expect(await ask()).toMatchObject({ actor: { name: 'deploy' }, scope: 'write' });
    expect((await account(['list', 'deploy'])).stdout).toMatch(
      new RegExp(`^token ${id} {2}write {2}valid until .+ {2}ci$`, 'm'),
    );
    expect((await account(['token', 'deploy', '--revoke', id])).stdout).toBe(`Token ${id} revoked.\n`);
    await expect(ask()).rejects.toMatchObject({ reason: 'invalid-token' });
  });

  it('creates a client that gets tokens, and removes it', async () => {
    await auth().accounts.add({ name: 'frontend', roles: [] });
    const { stdout } = await account(['client', 'frontend', '--label', 'next']);
    const [, id = '', secret = ''] = /^client_id=(\S+)\nclient_secret=(\S+)\n$/.exec(stdout) ?? [];
    const ask = () =>
      auth().authenticator.requestToken({
        authorization: null,
        contentType: 'application/x-www-form-urlencoded',
        body: `grant_type=client_credentials&client_id=${id}&client_secret=${secret}`,
      });
    expect(await ask()).toMatchObject({ token_type: 'Bearer', scope: 'read' });
    expect((await account(['client', 'frontend', '--revoke', id])).code).toBe(0);
    expect(await ask()).toMatchObject({ error: 'invalid_client' });
  });

  it('lists accounts as a table and as JSON', async () => {
    const none = await account(['list']);
    expect([none.code, none.stdout]).toEqual([0, '']);
    expect(none.stderr).toContain('.astro-jsonapi/accounts.json has no accounts. Add one:');
    await add('jane', '--role', 'editor', '--mail', 'jane@tides.example');
    await account(['add', 'deploy', '--no-password']);
    await auth().accounts.update('deploy', { blocked: true });
    expect((await account(['list'])).stdout).toBe(`name    roles   password  tokens  clients  mail
jane    editor  set       0       0        jane@tides.example
deploy          blocked   0       0
`);
    const { stdout } = await account(['list', '--json']);
    expect(JSON.parse(stdout)).toMatchObject([
      { name: 'jane', roles: ['editor'], blocked: false, hasPassword: true, tokens: [], clients: [] },
      { name: 'deploy', blocked: true, hasPassword: false },
    ]);
    expect(stdout).not.toMatch(/scrypt|hash"|epoch|tokenKey/);
  });

  it('blocks, unblocks and removes an account', async () => {
    await auth().accounts.add({ name: 'jane', roles: ['administrator'], password: 'low tide' });
    const signIn = () =>
      auth().authenticator.signIn({ name: 'jane', password: 'low tide', address: undefined });
    expect(await account(['block', 'jane'])).toEqual({
      code: 0,
      stdout: 'Account jane blocked.\n',
      stderr: 'warning: no account is an administrator now.\n',
    });
    await expect(signIn()).rejects.toMatchObject({ reason: 'unauthenticated' });
    await account(['block', 'jane', '--undo']);
    await signIn();
    expect((await account(['remove', 'jane'])).stdout).toBe('Account jane removed.\n');
    await expect(signIn()).rejects.toMatchObject({ reason: 'unauthenticated' });
  });

  it.each([
    [['add', 'jane'], 'low tide', 'The account jane already exists.'],
    [['add', 'a:b', '--password-stdin'], 'low tide', 'An account name cannot be "a:b".'],
    [['add', 'bob', '--password-stdin'], 'short', 'The password needs at least 8 characters.'],
    [['add', 'bob', '--password-stdin'], '', 'The password needs at least 8 characters.'],
    [
      ['add', 'bob', '--password-stdin', '--role', 'editr'],
      'low tide',
      'There is no role `editr`. Did you mean `editor`?',
    ],
    [['add', 'bob', '--password-stdin', '--role', 'x'], 'low tide', 'Roles: editor, administrator.'],
    [['add', 'bob', '--password-stdin', '--role', 'authenticated'], 'low tide', 'every account has it'],
    [['add', 'bob', '--password-stdin', '--role', 'editor,'], 'low tide', '"" is not a valid role name.'],
    [['add', 'bob', '--password-stdin', '--mail', 'bob'], 'low tide', '"bob" is not a valid e-mail address.'],
    [['passwd', 'bob', '--password-stdin'], 'low tide', 'There is no account bob.'],
    [['role', 'bob'], '', 'There is no account bob.'],
    [['token', 'bob'], '', 'There is no account bob.'],
    [['client', 'bob'], '', 'There is no account bob.'],
    [['list', 'bob'], '', 'There is no account bob.'],
    [['block', 'bob'], '', 'There is no account bob.'],
    [['remove', 'bob'], '', 'There is no account bob.'],
    [['token', 'jane', '--revoke', 'x'], '', 'The account jane has no token x. It has none.'],
  ])('explains why it fails: %j', async (args, input, message) => {
    await auth().accounts.add({ name: 'jane', roles: [] });
    const before = readFileSync(file(), 'utf8');
    const { code, stdout, stderr } = await account(args, input);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(message);
    expect(readFileSync(file(), 'utf8')).toBe(before);
  });

  it('uses the accounts file of the site, or the one on the command line', async () => {
    folder.write({
      'astro.config.mjs': `import jsonapi from 'astro-jsonapi';
export default { outDir: './build', integrations: [jsonapi({ editing: { accountsFile: 'private/people.json' }, roles: { author: { permissions: [] } } })] };
`,
    });
    expect((await account(['add', 'jane', '--no-password', '--role', 'author'])).code).toBe(0);
    expect(existsSync(folder.file('private/people.json'))).toBe(true);
    await account(['add', 'bob', '--no-password', '--role', 'anything', '--accounts', 'other.json']);
    expect(JSON.parse(readFileSync(folder.file('other.json'), 'utf8')).accounts).toHaveLength(1);
    for (const place of ['content/accounts.json', 'public/accounts.json', 'build/accounts.json']) {
      folder.write({
        'astro.config.mjs': `import jsonapi from 'astro-jsonapi';
export default { outDir: './build', integrations: [jsonapi({ editing: { accountsFile: '${place}' } })] };
`,
      });
      const { code, stderr } = await account(['list']);
      expect(code).toBe(1);
      expect(stderr).toContain(`error: Option editing.accountsFile cannot be "${place}"`);
    }
  });

  it('reports an invalid file and leaves it unchanged', async () => {
    await auth().accounts.add({ name: 'jane', roles: [] });
    writeFileSync(file(), '{');
    const { code, stderr } = await account(['list']);
    expect(code).toBe(1);
    expect(stderr).toContain('is not valid JSON, so sign-in is not possible.');
  });
});
