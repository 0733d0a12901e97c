import { beforeEach, describe, expect, it } from 'vitest';
import type { Roles } from '../../../integration/core/access/role.ts';
import type { Handler } from '../../../integration/core/server/handler.ts';
import { defineSchema, z } from '../../../integration/schema.ts';
import { createHandler } from '../../support/handler.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { fetchFrom } from '../../support/request.ts';
import { createServices } from '../../support/services.ts';

const SCHEMA = defineSchema({
  page: { section: z.string().nullish(), notes: z.string().nullish() },
});
const ROLES: Roles = {
  authenticated: {
    permissions: [
      { actions: ['view'], bundles: '*', where: 'published', fields: { view: { except: ['notes'] } } },
    ],
  },
  drafter: {
    permissions: [
      {
        actions: ['create'],
        bundles: ['page'],
        where: 'unpublished',
        fields: { change: ['title', 'status'] },
      },
    ],
  },
  writer: {
    permissions: [
      { actions: ['update'], bundles: ['page'], where: 'own' },
      { actions: ['update'], bundles: ['page'], where: { section: 'news' }, fields: { change: ['title'] } },
    ],
  },
};

let handle: Handler;
beforeEach(async () => {
  const driver = createMemoryDriver({
    'page/mine.md': '---\ntitle: Mine\nuid: ada\nsection: sea\nnotes: secret\n---\n',
    'page/news.md': '---\ntitle: News\nuid: bob\nsection: news\nnotes: secret\n---\n',
    'page/other.md': '---\ntitle: Other\nuid: bob\nsection: sea\n---\n',
    'page/draft.md': '---\ntitle: Draft\nuid: bob\nsection: news\nstatus: false\n---\n',
  });
  handle = createHandler(await createServices(driver, SCHEMA, { roles: ROLES, writable: {} }));
});

async function send(
  method: string,
  id: string | undefined,
  attributes: object,
  ...roles: string[]
): Promise<number | undefined> {
  const path = `/jsonapi/node/page${id === undefined ? '' : `/${id}`}`;
  const data = { type: 'node--page', ...(id !== undefined && { id }), attributes };
  const headers = { 'content-type': 'application/vnd.api+json' };
  return (
    await fetchFrom(handle, path, {
      method,
      headers,
      body: JSON.stringify({ data }),
      actor: { name: 'ada', roles },
    })
  ).status;
}

describe('writing by roles', () => {
  it('creates only entities that the permission allows, with the fields it allows', async () => {
    expect(await send('POST', undefined, { title: 'New' })).toBe(403);
    expect(await send('POST', undefined, { title: 'New' }, 'drafter')).toBe(403);
    expect(await send('POST', undefined, { title: 'New', status: false, section: 'x' }, 'drafter')).toBe(403);
    expect(await send('POST', undefined, { title: 'New', status: false }, 'drafter')).toBe(201);
  });

  it('changes only entities that the permission allows, and only the allowed fields', async () => {
    expect(await send('PATCH', 'mine', { section: 'x' }, 'writer')).toBe(200);
    expect(await send('PATCH', 'news', { section: 'x' }, 'writer')).toBe(403);
    expect(await send('PATCH', 'news', { title: 'Anew' }, 'writer')).toBe(200);
    expect(await send('PATCH', 'other', { title: 'Anew' }, 'writer')).toBe(403);
    expect(await send('PATCH', 'draft', { title: 'Anew' }, 'writer')).toBe(404);
    expect(await send('PATCH', 'mine', { uid: 'bob' }, 'writer')).toBe(403);
  });

  it('reveals nothing about a hidden field when a client guesses its name', async () => {
    const answers = [];
    for (const notes of ['secret', 'wrong', null])
      answers.push(await send('PATCH', 'mine', { notes }, 'writer'));
    expect(answers).toEqual([422, 422, 422]);
  });
});
