import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { openAuth } from '../../../integration/features/accounts/open-auth.ts';
import { createTestAuth, type TestAuth } from './test-auth.ts';

let auth: TestAuth;
beforeEach(() => {
  auth = createTestAuth();
});

const add = (name: string, by = auth) => by.accounts.add({ name, roles: [] });
const names = async (by = auth) => (await by.accounts.list()).map(({ name }) => name);
const write = (text: string, mode = 0o600) => {
  mkdirSync(path.dirname(auth.path), { recursive: true });
  writeFileSync(auth.path, text, { mode });
};

/** The files in the folder, without the empty lock files. */
const files = () => readdirSync(path.dirname(auth.path)).filter((name) => !/\.lock(\.next)?$/.test(name));

describe('the accounts file', () => {
  it('is created with the first account, readable by its owner only', async () => {
    expect(await names()).toEqual([]);
    expect(existsSync(auth.path)).toBe(false);
    await auth.accounts.add({
      name: 'Jane',
      roles: ['editor'],
      password: 'low tide',
      displayName: 'Jane Shore',
      mail: 'jane@tides.example',
    });
    expect(statSync(auth.path).mode & 0o777).toBe(0o600);
    expect(statSync(path.dirname(auth.path)).mode & 0o777).toBe(0o700);
    expect(files()).toEqual(['accounts.json']);
    const text = readFileSync(auth.path, 'utf8');
    expect(JSON.parse(text)).toEqual({
      version: 1,
      tokenKey: expect.stringMatching(/^[\w-]{43}$/),
      accounts: [
        {
          name: 'Jane',
          displayName: 'Jane Shore',
          mail: 'jane@tides.example',
          roles: ['editor'],
          password: expect.stringMatching(/^\$scrypt\$/),
          epoch: expect.stringMatching(/^[\w-]{12}$/),
          tokens: [],
          clients: [],
        },
      ],
    });
    expect(text).not.toContain('low tide');
    expect(text.endsWith('}\n')).toBe(true);
  });

  it('keeps its members in a stable order so that diffs stay small', async () => {
    await auth.accounts.add({ name: 'jane', roles: ['editor'], password: 'low tide' });
    const members = () => Object.keys(JSON.parse(readFileSync(auth.path, 'utf8')).accounts[0]);
    await auth.accounts.update('jane', { password: null });
    await auth.accounts.update('jane', { blocked: true });
    await auth.accounts.update('jane', { password: 'high tide' });
    expect(members()).toEqual(['name', 'roles', 'blocked', 'password', 'epoch', 'tokens', 'clients']);
  });

  it('is read again only after it has changed', async () => {
    await add('jane');
    const first = await auth.file.read();
    expect(await auth.file.read()).toBe(first);
    await add('bob', auth.restarted());
    expect(await names()).toEqual(['jane', 'bob']);
    // Same size and modification time, new content.
    const { mtime } = statSync(auth.path);
    writeFileSync(auth.path, readFileSync(auth.path, 'utf8').replace('"bob"', '"tom"'));
    utimesSync(auth.path, mtime, mtime);
    expect(await names()).toEqual(['jane', 'tom']);
  });

  it.each([
    ['', 'is not valid JSON'],
    ['{"tokenKey": "sekret"', 'is not valid JSON'],
    ['[]', 'is not valid, so sign-in is not possible'],
    ['{"version":2,"tokenKey":"","accounts":[]}', 'version: Invalid input'],
    ['{"version":1,"accounts":[]}', 'tokenKey: '],
    [
      JSON.stringify({ version: 1, tokenKey: 'A'.repeat(43), accounts: [{ name: 'jane' }] }),
      'accounts[0].roles: ',
    ],
    [accountsText({}, { name: 'JANE' }), 'accounts[1].name: another account has this name'],
    [accountsText({ block: true }), 'accounts[0]: Unrecognized key: "block"'],
    [accountsText({ password: 'sekret' }), 'accounts[0].password: '],
    [accountsText({ blocked: 'yes' }), 'accounts[0].blocked: '],
  ])(
    'rejects every sign-in if it is invalid, and explains why without secrets: %s',
    async (text, message) => {
      write(text);
      const failure = await auth.accounts.list().catch((error: Error) => error);
      expect(failure).toMatchObject({ name: 'AccountFileError', message: expect.stringContaining(message) });
      expect(String(failure)).toContain(`${auth.path} is not`);
      expect(String(failure)).not.toContain('sekret');
      await expect(add('bob')).rejects.toThrow(message);
      expect(readFileSync(auth.path, 'utf8')).toBe(text);
    },
  );

  it.each([[0o644], [0o604], [0o620], [0o602], [0o660], [0o666]])(
    'is rejected if others can read or change it: %o',
    async (mode) => {
      await add('jane');
      chmodSync(auth.path, mode);
      await expect(auth.accounts.list()).rejects.toThrow(`chmod 600 ${auth.path}`);
      chmodSync(auth.path, 0o600);
      expect(await names()).toEqual(['jane']);
    },
  );

  it('warns once if its group can read it, and keeps its mode', async () => {
    await add('jane');
    chmodSync(auth.path, 0o640);
    await names();
    await names();
    expect(auth.warnings).toEqual([expect.stringContaining('can be read by its group')]);
    await add('bob');
    expect(statSync(auth.path).mode & 0o777).toBe(0o640);
  });

  it('may be a symbolic link, and stays one', async () => {
    await add('jane');
    const elsewhere = path.join(path.dirname(path.dirname(auth.path)), 'elsewhere.json');
    writeFileSync(elsewhere, readFileSync(auth.path), { mode: 0o600 });
    const linked = path.join(path.dirname(auth.path), 'linked');
    mkdirSync(path.join(linked, 'private'), { recursive: true });
    symlinkSync(elsewhere, path.join(linked, 'private', 'accounts.json'));
    await add('bob', createTestAuth(linked));
    expect(JSON.parse(readFileSync(elsewhere, 'utf8')).accounts).toHaveLength(2);
  });

  it('keeps no half of a change that cannot be stored, and reports the failure', async () => {
    await add('jane');
    const failure = await auth.file
      .update((data) => {
        rmSync(auth.path);
        mkdirSync(auth.path);
        return { ...data };
      })
      .catch((error: Error) => error);
    expect(failure).toMatchObject({
      name: 'AccountFileError',
      message: expect.stringMatching(/cannot be written \([A-Z]+\)\.$/),
    });
    expect(String(failure).match(/The accounts file/g)).toHaveLength(1);
    expect(files()).toEqual(['accounts.json']);
  });

  it('cannot be a folder', async () => {
    mkdirSync(auth.path, { recursive: true });
    await expect(auth.accounts.list()).rejects.toThrow('is not a file');
  });

  it('is ignored by git', async () => {
    const root = path.dirname(path.dirname(auth.path));
    mkdirSync(path.join(root, '.git'));
    writeFileSync(path.join(root, '.git/HEAD'), 'ref: refs/heads/main\n');
    await add('jane');
    const ignored = path.join(path.dirname(auth.path), '.gitignore');
    expect(readFileSync(ignored, 'utf8')).toBe('/accounts.json*\n');
    await add('bob');
    expect(readFileSync(ignored, 'utf8')).toBe('/accounts.json*\n');
  });

  it('is not ignored again by a site that commits it', async () => {
    const root = path.dirname(path.dirname(auth.path));
    mkdirSync(path.join(root, '.git'));
    writeFileSync(path.join(root, '.git/HEAD'), 'ref: refs/heads/main\n');
    await add('jane');
    const ignored = path.join(path.dirname(auth.path), '.gitignore');
    writeFileSync(ignored, '');
    await add('bob');
    expect(readFileSync(ignored, 'utf8')).toBe('');
  });

  it('is added to an existing .gitignore', async () => {
    const root = path.dirname(path.dirname(auth.path));
    mkdirSync(path.join(root, '.git'));
    writeFileSync(path.join(root, '.git/HEAD'), 'ref: refs/heads/main\n');
    const ignored = path.join(path.dirname(auth.path), '.gitignore');
    mkdirSync(path.dirname(ignored));
    writeFileSync(ignored, 'notes.txt');
    await add('jane');
    expect(readFileSync(ignored, 'utf8')).toBe('notes.txt\n/accounts.json*\n');
  });

  it('loses no concurrent change, from any process', async () => {
    await add('first');
    const other = auth.restarted();
    await Promise.all(
      Array.from({ length: 10 }, (_, at) => add(`account ${at}`, at % 2 === 0 ? auth : other)),
    );
    const children = ['a', 'b', 'c'].map((name) => addInProcess(auth.path, name, 5));
    expect(await Promise.all(children)).toEqual(['', '', '']);
    expect(await names()).toHaveLength(26);
    expect(files()).toEqual(['accounts.json']);
  });

  it('recovers from a process that was killed during a write', async () => {
    await add('jane');
    const before = readFileSync(auth.path, 'utf8');
    // The temporary file of a killed process; the system has released its lock.
    writeFileSync(`${auth.path}.4711-0123456789ab.tmp`, before.slice(0, 100));
    expect(await names()).toEqual(['jane']);
    await add('bob');
    expect(await names(auth.restarted())).toEqual(['jane', 'bob']);
    expect(files()).toEqual(['accounts.json']);
  });

  it('does not change if a change is rejected', async () => {
    await add('jane');
    const before = readFileSync(auth.path, 'utf8');
    await expect(add('Jane')).rejects.toMatchObject({ reason: 'conflict', field: 'name' });
    await expect(auth.accounts.remove('bob')).rejects.toMatchObject({ reason: 'not-found' });
    expect(readFileSync(auth.path, 'utf8')).toBe(before);
  });
});

function accountsText(...accounts: readonly object[]): string {
  const account = { name: 'jane', roles: [], epoch: 'abcdefgh' };
  return JSON.stringify({
    version: 1,
    tokenKey: 'A'.repeat(43),
    accounts: accounts.map((each) => ({ ...account, ...each })),
  });
}

/** Adds accounts one after another in a separate process. Resolves to its error output. */
async function addInProcess(file: string, name: string, times: number): Promise<string> {
  const auth = path.resolve(import.meta.dirname, '../../../integration/features/accounts/open-auth.ts');
  const script = `
    const { openAuth } = await import(${JSON.stringify(auth)});
    const { accounts } = openAuth({ file: ${JSON.stringify(file)}, warn: console.error });
    for (let at = 0; at < ${times}; at += 1) await accounts.add({ name: ${JSON.stringify(name)} + at, roles: [] });
  `;
  const child = spawn(process.execPath, ['--no-warnings', '--input-type=module', '-e', script], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let complaints = '';
  child.stderr.on('data', (chunk) => {
    complaints += chunk;
  });
  await once(child, 'close');
  return complaints;
}

describe('accounts in an environment variable', () => {
  const source = 'JSONAPI_ACCOUNTS_JSON';
  const open = (text: string, warn = (_: string): void => undefined) =>
    openAuth({ file: auth.path, warn, fixed: { text, source } });

  it('sign in, stay as they are, and have their audit log in the log of the server', async () => {
    await auth.accounts.add({ name: 'jane', roles: ['editor'], password: 'low tide' });
    const lines: string[] = [];
    const fixed = open(readFileSync(auth.path, 'utf8'), (line) => lines.push(line));
    expect(await fixed.setup.createSetupLink()).toBeNull();
    const { actor } = await fixed.authenticator.signIn({
      name: 'jane',
      password: 'low tide',
      address: '192.0.2.1',
    });
    expect(actor.name).toBe('jane');
    const changed = fixed.accounts.update('jane', { roles: ['administrator'] });
    await expect(changed).rejects.toMatchObject({
      reason: 'forbidden',
      message: expect.stringContaining(source),
    });
    expect((await fixed.accounts.list()).map(({ roles }) => roles)).toEqual([['editor']]);
    expect(lines.join()).toMatch(/^audit: \{.*jane/);
    expect(files()).toEqual(['accounts.json']);
  });

  it('that are not valid do not appear in the error', async () => {
    await expect(open('{ "secret": ').accounts.list()).rejects.toThrow(
      /JSONAPI_ACCOUNTS_JSON is not valid JSON/,
    );
    await expect(open('{ "secret": ').accounts.list()).rejects.not.toThrow(/secret/);
  });
});
