import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import createSessionFiles from '../../../integration/features/accounts/session-files.ts';
import { eventually } from '../../support/eventually.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const ID = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
const OTHER = '4a2504e0-4f89-41d3-9a0c-0305e82c3302';
const TTL = 100;

let root: string;
let base: string;
beforeEach(() => {
  root = temporaryFolder();
  base = path.join(root, 'cache', 'sessions');
});
afterEach(() => {
  vi.useRealTimers();
});

const open = () => createSessionFiles({ base, ttl: TTL });
const mode = (file: string) => statSync(file).mode & 0o777;
const names = () => readdirSync(base);

it('stores, replaces and removes a session', async () => {
  const files = open();
  expect(await files.getItem(ID)).toBeNull();
  await files.setItem(ID, 'one');
  await files.setItem(ID, 'two');
  expect(await files.getItem(ID)).toBe('two');
  expect(await open().getItem(ID)).toBe('two');
  await files.removeItem(ID);
  await files.removeItem(ID);
  expect(await files.getItem(ID)).toBeNull();
  expect(names()).toEqual([]);
});

it.skipIf(process.platform === 'win32')('hides the folder and its files from other users', async () => {
  mkdirSync(base, { recursive: true, mode: 0o755 });
  await open().setItem(ID, 'one');
  expect(mode(base)).toBe(0o700);
  expect(names().map((name) => mode(path.join(base, name)))).toEqual([0o600]);
});

it('neither names a file by the session id nor stores the id in it', async () => {
  await open().setItem(ID, 'one');
  const [name = ''] = names();
  expect(name).toMatch(/^[\da-f]{64}$/);
  expect(readFileSync(path.join(base, name), 'utf8')).not.toContain(ID);
  // A file name does not work as an id.
  expect(await open().getItem(name)).toBeNull();
});

it('stays in its folder, whatever the id', async () => {
  await open().setItem('../../../escaped', 'one');
  expect(names()).toHaveLength(1);
  expect(readdirSync(root)).toEqual(['cache']);
});

it('removes expired files, and files that Astro’s driver named by id', async () => {
  const files = open();
  await files.setItem(ID, 'old');
  const [old = ''] = names();
  const seconds = Date.now() / 1000 - TTL - 1;
  utimesSync(path.join(base, old), seconds, seconds);
  writeFileSync(path.join(base, OTHER), 'of a former version');
  writeFileSync(path.join(base, 'note.txt'), 'of another program');
  // Another server, or this one an hour later.
  await open().setItem(OTHER, 'new');
  await eventually(() => expect(names()).toHaveLength(2));
  expect(existsSync(path.join(base, 'note.txt'))).toBe(true);
  expect(await files.getItem(ID)).toBeNull();
  expect(await files.getItem(OTHER)).toBe('new');
});
