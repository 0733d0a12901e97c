import { describe, expect, it } from 'vitest';
import type { Actor } from '../../integration/core/access/actor.ts';
import type { Roles } from '../../integration/core/access/role.ts';
import type { Handler } from '../../integration/core/server/handler.ts';
import { defineSchema, image, z } from '../../integration/schema.ts';
import { createHandler } from '../support/handler.ts';
import { createMemoryDriver } from '../support/memory-driver.ts';
import { png } from '../support/pictures.ts';
import { fetchFrom } from '../support/request.ts';
import { adminApp, createServices } from '../support/services.ts';

const SCHEMA = defineSchema({
  article: {
    field_cover: image().nullish(),
    field_notes: image().nullish(),
    field_gallery: z.array(image()).default([]),
  },
  page: {},
});

const ROLES: Roles = {
  authenticated: {},
  author: {
    permissions: [
      { actions: ['view'], bundles: '*', where: 'published', fields: { view: { except: ['field_notes'] } } },
      { actions: ['create', 'update', 'delete'], bundles: ['article'], where: 'own' },
    ],
  },
  // Sees and changes all articles, but no unpublished pages.
  desk: {
    permissions: [
      { actions: ['view', 'create', 'update', 'delete'], bundles: ['article'] },
      { actions: ['view'], bundles: ['page'], where: 'published' },
    ],
  },
};

const SEEN = {
  'article/own.md': '---\ntitle: Own\nuid: bob\nfield_cover: own.png\nfield_gallery: [/shared.png]\n---\n',
  'article/own.png': png(2, 2),
  'page/about.md': '---\ntitle: About\n---\n\n![Own](../article/own.png)\n',
};
const PUBLIC = { 'shared.png': png(3, 3), 'page.png': png(4, 4) };

/** Content that neither role may see, and files that only it uses. */
const UNSEEN = {
  'page/plan.md':
    '---\ntitle: Plan\ndraft: true\n---\n\n![Own](../article/own.png) ![Plan](plan.png) ![Page](/page.png) ![Shared](/shared.png)\n',
  'page/plan.png': png(5, 5),
};

async function open(files: Readonly<Record<string, string | Uint8Array>>): Promise<Handler> {
  const site = {
    roles: ROLES,
    publicFiles: createMemoryDriver(PUBLIC),
    settings: { admin: true },
    writable: {},
  };
  return createHandler(await createServices(createMemoryDriver(files), SCHEMA, site), { adminApp });
}

const REQUESTS: readonly (readonly [method: string, path: string])[] = [
  ['GET', '/jsonapi/_files'],
  ['GET', '/jsonapi/_files?search=plan'],
  ['GET', '/jsonapi/_files?search=page&filter[used]=false'],
  ['GET', '/jsonapi/_files?filter[used]=true&sort=-filename'],
  ['GET', '/jsonapi/_files?page[offset]=1&page[limit]=1'],
  ['GET', '/jsonapi/_files?beside=node--page/plan'],
  ['GET', '/jsonapi/_files/content/page/plan.png'],
  ['GET', '/jsonapi/_files/public/page.png'],
  ['GET', '/jsonapi/_files/public/shared.png'],
  ['GET', '/jsonapi/_files/content/article/own.png'],
  ['PUT', '/jsonapi/_files/content/page/plan.png'],
  ['PUT', '/jsonapi/_files/content/article/own.png'],
  ['DELETE', '/jsonapi/_files/content/page/plan.png'],
  ['DELETE', '/jsonapi/_files/content/article/own.png'],
  ['DELETE', '/jsonapi/_files/public/page.png'],
  ['POST', '/jsonapi/_files?beside=node--page/plan'],
  ['POST', '/jsonapi/_files?beside=node--page/nothing'],
  ['GET', '/jsonapi/_status'],
  ['GET', '/content-files/page/plan.png'],
];

async function answer(handle: Handler, actor: Actor, method: string, path: string) {
  const isFile = method === 'PUT' || method === 'POST';
  const response = await fetchFrom(handle, path, {
    method,
    actor,
    ...(isFile && {
      body: png(6, 6),
      headers: {
        'content-type': 'application/octet-stream',
        'content-disposition': 'file; filename="a.png"',
      },
    }),
  });
  const text = (await response.text()).replaceAll('/nothing', '/plan').replaceAll("'nothing'", "'plan'");
  return [response.status, [...response.headers], text];
}

describe.each(['author', 'desk', 'none'])(
  'to the role %s, files look as if unseen content did not exist',
  (role) => {
    const actor: Actor = { name: 'bob', roles: [role] };

    it.each(REQUESTS)('%s %s', async (method, path) => {
      const with_ = await answer(await open({ ...SEEN, ...UNSEEN }), actor, method, path);
      const without = await answer(await open(SEEN), actor, method, path);
      expect(with_).toEqual(without);
    });
  },
);

it('a file of a hidden field is hidden', async () => {
  const handle = await open({
    ...SEEN,
    'article/note.md': '---\ntitle: Note\nfield_notes: note.png\n---\n',
    'article/note.png': png(7, 7),
  });
  const [status] = await answer(
    handle,
    { name: 'bob', roles: ['author'] },
    'GET',
    '/jsonapi/_files/content/article/note.png',
  );
  expect(status).toBe(404);
});

it('unused files are listed only for accounts that see all content', async () => {
  const handle = await open({ ...SEEN, 'article/unused.png': png(8, 8) });
  const path = '/jsonapi/_files/content/article/unused.png';
  const statuses = [];
  for (const role of ['author', 'desk', 'editor']) {
    statuses.push((await answer(handle, { name: 'bob', roles: [role] }, 'GET', path))[0]);
  }
  // A page that `desk` may not see could have a link to it.
  expect(statuses).toEqual([404, 404, 200]);
});
