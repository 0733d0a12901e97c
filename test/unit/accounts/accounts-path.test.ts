import { mkdirSync, realpathSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import {
  accountsPathFromEnvironment,
  accountsPathFromOption,
  spellings,
} from '../../../integration/features/accounts/accounts-path.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let root: string;
beforeAll(() => {
  root = temporaryFolder();
  for (const folder of ['content', 'public', 'private']) mkdirSync(path.join(root, folder));
  symlinkSync(path.join(root, 'public'), path.join(root, 'shared'));
});

const resolveOption = (written: string) =>
  accountsPathFromOption(written, root, {
    contentDir: path.join(root, 'content'),
    publicDir: path.join(root, 'public'),
    outDir: path.join(root, 'dist'),
  });

it.each([
  ['.astro-jsonapi/accounts.json'],
  ['accounts.json'],
  ['private/new/accounts.json'],
  ['content-accounts.json'],
  ['..accounts.json'],
  ['../accounts.json'],
  ['/etc/site/accounts.json'],
])('the accounts file may be %s', (written) => {
  expect(resolveOption(written)).toBe(path.resolve(root, written));
});

it.each([
  ['content/accounts.json', 'content'],
  ['content/_private/accounts.json', 'content'],
  ['public/accounts.json', 'public'],
  ['private/../public/x/accounts.json', 'public'],
  ['shared/accounts.json', 'public'],
  ['dist/accounts.json', 'dist'],
  ['content', 'content'],
])('the accounts file cannot be %s', (written, folder) => {
  expect(() => resolveOption(written)).toThrow(
    `Option editing.accountsFile cannot be "${written}", a file in ${folder}: `,
  );
});

it('a path through a link has two spellings, any other path one', () => {
  expect(spellings(path.join(root, 'shared/accounts.json'))).toEqual([
    path.join(root, 'shared/accounts.json'),
    path.join(realpathSync(root), 'public/accounts.json'),
  ]);
  const plain = path.join(realpathSync(root), 'private/accounts.json');
  expect(spellings(plain)).toEqual([plain]);
});

afterEach(() => vi.unstubAllEnvs());

it.each([[undefined], ['']])('with JSONAPI_ACCOUNTS=%s, the site sets the accounts file', (named) => {
  vi.stubEnv('JSONAPI_ACCOUNTS', named);
  expect(accountsPathFromEnvironment({ contentDir: root })).toBeUndefined();
});

it('JSONAPI_ACCOUNTS is resolved from the working directory and rejected if the file would be public', () => {
  const folders = { contentDir: path.join(root, 'content'), publicDir: path.join(root, 'public') };
  vi.stubEnv('JSONAPI_ACCOUNTS', path.join(root, 'private/accounts.json'));
  expect(accountsPathFromEnvironment(folders)).toBe(path.join(root, 'private/accounts.json'));
  vi.stubEnv('JSONAPI_ACCOUNTS', 'private/accounts.json');
  expect(accountsPathFromEnvironment(folders)).toBe(path.resolve('private/accounts.json'));
  vi.stubEnv('JSONAPI_ACCOUNTS', path.join(root, 'shared/accounts.json'));
  expect(() => accountsPathFromEnvironment(folders)).toThrow('JSONAPI_ACCOUNTS cannot be "');
});
