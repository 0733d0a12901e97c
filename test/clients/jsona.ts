import { Jsona } from 'jsona';
import { describe, expect, it } from 'vitest';
import { ask, type Origin, type Writable } from './ask.ts';
import { ARTICLES } from './content.ts';

export function testJsona(origin: Origin, writable: Writable): void {
  const get = async (path: string) => (await ask(`${origin()}/jsonapi/${path}`)).body;
  const model = async (path: string) => {
    const read = new Jsona().deserialize(await get(path));
    if (Array.isArray(read)) throw new Error(`${path} is a list.`);
    return read;
  };

  describe('jsona', () => {
    it('reads a collection with its included resources', async () => {
      const document = await get('node/article?include=field_author,field_tags&page[limit]=3&sort=-id');
      const models = new Jsona().deserialize(document);
      expect(models).toMatchObject([
        { type: 'node--article', id: 'a24', title: 'Article 24', field_author: { title: 'Ada' } },
        { id: 'a23', field_author: { id: 'cy', title: 'Cy' }, field_tags: [] },
        { id: 'a22', field_tags: [{ id: 'sea', title: 'Sea' }] },
      ]);
    });

    it('reads numbered pages along links.next', async () => {
      const titles: unknown[] = [];
      for (let path = 'node/article?page[number]=1&page[size]=7'; path !== ''; ) {
        const document = await get(path);
        const models = new Jsona().deserialize(document);
        titles.push(...[models].flat().map(({ title }) => title));
        path = document.links.next?.href.split('/jsonapi/')[1] ?? '';
      }
      expect(titles).toEqual(Array.from({ length: ARTICLES }, (_, at) => `Article ${at + 1}`));
    });

    it('reads circular references', async () => {
      const ada = await model('node/person/ada?include=field_boss.field_boss');
      expect(ada.field_boss).toMatchObject({ id: 'bob', title: 'Bob' });
      expect(ada.field_boss.field_boss).toMatchObject({ id: 'ada', title: 'Ada' });
      expect(ada.field_boss.field_boss.field_boss.title).toBe('Bob');
    });

    it('reads a reference to several types', async () => {
      const subject = async (id: string) =>
        (await model(`node/article/${id}?include=field_subject`)).field_subject;
      expect(await subject('a01')).toMatchObject({ type: 'node--person', title: 'Bob' });
      expect(await subject('a02')).toMatchObject({ type: 'node--tag', title: 'Sea' });
      expect(await subject('a04')).toBeNull();
    });

    it('reads missing, hidden and omitted resources as identifiers', async () => {
      const missing = await model('node/article/a03?include=field_subject');
      expect(missing.field_subject).toEqual({
        type: 'node--person',
        id: 'missing',
        resourceIdObjMeta: expect.anything(),
      });
      const hidden = await model('node/article/a06?include=field_author');
      expect(hidden.field_author).toMatchObject({ type: 'node--person', id: 'dan' });
      expect(hidden.field_author).not.toHaveProperty('title');
      const plain = await model('node/article/a01');
      expect(plain.field_author).toMatchObject({ type: 'node--person', id: 'bob' });
    });

    it('keeps links and meta, including those of identifiers', async () => {
      const article = await model('node/article/a01');
      expect(article.links.self.href).toBe(`${origin()}/jsonapi/node/article/a01`);
      expect(article.meta.revision).toMatch(/./);
      expect(article.field_author.resourceIdObjMeta).toEqual({ drupal_internal__target_id: 'bob' });
    });

    it('reads related resources and relationships', async () => {
      expect(await model('node/article/a01/field_author')).toMatchObject({ id: 'bob', title: 'Bob' });
      const tags = new Jsona().deserialize(await get('node/article/a10/relationships/field_tags'));
      expect(tags).toMatchObject([{ id: 'sea' }, { id: 'sky' }]);
    });

    it('serializes a resource as it was read', async () => {
      const document = await get(
        'node/article/a10?include=field_author&fields[node--article]=title,field_author,field_tags&fields[node--person]=title',
      );
      const jsona = new Jsona();
      const stuff = jsona.deserialize(document);
      const written = jsona.serialize({ stuff, includeNames: ['field_author'] });
      expect(written).toMatchObject({
        data: {
          type: 'node--article',
          id: 'a10',
          attributes: { title: 'Article 10' },
          relationships: {
            field_author: { data: { type: 'node--person', id: 'bob' } },
            field_tags: {
              data: [
                { type: 'node--tag', id: 'sea' },
                { type: 'node--tag', id: 'sky' },
              ],
            },
          },
        },
        included: [{ type: 'node--person', id: 'bob', attributes: { title: 'Bob' } }],
      });
    });

    it('creates and changes resources that it has read', async () => {
      const jsona = new Jsona();
      const send = (method: string, path: string, document: object) =>
        ask(`${writable.origin()}/jsonapi/node/${path}`, {
          method,
          headers: { 'Content-Type': 'application/vnd.api+json', Authorization: writable.authorization() },
          body: JSON.stringify(document),
        });
      const article = { type: 'node--article', title: 'By jsona', field_rating: 2 };
      const created = await send('POST', 'article', jsona.serialize({ stuff: article }));
      expect([created.status, created.body.data.id]).toEqual([201, 'by-jsona']);

      const { body: article_ } = await ask(`${writable.origin()}/jsonapi/node/article/by-jsona`);
      const { links: _, meta: __, ...read } = Object(jsona.deserialize(article_));
      const changed = { ...read, title: 'Again', field_tags: [{ type: 'node--tag', id: 'sea' }] };
      const document = jsona.serialize({ stuff: changed, includeNames: ['field_tags'] });
      const { status, body } = await send('PATCH', 'article/by-jsona', document);
      expect([status, jsona.deserialize(body)]).toMatchObject([
        200,
        { id: 'by-jsona', title: 'Again', field_rating: 2, field_tags: [{ id: 'sea' }] },
      ]);
      expect((await send('DELETE', 'article/by-jsona', document)).status).toBe(204);
    });
  });
}
