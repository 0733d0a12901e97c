import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { plainEnvironment } from '../astro/builder.ts';
import { addAccounts } from '../support/accounts.ts';
import { cli, createFolder, type Folder } from './cli.ts';

const MAIN = path.resolve(import.meta.dirname, '../../dist/cli/main.js');
const FIRST = { type: 'node--article', id: 'first' };
const retitled = { operations: [{ op: 'update', data: { ...FIRST, attributes: { title: 'Tides' } } }] };

let folder: Folder;

beforeEach(() => {
  folder = createFolder({
    'content/article/first.md': '---\ntitle: First\n---\nText.\n',
    'content/article/hidden.md': '---\ntitle: Hidden\ndraft: true\n---\n',
    // Output of the site's own modules must not disturb the protocol.
    'astro.config.mjs':
      "console.log('loaded');\nexport default { integrations: [{ name: 'astro-jsonapi', [Symbol.for('astro-jsonapi.options')]: { editing: { git: true } } }] };\n",
  });
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder.dir, stdio: 'ignore' });
  git('init');
  git('config', 'user.name', 'Ann Author');
  git('config', 'user.email', 'ann@site.example');
  git('add', '.');
  git('commit', '-m', 'Begin');
});
afterEach(() => folder.remove());

async function connect(flags: readonly string[], env: Record<string, string> = {}) {
  const client = new Client({ name: 'test', version: '1' });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [MAIN, 'mcp', ...flags],
    cwd: folder.dir,
    env: { ...(plainEnvironment() as Record<string, string>), ...env },
    stderr: 'pipe',
  });
  let log = '';
  transport.stderr?.on('data', (chunk) => {
    log += chunk;
  });
  await client.connect(transport);
  return {
    client,
    log: () => log,
    async call(name: string, args: Record<string, unknown>) {
      const { content, isError = false } = await client.callTool({ name, arguments: args });
      return { isError, text: (content as [{ text: string }])[0].text };
    },
  };
}

describe('mcp', () => {
  it('lets an agent read everything in the folder, and change nothing', async () => {
    const { client, call, log } = await connect([]);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['schema', 'query', 'read', 'history']);
    expect((await call('read', { ...FIRST, id: 'hidden' })).text).toContain('"status":false');
    expect((await call('history', FIRST)).text).toContain('"message":"Begin"');
    expect((await call('change', retitled)).isError).toBe(true);
    expect(log()).toContain('loaded');
    expect(log()).toContain('Tools for content, as Ann Author, read-only.');
    await client.close();
  });

  it('commits changes in the name of the author with --write', async () => {
    const { client, call } = await connect(['--write']);
    expect((await call('change', { ...retitled, dryRun: true })).text).toContain(
      '-title: First\n+title: Tides\n',
    );
    expect(await call('change', retitled)).toMatchObject({ isError: false });
    expect((await call('read', FIRST)).text).toContain('"title":"Tides"');
    await client.close();
    const log = execFileSync('git', ['log', '-1', '--format=%an <%ae> %s'], {
      cwd: folder.dir,
      encoding: 'utf8',
    });
    expect(log).toMatch(/^Ann Author <ann@site\.example> .*Tides/);
  });

  it('has the permissions of an account with --account', async () => {
    const accounts = folder.file('.accounts.json');
    await addAccounts(accounts, { robot: { roles: [] } });
    const { client, call } = await connect(['--write', '--account', 'robot'], { JSONAPI_ACCOUNTS: accounts });
    expect((await call('read', { ...FIRST, id: 'hidden' })).isError).toBe(true);
    expect(await call('change', retitled)).toMatchObject({
      isError: true,
      text: expect.stringContaining('Forbidden'),
    });
    await client.close();
    const missing = await cli(folder.dir, ['mcp', '--account', 'nobody']);
    expect(missing).toMatchObject({ code: 1, stdout: '' });
    expect(missing.stderr).toContain("The account 'nobody' does not exist.");
  });
});
