import { describe, expect, it } from 'vitest';
import { ANONYMOUS } from '../../../../integration/core/access/actor.ts';
import { explain } from '../../../../integration/core/api/explain.ts';
import { answer } from '../../../../integration/core/api/jsonapi/answer.ts';
import { createContentApi } from '../../../../integration/core/builder/index.ts';
import type { DataDocument } from '../../../../integration/core/read/document-types.ts';
import { createHandler } from '../../../support/handler.ts';
import { createMemoryDriver } from '../../../support/memory-driver.ts';
import { fetchFrom } from '../../../support/request.ts';
import { createServices, type TestSite } from '../../../support/services.ts';

const FILES = {
  'article/a.json':
    '{ "title": "Tea and tea", "drupal_internal__nid": 3, "tags": ["taxonomy_term--tags/x"] }',
  'article/b.json':
    '{ "title": "Zebra", "drupal_internal__nid": 10, "tags": ["taxonomy_term--tags/x", "taxonomy_term--tags/y"] }',
  'article/c.json': '{ "title": "A word about tea", "drupal_internal__nid": 2 }',
  'taxonomy_term--tags/x.json': '{ "title": "X", "drupal_internal__tid": 2 }',
  'taxonomy_term--tags/y.json': '{ "title": "Y", "drupal_internal__tid": 1 }',
  'page/m.json': '{ "title": "M", "drupal_internal__nid": "2" }',
  'page/n.json': '{ "title": "N", "drupal_internal__nid": "1" }',
};

const TARGET = 'tags.meta.drupal_internal__target_id';

async function idsOf(
  path: string,
  site: TestSite = {},
  files: Readonly<Record<string, string>> = FILES,
): Promise<readonly string[]> {
  const services = await createServices(createMemoryDriver(files), undefined, site);
  const document: DataDocument = await answer(services, path, { actor: ANONYMOUS });
  return [document.data].flat().flatMap((each) => each?.id ?? []);
}

describe('a list without `sort`', () => {
  it('has the order of the numbers that content keeps from Drupal', async () => {
    expect(await idsOf('/node/article')).toEqual(['c', 'a', 'b']);
    expect(await idsOf('/node/article?page[limit]=2&page[offset]=1')).toEqual(['a', 'b']);
    expect(await idsOf('/taxonomy_term/tags')).toEqual(['y', 'x']);
  });

  it('has the order of ids if the numbers are something else, or hidden', async () => {
    expect(await idsOf('/node/page')).toEqual(['m', 'n']);
    const except = ['drupal_internal__nid'];
    const permissions = [{ actions: ['view' as const], bundles: '*' as const, fields: { view: { except } } }];
    expect(await idsOf('/node/article', { roles: { anonymous: { permissions } } })).toEqual(['a', 'b', 'c']);
  });

  it('has the same order in pages, in plain JSON, and in the plan of the query', async () => {
    const services = await createServices(createMemoryDriver(FILES));
    const articles = await createContentApi(services).entities('article').all();
    expect(articles.map(({ id }) => id)).toEqual(['c', 'a', 'b']);
    const plain = await fetchFrom(createHandler(services), '/api/content/articles');
    expect(await plain.json()).toMatchObject({ data: [{ id: 'c' }, { id: 'a' }, { id: 'b' }] });
    const { ast } = await explain(services, ANONYMOUS, 'url=/node/article');
    expect(ast.sort).toEqual([{ path: 'drupal_internal__nid', direction: 'ASC' }]);
  });

  it('has the best results of a search first', async () => {
    expect(await idsOf('/node/article?filter[fulltext]=tea')).toEqual(['a', 'c']);
  });
});

it('a list with `sort` has that order', async () => {
  expect(await idsOf('/node/article?sort=-title')).toEqual(['b', 'a', 'c']);
});

describe('a filter by the number of a target', () => {
  it('finds the content that refers to it, by the number or by the id', async () => {
    expect(await idsOf(`/node/article?filter[${TARGET}]=2`)).toEqual(['a', 'b']);
    expect(await idsOf(`/node/article?filter[${TARGET}]=x`)).toEqual(['a', 'b']);
    expect(await idsOf(`/node/article?filter[${TARGET}]=1`)).toEqual(['b']);
    expect(await idsOf(`/node/article?filter[${TARGET}]=9`)).toEqual([]);
    const condition = `filter[t][condition][path]=${TARGET}&filter[t][condition][operator]`;
    expect(await idsOf(`/node/article?${condition}=IN&filter[t][condition][value][]=1`)).toEqual(['b']);
    expect(await idsOf(`/node/article?${condition}=IS NULL`)).toEqual(['c']);
    expect(await idsOf(`/node/article?sort=${TARGET}`)).toEqual(['c', 'a', 'b']);
  });

  it('finds it by the machine name of configuration too', async () => {
    const id = '8b1f7a52-6d22-4a4c-9c58-0d1f3f6b3a10';
    const files = {
      'article/a.json': `{ "title": "A", "node_type": "node_type--node_type/${id}" }`,
      'article/b.json': '{ "title": "B", "roles": ["user_role--user_role/x"] }',
      [`node_type--node_type/${id}.json`]: '{ "title": "Article", "drupal_internal__type": "article" }',
      'user_role--user_role/x.json': '{ "title": "Author", "drupal_internal__id": "author" }',
    };
    const found = (name: string, value: string, site?: TestSite) =>
      idsOf(`/node/article?filter[${name}.meta.drupal_internal__target_id]=${value}`, site, files);
    expect(await found('node_type', 'article')).toEqual(['a']);
    expect(await found('node_type', id)).toEqual(['a']);
    expect(await found('node_type', 'page')).toEqual([]);
    expect(await found('roles', 'author')).toEqual(['b']);
    const except = ['drupal_internal__type'];
    const permissions = [{ actions: ['view' as const], bundles: '*' as const, fields: { view: { except } } }];
    expect(await found('node_type', 'article', { roles: { anonymous: { permissions } } })).toEqual([]);
  });

  it('finds nothing if the number is hidden', async () => {
    const except = ['drupal_internal__tid'];
    const permissions = [{ actions: ['view' as const], bundles: '*' as const, fields: { view: { except } } }];
    const site = { roles: { anonymous: { permissions } } };
    expect(await idsOf(`/node/article?filter[${TARGET}]=2`, site)).toEqual([]);
    expect(await idsOf(`/node/article?filter[${TARGET}]=x`, site)).toEqual(['a', 'b']);
  });
});
