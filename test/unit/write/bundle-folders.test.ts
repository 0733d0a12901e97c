import { describe, expect, it } from 'vitest';
import { collectionsSchema } from '../../../integration/core/content/schema/collections.ts';
import { ask } from '../../security/attacked-site.ts';
import { createHandler } from '../../support/handler.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { createServices } from '../../support/services.ts';

async function openSite(
  files: Readonly<Record<string, string>>,
  folders: Readonly<Record<string, string>> = {},
) {
  const driver = createMemoryDriver(files);
  const handle = createHandler(await createServices(driver, undefined, { writable: {}, folders }));
  const send = (method: string, path: string, data: object) =>
    ask(handle, method, `/jsonapi/node/${path}`, {
      body: { data },
      headers: { 'content-type': 'application/vnd.api+json' },
    });
  return { driver, send };
}

describe('a new entity', () => {
  it.each([
    ['1.guide/1.events.md', 'guide', {}, '1.guide/new.md'],
    ['_posts/a.md', 'posts', {}, '_posts/new.md'],
    ['about.md', 'page', {}, 'new.md'],
    ['_entries/a.md', 'post', { post: '_entries' }, '_entries/new.md'],
    ['deep/er/a.md', 'note', { note: 'deep/er' }, 'deep/er/new.md'],
  ])('beside %s is stored in the folder of its bundle', async (present, bundle, folders, key) => {
    const { driver, send } = await openSite({ [present]: 'Text\n' }, folders);
    const { status } = await send('POST', bundle, { type: `node--${bundle}`, attributes: { title: 'New' } });
    expect(status).toBe(201);
    const { files } = await driver.list();
    expect(files.map((file) => file.key).sort()).toEqual([present, key].sort());
  });

  it('of a collection with one file is a conflict, because the file would belong to another collection', async () => {
    const driver = createMemoryDriver({ 'sections/banner.md': 'Text\n', 'sections/a.md': 'Text\n' });
    const bundles = {
      banner: { folder: 'sections', patterns: ['banner.md'] },
      section: { folder: 'sections', patterns: ['*.md'] },
    };
    const schema = collectionsSchema({}, { file: '../content.config.ts', bundles, notes: [] });
    const handle = createHandler(await createServices(driver, schema, { writable: {} }));
    const send = (bundle: string) =>
      ask(handle, 'POST', `/jsonapi/node/${bundle}`, {
        body: { data: { type: `node--${bundle}`, attributes: { title: 'New' } } },
        headers: { 'content-type': 'application/vnd.api+json' },
      });
    expect((await send('banner')).status).toBe(409);
    expect((await send('section')).status).toBe(201);
    const { files } = await driver.list();
    expect(files.map((file) => file.key).sort()).toEqual([
      'sections/a.md',
      'sections/banner.md',
      'sections/new.md',
    ]);
  });

  it('never replaces a file that is skipped', async () => {
    const { driver, send } = await openSite({ 'data/one.json': '{"title": "One"}', 'data/new.json': '[1]' });
    const sent = { type: 'node--data', id: 'new', attributes: { title: 'New' } };
    expect((await send('POST', 'data', sent)).status).toBe(409);
    expect(new TextDecoder().decode(await driver.read('data/new.json'))).toBe('[1]');
  });
});

describe('a page beside a data file of the same name', () => {
  it('is the file that a change edits', async () => {
    const { driver, send } = await openSite({
      'blog/blog.json': '{"title": "Data"}',
      'blog/blog.md': 'Text\n',
    });
    const changed = { type: 'node--blog', id: 'blog', attributes: { title: 'New' } };
    expect((await send('PATCH', 'blog/blog', changed)).status).toBe(200);
    const read = async (key: string) => new TextDecoder().decode(await driver.read(key));
    expect(await read('blog/blog.md')).toBe('---\ntitle: New\n---\n\nText\n');
    expect(await read('blog/blog.json')).toBe('{"title": "Data"}');
  });
});
