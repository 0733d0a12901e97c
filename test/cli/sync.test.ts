import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { HAS_POSTGRES, usePostgres } from '../support/postgres.ts';
import { cli, createFolder, type Folder } from './cli.ts';

let folder: Folder;
beforeAll(() => {
  folder = createFolder({
    'content/article/first.md': '---\ntitle: First light\n---\nWords.\n',
    'content/article/second.md': '---\ntitle: Second wind\n---\n',
  });
});
afterAll(() => folder.remove());
afterEach(() => vi.unstubAllEnvs());

const sync = (...args: readonly string[]) => cli(folder.dir, ['sync', ...args]);

describe('sync', () => {
  it.each([
    ['', 'from the environment variable DATABASE_URL, which is not set.'],
    ['sqlite://site', 'from the environment variable DATABASE_URL, which is not an address of PostgreSQL.'],
    ['postgres://127.0.0.1:1/site', 'The content was not stored. connect ECONNREFUSED 127.0.0.1:1'],
  ])('ends with 1 and a reason for the address %j', async (url, message) => {
    vi.stubEnv('DATABASE_URL', url);
    const { code, stderr } = await sync();
    expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
  });

  describe.skipIf(!HAS_POSTGRES)('with a database', () => {
    const postgres = usePostgres();

    it('stores the content, then only changed rows, and nothing if the content has errors', async () => {
      vi.stubEnv('DATABASE_URL', postgres().url);
      const stored = async (...args: readonly string[]) =>
        (await sync(...args)).stdout.replace(/[\d.]+ s:/, 's:');
      expect(await stored()).toBe('Stored version 1 in s: 2 rows written, 0 removed.\n');
      expect(await stored()).toBe('Stored version 1 in s: 0 rows written, 0 removed.\n');
      folder.write({ 'content/article/second.md': '---\ntitle: Third\n---\n' });
      expect(await stored()).toBe('Stored version 2 in s: 1 row written, 1 removed.\n');
      folder.write({ 'content/article/broken.yaml': 'title: [open\n' });
      const { code, stderr } = await sync();
      expect([code, stderr]).toEqual([
        1,
        expect.stringContaining('The content has 1 error, so nothing was stored.'),
      ]);
      expect(await stored('--force')).toBe('Stored version 2 in s: 0 rows written, 0 removed.\n');
    });
  });
});
