import { beforeEach, describe, expect, it } from 'vitest';
import type { Actor } from '../../integration/core/access/actor.ts';
import { type AttackedSite, article, EDITOR, openAttackedSite } from './attacked-site.ts';

const WRITER: Actor = { name: 'ann', roles: ['sports'] };
const VISITOR: Actor = { name: '', roles: [] };
const ROLES = {
  sports: {
    permissions: [{ actions: ['view', 'create', 'update'], bundles: ['article'], where: ['published'] }],
  },
} as const;
const JSON_API = { 'content-type': 'application/vnd.api+json' };

let site: AttackedSite;
beforeEach(async () => {
  const files = {
    'content/article/match.md': '---\ntitle: Match\n---\n',
    'content/page/about.md': '---\ntitle: About\npath: /about\n---\n',
    'content/page/plan.md': '---\ntitle: Plan\npath: /plan\ndraft: true\n---\n',
  };
  site = await openAttackedSite(files, undefined, { roles: ROLES });
});

const setAlias = (alias: string, actor = WRITER) =>
  site.request('PATCH', '/jsonapi/node/article/match', {
    actor,
    body: article({ path: { alias } }, { id: 'match' }),
    headers: JSON_API,
  });

/** The id of the entity that a path resolves to for an actor. */
async function idAt(path: string, actor: Actor): Promise<string | undefined> {
  return (await site.request('GET', `/router/translate-path?path=${path}`, { actor })).json.entity?.id;
}

describe('the alias of another entity', () => {
  it('is a 409 that names the entity if the writer sees it, and nothing is written', async () => {
    const before = site.content();
    const { status, json } = await setAlias('/about');
    expect(status).toBe(409);
    expect(json.errors[0]).toMatchObject({
      detail: "node--page 'about' already has the alias '/about'.",
      source: { pointer: '/data/attributes/path' },
    });
    expect(site.content()).toEqual(before);
  });

  it.each(['/about/', '/about//'])('is a 409 as %s, which leads to the same page', async (alias) => {
    expect((await setAlias(alias)).status).toBe(409);
  });

  it('cannot take over the path made of type and id', async () => {
    await setAlias('/node/page/about');
    expect(await idAt('/node/page/about', VISITOR)).toBe('about');
  });

  it('is a 409 for a new entity and through the REST API', async () => {
    const body = { title: 'New', path: { alias: '/about' } };
    const created = await site.request('POST', '/jsonapi/node/article', {
      actor: WRITER,
      body: article(body),
      headers: JSON_API,
    });
    const rest = await site.request('POST', '/api/content/articles', { actor: WRITER, body });
    expect([created.status, rest.status]).toEqual([409, 409]);
  });

  it('is accepted if the writer does not see that entity', async () => {
    expect((await setAlias('/plan')).status).toBe(200);
    expect((await setAlias('/plan', EDITOR)).status).toBe(200);
  });

  it('leads to its first holder for readers who see both', async () => {
    await setAlias('/plan');
    expect(await idAt('/plan', VISITOR)).toBe('match');
    expect(await idAt('/plan', EDITOR)).toBe('plan');
    const published = await site.request('PATCH', '/jsonapi/node/page/plan', {
      body: { data: { type: 'node--page', id: 'plan', attributes: { status: true } } },
      headers: JSON_API,
    });
    expect(published.status).toBe(200);
    expect(await idAt('/plan', VISITOR)).toBe('plan');
    const problems = site.services.diagnostics().filter(({ code }) => code === 'alias/duplicate');
    expect(problems).toMatchObject([{ severity: 'warning', key: 'article/match.md' }]);
  });

  it('can be set again by its holder, and reused when it is free', async () => {
    const change = (id: string, alias: string | null) =>
      site.request('PATCH', `/jsonapi/node/page/${id}`, {
        body: { data: { type: 'node--page', id, attributes: { path: { alias } } } },
        headers: JSON_API,
      });
    expect((await change('about', '/about')).status).toBe(200);
    expect((await change('about', '/about-us')).status).toBe(200);
    expect((await setAlias('/about')).status).toBe(200);
    expect(await idAt('/about', VISITOR)).toBe('match');
  });
});
