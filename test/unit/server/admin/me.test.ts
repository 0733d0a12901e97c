import { describe, expect, it } from 'vitest';
import type { Roles } from '../../../../integration/core/access/role.ts';
import { createHandler } from '../../../support/handler.ts';
import { createMemoryDriver } from '../../../support/memory-driver.ts';
import { fetchFrom } from '../../../support/request.ts';
import { createServices } from '../../../support/services.ts';
import { ORIGIN, openSignInSite, signIn } from '../../../support/sign-in-site.ts';

const adminApp = async () => {
  throw new Error('The app is not needed.');
};

describe('the account of a request', () => {
  it('has its session token and its rights on every bundle', async () => {
    const site = await openSignInSite({ settings: { admin: true }, front: { adminApp } });
    const { session, csrf } = await signIn(site);
    const response = await site.request('/jsonapi/_me', {}, { session });
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('vary')).toContain('Cookie');
    expect(await response.json()).toEqual({
      jsonapi: expect.anything(),
      data: {
        type: 'account',
        id: 'ada',
        attributes: { roles: ['authenticated', 'administrator'], local: false, csrf },
        meta: {
          bundles: {
            'node--article': { create: true, update: 'all', delete: 'all', publish: 'all' },
          },
          writeMdx: false,
          manageAccounts: true,
        },
      },
      links: { self: { href: `${ORIGIN}/jsonapi/_me` } },
    });
  });

  it('is a 401 for anonymous', async () => {
    const site = await openSignInSite({ settings: { admin: true }, front: { adminApp } });
    expect((await site.request('/jsonapi/_me')).status).toBe(401);
  });

  it.each([
    ['POST', '/jsonapi/_me', 405],
    ['GET', '/jsonapi/_me?nonsense=1', 400],
    ['GET', '/jsonapi/_me/more', 404],
  ])('%s %s has the status %i', async (method, path, status) => {
    const site = await openSignInSite({ settings: { admin: true }, front: { adminApp } });
    const { session, csrf } = await signIn(site);
    const response = await site.request(path, { method, headers: { 'x-csrf-token': csrf } }, { session });
    expect(response.status).toBe(status);
  });

  it('does not exist without the admin', async () => {
    const site = await openSignInSite({ settings: { admin: false } });
    expect((await site.request('/jsonapi/_me')).status).toBe(404);
  });
});

const ROLES: Roles = {
  author: {
    permissions: [
      { actions: ['create'], bundles: ['article'], where: 'unpublished' },
      {
        actions: ['update', 'delete'],
        bundles: ['article'],
        where: ['own', 'unpublished'],
        fields: { change: { except: ['status', 'uid'] } },
      },
    ],
  },
  publisher: { permissions: [{ actions: ['update'], bundles: ['article'], where: 'unpublished' }] },
};

describe('the rights of a role', () => {
  it.each([
    ['author', { create: true, update: 'some', delete: 'some', publish: 'none' }],
    ['publisher', { create: false, update: 'some', delete: 'none', publish: 'some' }],
    ['editor', { create: true, update: 'all', delete: 'all', publish: 'all' }],
    ['unknown', { create: false, update: 'none', delete: 'none', publish: 'none' }],
  ])('%s are %j', async (role, rights) => {
    expect(await rightsOf(role, true)).toMatchObject({ 'node--article': rights });
  });

  it('are empty if the server cannot write', async () => {
    const none = { create: false, update: 'none', delete: 'none', publish: 'none' };
    expect(await rightsOf('editor', false)).toMatchObject({ 'node--article': none });
  });

  async function rightsOf(role: string, isWritable: boolean): Promise<unknown> {
    const services = await createServices(
      createMemoryDriver({ 'article/first.md': '---\ntitle: First\n---\n' }),
      undefined,
      { roles: ROLES, settings: { admin: true }, ...(isWritable && { writable: {} }) },
    );
    const handle = createHandler(services, { adminApp });
    const actor = { name: 'ann', roles: ['authenticated', role] };
    const response = await fetchFrom(handle, '/jsonapi/_me', { actor });
    const { data } = await response.json();
    expect(data.meta.manageAccounts).toBe(false);
    return data.meta.bundles;
  }
});

describe('the schema of the content, and plans of queries', () => {
  it.each([
    '/jsonapi-explorer/schema.json',
    '/jsonapi-explorer/explain.json?url=%2Fjsonapi%2Fnode%2Farticle',
  ])('are for accounts only if the explorer is off: %s', async (path) => {
    const site = await openSignInSite({ settings: { admin: true }, front: { adminApp } });
    const { session } = await signIn(site);
    expect((await site.request(path, {}, { session })).status).toBe(200);
    expect((await site.request(path)).status).toBe(401);
    const open = await openSignInSite({ settings: { admin: true, explorer: true }, front: { adminApp } });
    expect((await open.request(path)).status).toBe(200);
    const off = await openSignInSite();
    expect(await off.handle(new Request(ORIGIN + path))).toBeUndefined();
  });
});
