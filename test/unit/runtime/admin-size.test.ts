import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { matchAddress } from '../../../admin/src/addresses.ts';
import { builtAdmin } from '../../../integration/features/admin/admin-app.ts';
import { adminSizes } from '../../support/admin-size.ts';

const KILOBYTE = 1000;
const FORMS = ['new', 'edit'];
const APP = path.resolve(import.meta.dirname, '../../../dist/admin/app');

describe('the built admin', () => {
  test.each([...adminSizes()])('loads scripts and styles for /admin/%s within the budget', (screen, size) => {
    // 216 kB over the wire are for these, the headers, the page and the content.
    expect(size).toBeLessThanOrEqual((FORMS.includes(screen) ? 189 : 118) * KILOBYTE);
    expect(size).toBeGreaterThan(30 * KILOBYTE);
  });

  test('knows the files of every screen', () => {
    const screens = Object.keys(builtAdmin().screens);
    const addresses = ['/', '/content', '/new/node/a', '/edit/node/a/b', '/history/node/a/b'].concat([
      '/translate/node/a/b',
      '/media',
      '/single/node/a',
      '/menus',
      '/conflicts',
      '/redirects',
      '/bin',
      '/people',
      '/profile',
      '/explorer',
    ]);
    expect(screens).toEqual(addresses.map((address) => address.split('/')[1]));
    expect(addresses.map((address) => matchAddress(address)?.screen)).not.toContain(undefined);
  });

  test('loads at most 14 files for a form', () => {
    const { scripts = [], styles = [] } = builtAdmin().screens.edit ?? {};
    expect(scripts.length + styles.length).toBeLessThanOrEqual(14);
  });

  test('has each script and style in Brotli and gzip only, together below 1.24 MB', () => {
    const { files } = builtAdmin();
    const names = readdirSync(APP);
    const expected = files.flatMap((file) => [`${file}.br`, `${file}.gz`]);
    expect(names.filter((name) => !/^(licenses-admin\.md|manifest\.json)$/.test(name)).toSorted()).toEqual(
      expected.toSorted(),
    );
    const bytes = names.reduce((sum, name) => sum + statSync(path.join(APP, name)).size, 0);
    expect(bytes).toBeLessThanOrEqual(1240 * KILOBYTE);
  });
});
