import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';

type Walk = Readonly<Record<string, Readonly<Record<string, number>>>>;

const ROOT = path.resolve(import.meta.dirname, '../..');
const WALKS = {
  'GET, first request': 'getCold',
  'GET, another page': 'getWarm',
  'GET, stored response': 'getCached',
  'PATCH of a title': 'patch',
  'PATCH of a title, to its commit': 'patchAndCommit',
} as const;

let walks: Readonly<Record<(typeof WALKS)[keyof typeof WALKS], Walk>>;

beforeAll(async () => {
  const script = path.join(import.meta.dirname, 'fixtures/walks.ts');
  const { stdout } = await promisify(execFile)(process.execPath, ['--no-warnings', script], {
    maxBuffer: 64 * 1024 * 1024,
  });
  walks = JSON.parse(stdout);
});

describe('the walk of a request', () => {
  const architecture = readFileSync(path.join(ROOT, 'ARCHITECTURE.md'), 'utf8');

  it.each(Object.entries(WALKS))('%s enters no more files than ARCHITECTURE.md says', (title, name) => {
    const row = architecture.split('\n').find((line) => line.startsWith(`| ${title} |`));
    const documented = Number(row?.split('|')[2]);
    expect(documented).toBeGreaterThan(0);
    expect(Object.keys(walks[name]).length).toBeLessThanOrEqual(documented);
  });
});

describe.each(['patch', 'patchAndCommit'] as const)('a change of a title (%s)', (name) => {
  const calls = (functionName: string) =>
    Object.values(walks[name]).reduce((sum, functions) => sum + (functions[functionName] ?? 0), 0);

  it('splits and parses the file twice: before and after', () => {
    expect(calls('splitMarkdown')).toBe(2);
    expect(calls('readData')).toBe(2);
  });

  it('decodes the new file twice: to check it, and for the index', () => {
    expect(calls('decodeFile')).toBe(2);
  });

  it('hashes three files: the one that it reads, the one that it replaces, and the new one', () => {
    expect(calls('digestBytes') - calls('digestText')).toBe(3);
  });

  it('makes no plan of a query', () => {
    expect(calls('planFilter')).toBe(0);
  });

  it('does not compute changes for listeners that are not there', () => {
    expect(calls('entityChange')).toBe(0);
  });
});
