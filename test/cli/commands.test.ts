import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cli, cliProcess, createFolder, type Folder } from './cli.ts';

let folder: Folder;
beforeAll(() => {
  folder = createFolder({
    'content/article/first.md': '---\ntitle: First light\nrating: 3\nauthor: person/ada\n---\nWords.\n',
    'content/article/second.md': '---\ntitle: 第二 wind\nrating: 5\nauthor: person/ada\n---\n',
    'content/article/hidden.md': '---\ntitle: Hidden\nrating: 1\ndraft: true\n---\n',
    'content/person/ada.md': '---\ntitle: Ada\n---\n',
  });
});
afterAll(() => folder.remove());

describe('the command line', () => {
  it.each([
    [['chek'], 'Unknown command `chek`. Did you mean `check`?'],
    [['--chek'], 'Unknown flag `--chek`.'],
    [
      ['xyzzy'],
      'Unknown command `xyzzy`. Valid: init, check, query, explain, serve, upgrade, schema, sync, mcp, account.',
    ],
    [['help', 'shema'], 'Unknown command `shema`. Did you mean `schema`?'],
    [['check', '--jsn'], '`check` has no flag --jsn. Did you mean --json?'],
    [
      ['check', '--frobnicate'],
      '`check` has no flag --frobnicate. Valid: --html, --strict, --notes, --json,',
    ],
    [['check', 'a', 'b'], '`check` takes one [dir], but got `b` too.'],
    [['check', 'a', '--content', 'b'], 'Specify the content folder once'],
    [['check', '--json=yes'], '--json takes no value.'],
    [['check', '--content'], '--content needs a value: --content <dir>.'],
    [['query'], '`query` needs <path>: npx astro-jsonapi query "node/article?'],
    [['query', 'node/article', '--as', 'all'], '--as cannot be `all`. Valid: anonymous, everyone.'],
    [['query', 'node/article', '--table', '--json'], 'Choose --table or --json.'],
    [['serve', '--port', '99999'], '--port cannot be `99999`.'],
    [['account'], '`account` needs an action: add, passwd, role, token, client, list, block, remove, move.'],
    [['account', 'ad'], 'Unknown account action `ad`. Did you mean `add`?'],
    [['account', 'add'], '`account add` needs <name>: npx astro-jsonapi account add jane'],
    [['account', 'add', 'jane'], 'A password prompt needs a terminal.'],
    [['account', 'token', 'jane', '--scope', 'all'], '--scope cannot be `all`. Valid: read, write.'],
    [
      ['account', 'token', 'jane', '--expires', '0d'],
      '--expires cannot be `0d`. Valid: a time in the next ten years',
    ],
    [['account', 'role', 'jane', '--set', 'editor', '--add', 'editor'], 'Choose --set or --add.'],
  ])('explains the error in %j', async (args, message) => {
    const { code, stdout, stderr } = await cli(folder.dir, args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`error: ${message}`);
    expect(stderr).toContain('See: npx astro-jsonapi --help');
  });

  it('shows examples in every help text', async () => {
    const overview = await cli(folder.dir, ['--help']);
    expect([overview.code, overview.stderr]).toEqual([0, '']);
    for (const name of ['check', 'query', 'explain', 'schema', 'serve', 'mcp']) {
      expect(overview.stdout).toContain(`  npx astro-jsonapi ${name}`);
      const { code, stdout } = await cli(folder.dir, ['help', name]);
      expect(code).toBe(0);
      expect(stdout).toContain(`Usage: npx astro-jsonapi ${name}`);
      expect(stdout).toMatch(/Examples\n {2}# .+\n {2}npx astro-jsonapi /);
      if (name === 'check') expect((await cli(folder.dir, [name, '-h'])).stdout).toBe(stdout);
    }
    expect((await cli(folder.dir, [])).code).toBe(2);
  });

  it('shows examples for each action of a group', async () => {
    const { code, stdout } = await cli(folder.dir, ['account', '--help']);
    expect(code).toBe(0);
    expect(await cli(folder.dir, ['help', 'account'])).toEqual({ code: 0, stdout, stderr: '' });
    for (const action of ['add', 'passwd', 'role', 'token', 'client', 'list', 'block', 'remove']) {
      expect(stdout).toContain(`  npx astro-jsonapi account ${action}`);
    }
    const help = await cli(folder.dir, ['account', 'token', '--help']);
    expect(help.stdout).toContain('Usage: npx astro-jsonapi account token <name> [flags]');
    expect(await cli(folder.dir, ['help', 'account', 'token'])).toEqual(help);
  });

  it('prints its version', async () => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    expect(await cliProcess(folder.dir, ['--version'])).toEqual({
      code: 0,
      stdout: `${version}\n`,
      stderr: '',
    });
  });

  it.each([['check'], ['schema'], ['serve'], ['query', 'node/article'], ['explain', 'node/article']])(
    'reports a missing folder: %s',
    async (...args) => {
      const { code, stderr } = await cli(folder.file('content/person'), args);
      expect([code, stderr]).toEqual([
        1,
        'error: The content folder content does not exist. Specify another one: --content <dir>\n',
      ]);
    },
  );
});

describe('query', () => {
  it('prints the same document as the server', async () => {
    const { code, stdout, stderr } = await cli(folder.dir, [
      'query',
      'node/article?filter[author.title]=ada&sort=-rating&page[limit]=1&fields[node--article]=title',
    ]);
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toMatchObject({
      data: [{ type: 'node--article', id: 'second', attributes: { title: '第二 wind' } }],
      meta: { count: 2 },
      links: { next: { href: expect.stringMatching(/^\/jsonapi\/node\/article\?/) } },
    });
  });

  it('prints an aligned table for any characters', async () => {
    const { stdout } = await cli(folder.dir, [
      'query',
      '/jsonapi/node/article?sort=rating&fields[node--article]=title,rating,author',
      '--table',
    ]);
    expect(stdout).toBe(`id      title        rating  author
first   First light  3       ada
second  第二 wind    5       ada
2 of 2
`);
  });

  it('lists the fields of one entity', async () => {
    const { stdout } = await cli(folder.dir, ['query', 'node/article/first', '--table']);
    expect(stdout).toMatch(/^id +first\ntitle +First light\nrating +3\nauthor +ada\n/);
  });

  it.each([
    '/jsonapi/node/article/first',
    'http://127.0.0.1:4321/jsonapi/node/article/first',
    'https://a.example/base/jsonapi/node/article/first',
  ])('accepts %s', async (address) => {
    const { stdout } = await cli(folder.dir, ['query', address]);
    expect(JSON.parse(stdout).data.id).toBe('first');
  });

  it('includes drafts only with --as everyone', async () => {
    const idsFor = async (...more: string[]) => {
      const { stdout } = await cli(folder.dir, ['query', 'node/article', ...more]);
      return JSON.parse(stdout).data.map(({ id }: { id: string }) => id);
    };
    expect(await idsFor()).toEqual(['first', 'second']);
    expect(await idsFor('--as', 'everyone')).toEqual(['first', 'hidden', 'second']);
  });

  it.each([
    ['node/article?filter[ratng]=3', /^error: filter\[ratng\]: .*rating/],
    ['article?sort=title', /Did you mean node\/article\?sort=title\?/],
    ['node/article/hidden', /^error: .*hidden/],
  ])('explains why %s fails', async (path, message) => {
    const { code, stdout, stderr } = await cli(folder.dir, ['query', path]);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(message);
  });

  it('answers from content with errors, with a warning', async () => {
    const broken = createFolder({ 'content/tag/sea.yaml': 'title: Sea', 'content/tag/sky.yaml': 'title: [' });
    const { code, stdout, stderr } = await cli(broken.dir, ['query', 'node/tag']);
    expect([code, JSON.parse(stdout).meta.count]).toEqual([0, 1]);
    expect(stderr).toBe('warning: content has 1 error. See: npx astro-jsonapi check content\n');
    broken.remove();
  });
});

describe('explain', () => {
  const path = 'node/article?filter[author.title]=Ada&filter[rating]=3';

  it('prints the plan with counts and times', async () => {
    const { code, stdout } = await cli(folder.dir, ['explain', path]);
    expect(code).toBe(0);
    expect(stdout).toContain('node--article: 1 of 2 rows');
    expect(stdout).toMatch(
      /1 entity found in [\d.]+ ms, once indexed in [\d.]+ ms \(reading content: [\d.]+ ms\)/,
    );
    expect((await cli(folder.dir, ['explain', path, '--as', 'everyone'])).stdout).toContain('1 of 3 rows');
  });

  it('prints all of it as JSON', async () => {
    const { stdout } = await cli(folder.dir, ['explain', path, '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      count: 1,
      plan: expect.stringContaining('rating = "3"'),
      firstMs: expect.any(Number),
      againMs: expect.any(Number),
      ast: { filter: { kind: 'group' } },
    });
  });
});
