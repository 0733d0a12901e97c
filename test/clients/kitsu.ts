import Kitsu from 'kitsu';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Origin, Writable } from './ask.ts';
import { articleIds, STORIES } from './content.ts';

const id = (item: { id: string }): string => item.id;

export function testKitsu(origin: Origin, writable: Writable): void {
  describe('kitsu', () => {
    let api: Kitsu;
    beforeAll(() => {
      api = new Kitsu({
        baseURL: `${origin()}/jsonapi/node`,
        pluralize: false,
        camelCaseTypes: false,
        resourceCase: 'none',
      });
    });

    it('gets a collection with filter, sort, page, fields and include', async () => {
      const { data, meta, links, status, headers } = await api.get('article', {
        params: {
          filter: {
            'field_author.title': 'Bob',
            few: { condition: { path: 'field_rating', operator: '<', value: 5 } },
          },
          sort: '-field_rating,title',
          page: { limit: 3, offset: 0 },
          include: 'field_author.field_boss',
          fields: { 'node--article': 'title,field_author', 'node--person': 'title,field_boss' },
        },
      });
      expect([status, headers['content-type']]).toEqual([200, 'application/vnd.api+json']);
      expect(data.map(id)).toEqual(['a04', 'a13', 'a22']);
      expect(data[0].title).toBe('Article 4');
      expect(data[0]).not.toHaveProperty('field_rating');
      expect(data[0].field_author.data).toMatchObject({ id: 'bob', title: 'Bob' });
      expect(data[0].field_author.data.field_boss.data.title).toBe('Ada');
      expect(meta.count).toBe(5);
      expect(links.next.href).toContain('page%5Boffset%5D=3');
    });

    it.each(['traditional', 'modern'])('filters by several values, as %s', async (query) => {
      const other = new Kitsu({
        baseURL: `${origin()}/jsonapi/node`,
        pluralize: false,
        resourceCase: 'none',
        query,
      });
      const params = { filter: { id: { operator: 'IN', value: ['a02', 'a05'] } } };
      expect((await other.get('article', { params })).data.map(id)).toEqual(['a02', 'a05']);
    });

    it('gets numbered pages to the end', async () => {
      const ids: string[] = [];
      for (let number = 1, more = true; more; number++) {
        const page = await api.get('article', { params: { page: { number, size: 5 } } });
        ids.push(...page.data.map(id));
        more = page.links.next !== undefined;
      }
      expect(ids).toEqual(articleIds(() => true));
    });

    it('gets a group of filters', async () => {
      const filter = {
        either: { group: { conjunction: 'OR' } },
        first: { condition: { path: 'id', value: 'a01', memberOf: 'either' } },
        sky: { condition: { path: 'field_tags.title', value: 'Sky', memberOf: 'either' } },
      };
      const { data } = await api.fetch('article', { params: { filter } });
      expect(data.map(id)).toEqual(articleIds((number) => number === 1 || number % 5 === 0));
    });

    it('gets a resource with its relationships', async () => {
      const { data } = await api.get('article/a10', { params: { include: 'field_tags,field_subject' } });
      expect(data).toMatchObject({ id: 'a10', title: 'Article 10', path: { alias: '/blog/a10' } });
      expect(data.field_tags.data.map(({ title }: { title: string }) => title)).toEqual(['Sea', 'Sky']);
    });

    it('gets a related resource and a relationship', async () => {
      const { data: person } = await api.get('article/a01/field_author');
      expect(person).toMatchObject({ type: 'node--person', id: 'bob', title: 'Bob' });
      const { data: tags } = await api.get('article/a10/field_tags');
      expect(tags.map(id)).toEqual(['sea', 'sky']);
      const { data: identifiers, links } = await api.get('article/a10/relationships/field_tags');
      expect(identifiers.map(id)).toEqual(['sea', 'sky']);
      expect(links.related.href).toBe(`${origin()}/jsonapi/node/article/a10/field_tags`);
    });

    it('gets a collection that the server sends in chunks', async () => {
      const { data, headers } = await api.get('story');
      expect(headers['content-length']).toBeUndefined();
      expect(data.map(({ title }: { title: string }) => title)).toEqual(
        STORIES.map((story) => `Story ${story}`),
      );
      expect(JSON.stringify(data).length).toBeGreaterThan(1_000_000);
    });

    it('supports its hoist option', async () => {
      const hoisting = new Kitsu({
        baseURL: `${origin()}/jsonapi/node`,
        pluralize: false,
        resourceCase: 'none',
        hoistData: true,
      });
      const { data } = await hoisting.get('article', {
        params: { page: { limit: 1 }, include: 'field_tags' },
      });
      expect(data[0]).toMatchObject({ id: 'a01', title: 'Article 1' });
    });

    it('gets any URL', async () => {
      const { data } = await api.request({
        method: 'GET',
        url: 'person',
        params: { sort: '-title' },
        type: 'person',
      });
      expect(data.map(id)).toEqual(['cy', 'bob', 'ada']);
    });

    it.each([
      ['article/nope', {}, 404, undefined],
      ['article/hidden', {}, 404, undefined],
      ['nope', {}, 404, undefined],
      ['article', { filter: { nope: 1 } }, 400, 'filter[nope]'],
      ['article', { include: 'nope' }, 400, 'include'],
    ])('throws the errors of %s %j', async (model, params, status, parameter) => {
      const error = await api.get(model, { params }).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ response: { status }, errors: [{ status: String(status) }] });
      expect(error.errors[0].source?.parameter).toBe(parameter);
    });

    it.each([
      ['patch', () => api.patch('article', { id: 'a01', title: 'x' })],
      ['post', () => api.post('article', { title: 'x' })],
      ['delete, with its body', () => api.delete('article', 'a01')],
    ])('gets a 401 for an anonymous %s', async (_, write) => {
      const error = await write().catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ response: { status: 401 }, errors: [{ status: '401' }] });
    });

    it('creates, changes and removes, in requests that name the type', async () => {
      const editor = new Kitsu({
        baseURL: `${writable.origin()}/jsonapi/node`,
        pluralize: false,
        camelCaseTypes: false,
        resourceCase: 'none',
        headers: { Authorization: writable.authorization() },
      });
      const type = 'node--article';
      const { data: created, status } = await editor.request({
        method: 'POST',
        url: 'article',
        type,
        body: { title: 'By kitsu', field_author: { data: { type: 'node--person', id: 'ada' } } },
      });
      expect([status, created]).toMatchObject([
        201,
        { id: 'by-kitsu', title: 'By kitsu', field_author: { data: { id: 'ada' } } },
      ]);

      const url = `article/${created.id}`;
      const tags = { method: 'PATCH', url: `${url}/relationships/field_tags`, type: 'node--tag' };
      await editor.request({ method: 'PATCH', url, type, body: { id: created.id, field_rating: 5 } });
      await editor.request({ ...tags, method: 'POST', body: [{ id: 'sea' }] });
      await editor.request({ ...tags, body: [{ id: 'sky' }] });
      await editor.patch(`${url}/relationships/field_author`, null);
      const { data: changed } = await editor.get(url, { params: { include: 'field_tags' } });
      expect(changed).toMatchObject({ field_rating: 5, field_tags: { data: [{ title: 'Sky' }] } });
      // Kitsu omits empty values.
      expect(changed.field_author.data).toBeUndefined();

      const wrong = { method: 'PATCH', url, type, body: { id: created.id, field_rating: 'much' } };
      expect(await editor.request(wrong).catch((thrown: unknown) => thrown)).toMatchObject({
        errors: [{ status: '422', source: { pointer: '/data/attributes/field_rating' } }],
      });
      const byModel = editor.post('article', { title: 'x' });
      expect(await byModel.catch((thrown: unknown) => thrown)).toMatchObject({
        errors: [{ status: '409', detail: expect.stringContaining('node--article') }],
      });

      expect((await editor.delete('article', created.id)).status).toBe(204);
      expect(await editor.get(url).catch((thrown: unknown) => thrown)).toMatchObject({
        response: { status: 410 },
      });
    });
  });
}
