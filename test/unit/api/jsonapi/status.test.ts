import { unlinkSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import type { Actor } from '../../../../integration/core/access/actor.ts';
import type { StorageDriver } from '../../../../integration/core/storage/driver.ts';
import { createGitDriver } from '../../../../integration/features/git/driver.ts';
import { eventually } from '../../../support/eventually.ts';
import { createGitSite } from '../../../support/git-site.ts';
import { createHandler } from '../../../support/handler.ts';
import { createMemoryDriver } from '../../../support/memory-driver.ts';
import { png } from '../../../support/pictures.ts';
import { createRepository } from '../../../support/repository.ts';
import { fetchFrom } from '../../../support/request.ts';
import { adminApp, createServices } from '../../../support/services.ts';

const EDITOR: Actor = { name: 'ada', roles: ['editor'] };
const article = (id: string) => ({ type: 'node--article', id, translation: null });
const READER: Actor = { name: 'eve', roles: [] };

async function status(driver: StorageDriver, actor: Actor, query = '') {
  const services = await createServices(driver, undefined, { settings: { admin: true } });
  const handle = createHandler(services, { adminApp });
  const response = await fetchFrom(handle, `/jsonapi/_status${query}`, { actor });
  return { status: response.status, ...(await response.json()) };
}

/** A repository in which one file of each kind has changed since the commit. */
async function changedContent(): Promise<StorageDriver> {
  const { commit, content } = createRepository();
  commit({
    'article/same.md': '---\ntitle: Same\n---\n',
    'article/old.md': '---\ntitle: Old\n---\n',
    'article/edited.md': '---\ntitle: Edited\n---\n\n![Tide](tide.png)\n',
    'article/draft.md': '---\ntitle: Draft\ndraft: true\n---\n',
    'article/tide.png': 'a',
    'article/hidden.png': 'a',
  });
  await mkdir(path.join(content, 'article/ümlaut folder'));
  const write = (file: string, text: string | Uint8Array) =>
    writeFileSync(path.join(content, 'article', file), text);
  unlinkSync(path.join(content, 'article/old.md'));
  write('edited.md', '---\ntitle: Edited again\n---\n\n![Tide](tide.png)\n');
  write('draft.md', '---\ntitle: Draft again\ndraft: true\n---\n\n![Hidden](hidden.png)\n');
  write('tide.png', png(2, 2));
  write('hidden.png', png(2, 2));
  write('ümlaut folder/new.md', '---\ntitle: New\n---\n');
  return createGitDriver(content);
}

it('lists the files that git has not committed', async () => {
  const { data } = await status(await changedContent(), EDITOR);
  expect(data.attributes.uncommitted).toEqual([
    { file: 'article/draft.md', change: 'modified', entity: article('draft') },
    { file: 'article/edited.md', change: 'modified', entity: article('edited') },
    { file: 'article/hidden.png', change: 'modified', entity: null },
    { file: 'article/old.md', change: 'deleted', entity: null },
    { file: 'article/tide.png', change: 'modified', entity: null },
    { file: 'article/ümlaut folder/new.md', change: 'added', entity: article('ümlaut folder/new') },
  ]);
  expect(data.meta.counts).toEqual({ errors: 0, warnings: 0, uncommitted: 6 });
});

it('lists for others only the files of content that they may see', async () => {
  const { data } = await status(await changedContent(), READER);
  expect(data.attributes).toEqual({
    problems: null,
    uncommitted: [
      { file: 'article/edited.md', change: 'modified', entity: article('edited') },
      { file: 'article/tide.png', change: 'modified', entity: null },
      { file: 'article/ümlaut folder/new.md', change: 'added', entity: article('ümlaut folder/new') },
    ],
    commits: null,
  });
  expect(data.meta.counts).toEqual({ uncommitted: 3 });
});

it('lists the problems of the content with their positions', async () => {
  const driver = createMemoryDriver({
    'article/one.md': '---\ntitle: One\npath: /same\n---\n',
    'article/two.md': '---\ntitle: Two\npath: /same\n---\n',
  });
  const { data } = await status(driver, EDITOR);
  expect(data.attributes).toEqual({
    problems: [
      {
        file: 'article/two.md',
        line: 3,
        column: 7,
        severity: 'warning',
        code: 'alias/duplicate',
        message: expect.stringContaining('`article/one.md` already has the alias `/same`'),
        hint: 'Give one of them another `path`.',
        entity: article('two'),
      },
    ],
    uncommitted: null,
    commits: null,
  });
  expect(data.meta.counts).toEqual({ errors: 0, warnings: 1 });
});

it('needs a sign-in, and has no parameters', async () => {
  const driver = createMemoryDriver({ 'article/one.md': '---\ntitle: One\n---\n' });
  expect((await status(driver, { name: null, roles: ['anonymous'] })).status).toBe(401);
  expect((await status(driver, READER)).status).toBe(200);
  const { status: refused, errors } = await status(driver, READER, '?sort=x&colour=red');
  expect([refused, errors[0].source]).toEqual([400, { parameter: 'colour' }]);
});

it('says which commits wait, and why', async () => {
  const git = await createGitSite({ 'article/moon.md': '---\ntitle: Moon\n---\n' });
  const site = await git.open();
  const commits = async () => (await site.send('GET', '/jsonapi/_status')).json.data.attributes.commits;
  expect(await commits()).toEqual({
    commits: 'ok',
    backlog: { changes: 0, oldestSeconds: 0 },
    obstacles: [],
  });
  git.git('checkout', '-q', '--detach');
  const body = { data: { type: 'node--article', id: 'moon', attributes: { title: 'New moon' } } };
  expect((await site.send('PATCH', '/jsonapi/node/article/moon', body)).status).toBe(200);
  await eventually(async () => {
    expect(await commits()).toMatchObject({
      commits: 'waiting',
      backlog: { changes: 1 },
      waitsFor: 'repository',
      obstacles: [
        'No branch is checked out (HEAD is detached): check one out, or set the option editing.git.branch.',
      ],
    });
  });
  const { json } = await site.send('GET', '/jsonapi/_status');
  expect(json.data.attributes.uncommitted).toEqual([
    { file: 'article/moon.md', change: 'modified', entity: article('moon') },
  ]);
  await git.remove();
});
