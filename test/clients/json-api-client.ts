import { JsonApiClient } from '@drupal-api-client/json-api-client';
import { DrupalJsonApiParams } from 'drupal-jsonapi-params';
import { Jsona } from 'jsona';
import { describe, expect, it } from 'vitest';
import type { Origin, Writable } from './ask.ts';
import { ARTICLES, articleIds } from './content.ts';
import { EDITOR } from './site.ts';

export function testJsonApiClient(origin: Origin, writable: Writable): void {
  describe('@drupal-api-client/json-api-client', () => {
    it('gets a collection with a query of drupal-jsonapi-params', async () => {
      const client = new JsonApiClient(origin());
      const queryString = new DrupalJsonApiParams()
        .addFilter('field_tags.id', 'sky')
        .addInclude(['field_tags'])
        .getQueryString();
      expect(await client.getCollection('node--article', { queryString })).toMatchObject({
        data: articleIds((number) => number < 21 && number % 5 === 0).map((id) => ({
          type: 'node--article',
          id,
        })),
        included: [{ id: 'sky' }, { id: 'sea' }],
      });
      expect(await client.getCollection('node--article')).toMatchObject({ meta: { count: ARTICLES } });
    });

    it.each([false, true])('gets a resource, with types from the entry point: %s', async (indexLookup) => {
      const client = new JsonApiClient(origin(), { indexLookup, serializer: new Jsona() });
      const article = await client.getResource('node--article', 'a01', {
        queryString: 'include=field_author',
      });
      expect(article).toMatchObject({ id: 'a01', title: 'Article 1', field_author: { title: 'Bob' } });
    });

    it('gets a resource by its path', async () => {
      const client = new JsonApiClient(origin());
      const options = { queryString: 'include=field_author' };
      expect(await client.getResourceByPath('/blog/a01', options)).toMatchObject({
        data: { id: 'a01', attributes: { path: { alias: '/blog/a01' } } },
        included: [{ id: 'bob' }],
      });
      expect(await client.getResourceByPath('/people/ada')).toMatchObject({
        data: { type: 'node--person', id: 'ada' },
      });
      expect(await client.router.translatePath('/blog/a02')).toMatchObject({
        entity: { uuid: 'a02' },
        label: 'Article 2',
      });
    });

    it('rejects for an unknown path', async () => {
      const client = new JsonApiClient(origin());
      for (const path of ['/nope', '/blog/hidden']) {
        const answer = await client.getResourceByPath(path);
        expect(answer).toMatchObject({
          message: `Unable to resolve path ${path}.`,
          details: expect.any(String),
        });
      }
    });

    it('returns documents and errors unchanged', async () => {
      const client = new JsonApiClient(origin());
      const raw = await client.getCollection('node--article', {
        rawResponse: true,
        queryString: 'filter[nope]=1',
      });
      expect(raw).toMatchObject({
        response: { status: 400 },
        json: { errors: [{ status: '400', source: { parameter: 'filter[nope]' } }] },
      });
      expect(await client.getResource('node--article', 'hidden')).toMatchObject({
        errors: [{ status: '404' }],
      });
    });

    it('sends cached requests once', async () => {
      const stored = new Map<string, unknown>();
      let requests = 0;
      const client = new JsonApiClient(origin(), {
        cache: {
          get: async <T>(key: string) => stored.get(key) as T,
          set: async (key: string, value: unknown) => stored.set(key, value),
        },
        customFetch: (input, init) => {
          requests += 1;
          return fetch(input, init);
        },
      });
      const first = await client.getCollection('node--tag');
      expect(await client.getCollection('node--tag')).toEqual(first);
      expect([...stored.keys(), requests]).toEqual(['node--tag', 1]);
      await client.getResource('node--tag', 'nope');
      expect([...stored.keys()]).toEqual(['node--tag']);
    });

    it('filters by language; its locale option is a path prefix of the site', async () => {
      const queryString = new DrupalJsonApiParams().addFilter('langcode', 'de').getQueryString();
      const client = new JsonApiClient(origin());
      expect(await client.getCollection('node--article', { queryString })).toMatchObject({
        meta: { count: 4 },
      });
      const { href } = new URL(
        await client.createURL({ localeSegment: 'de', entityTypeId: 'node', bundleId: 'article' }),
      );
      expect(href).toBe(`${origin()}/de/jsonapi/node/article`);
      expect((await fetch(href)).status).toBe(404);
    });

    it('gets a 401 for an anonymous write', async () => {
      const client = new JsonApiClient(origin(), { logger: { error: () => undefined } });
      const body = { data: { type: 'node--article', attributes: { title: 'x' } } };
      const refused = { errors: [{ status: '401' }] };
      expect(await client.createResource('node--article', body)).toMatchObject(refused);
      expect(await client.updateResource('node--article', 'a01', body)).toMatchObject(refused);
    });

    it('creates, updates and deletes with a name and password', async () => {
      const client = new JsonApiClient(writable.origin(), {
        authentication: { type: 'Basic', credentials: EDITOR },
        logger: { error: () => undefined, verbose: () => undefined },
      });
      const type = 'node--article';
      const created = await client.createResource(
        type,
        {
          data: {
            type,
            attributes: { title: 'By a client' },
            relationships: { field_tags: { data: [{ type: 'node--tag', id: 'sea' }] } },
          },
        },
        { rawResponse: true },
      );
      expect(created).toMatchObject({
        response: { status: 201 },
        json: { data: { id: 'by-a-client', relationships: { field_tags: { data: [{ id: 'sea' }] } } } },
      });

      const body = { data: { type, id: 'by-a-client', attributes: { field_rating: 4 } } };
      expect(await client.updateResource(type, 'by-a-client', JSON.stringify(body))).toMatchObject({
        data: { attributes: { title: 'By a client', field_rating: 4 } },
      });
      expect(await client.updateResource(type, 'a01', body)).toMatchObject({ errors: [{ status: '409' }] });

      expect(await client.deleteResource(type, 'by-a-client')).toBe('');
      expect(await client.getResource(type, 'by-a-client')).toMatchObject({ errors: [{ status: '410' }] });
    });
  });
}
