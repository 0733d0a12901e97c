import { describe, expect, test } from 'vitest';
import { createContentApi } from '../../../../integration/core/builder/index.ts';
import { createHandler } from '../../../support/handler.ts';
import { createMemoryDriver } from '../../../support/memory-driver.ts';
import { fetchFrom } from '../../../support/request.ts';
import { createServices } from '../../../support/services.ts';

const text = (title: string, lines: string, body: string) => `---\ntitle: ${title}\n${lines}---\n${body}`;
const FILES = {
  'post/tide.md': text(
    'Spring tides',
    'topics: [topic/sea]\ntags: [moon, harbour]\n',
    'Every harbour publishes tables of the tides.',
  ),
  'post/neap.md': text('Neap tide', 'tags: [sun]\n', 'Between two of the others.'),
  'post/moon.md': text('A crescent', 'tags: [moon]\n', 'Seen at dusk.'),
  'post/boats.md': text('Boats', '', 'Most harbours have some of them.'),
  'post/sea.md': text('Salt', 'topics: [topic/sea]\n', 'It tastes.'),
  'post/reply.md': text('Answer', 'follows: post/tide\n', 'Nothing more.'),
  'post/bread.md': text('Bread', 'tags: [oven]\n', 'Flour and water.'),
  'post/empty.md': text('', '', ''),
  'post/draft.md': text('Tides tomorrow', 'draft: true\ntags: [moon]\n', 'Tides, harbour.'),
  'topic/sea.md': text('The sea', '', ''),
};
const services = createServices(createMemoryDriver(FILES));
const api = services.then((reader) => createContentApi(reader));

async function ask(query: string, type = 'post') {
  const response = await fetchFrom(createHandler(await services), `/jsonapi/node/${type}?${query}`);
  return JSON.parse(await response.text());
}
const related = (id: string) =>
  `filter[fulltext][operator]=RELATED_TO&filter[fulltext][value]=${encodeURIComponent(id)}`;
const idsOf = ({ data }: { data: readonly { id: string }[] }) => data.map(({ id }) => id);

describe('entries that are related to another', () => {
  test('have words, tags or references in common with it, those with most and rarest first', async () => {
    const answer = await ask(related('tide'));
    expect(answer.errors).toBeUndefined();
    expect(idsOf(answer)).toEqual(['reply', 'moon', 'sea', 'neap', 'boats']);
    expect(answer.meta.count).toBe(5);
  });

  test('include those that it refers to', async () => {
    expect(idsOf(await ask(related('reply')))).toEqual(['tide']);
  });

  test('are none without anything in common', async () => {
    for (const id of ['empty', 'bread']) expect(idsOf(await ask(related(id)))).toEqual([]);
  });

  test('are filtered, sorted, counted, paged and included like others', async () => {
    const ids = async (more: string) => idsOf(await ask(`${related('tide')}&${more}`));
    expect(await ids('filter[tags]=moon')).toEqual(['moon']);
    expect(await ids('sort=title')).toEqual(['moon', 'reply', 'boats', 'neap', 'sea']);
    const page = await ask(
      `${related('tide')}&page[offset]=2&page[limit]=2&include=topics&fields[node--post]=title,topics&facetBy[tags]=`,
    );
    expect(idsOf(page)).toEqual(['sea', 'neap']);
    expect(page.included.map(({ id }: { id: string }) => id)).toEqual(['sea']);
    expect(Object.keys(page.data[0].attributes)).toEqual(['title']);
    expect(page.meta.facets.tags.terms).toEqual([
      { value: 'moon', count: 1 },
      { value: 'sun', count: 1 },
    ]);
  });

  test('can be one of several conditions, and the other words of a search count, too', async () => {
    const group = 'filter[any][group][conjunction]=OR';
    const condition = (name: string, path: string, rest: string) =>
      `filter[${name}][condition][path]=${path}&filter[${name}][condition][memberOf]=any&filter[${name}][condition]${rest}`;
    const relatedTo = condition('r', 'fulltext', '[operator]=RELATED_TO&filter[r][condition][value]=reply');
    const either = await ask(`${group}&${relatedTo}&${condition('b', 'title', '[value]=Bread')}`);
    expect(idsOf(either)).toEqual(['tide', 'bread']);
    const both = await ask(
      `${related('tide')}&filter[s][condition][path]=fulltext&filter[s][condition][value]=salt`,
    );
    expect(idsOf(both)).toEqual(['sea']);
  });

  test.each([
    ['an id that does not exist', 'tides'],
    ['a hidden entity', 'draft'],
    ['an entity of another type', 'sea-of-topics'],
    ['an empty id', ''],
    ['a path', '../topic/sea'],
  ])('are not found for %s, with the same error', async (_, id) => {
    const { errors } = await ask(related(id));
    expect(errors).toMatchObject([
      {
        status: '400',
        source: { parameter: 'filter[fulltext]' },
        detail: `There is no resource '${id}' of type node--post, or you may not see it.`,
      },
    ]);
  });

  test('are an operator of the path fulltext', async () => {
    const { errors } = await ask('filter[title][operator]=RELATED_TO&filter[title][value]=tide');
    expect(errors).toMatchObject([{ status: '400', source: { parameter: 'filter[title][operator]' } }]);
  });

  test('do not exist if full-text search is off', async () => {
    const site = await createServices(createMemoryDriver(FILES), undefined, {
      settings: { fulltext: false },
    });
    const response = await fetchFrom(createHandler(site), `/jsonapi/node/post?${related('tide')}`);
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('Full-text search is off');
  });
});

describe('relatedTo()', () => {
  test('takes an entity or an id', async () => {
    const { entities } = await api;
    const posts = entities('post');
    const tide = await posts.get('tide');
    const ids = async (query: typeof posts) => (await query.fields('title').all()).map(({ id }) => id);
    const all = ['reply', 'moon', 'sea', 'neap', 'boats'];
    expect(await ids(posts.relatedTo(tide!))).toEqual(all);
    expect(await ids(posts.relatedTo('tide').limit(2))).toEqual(all.slice(0, 2));
    expect(await ids(entities('node--post').relatedTo({ id: 'tide', type: 'post' }))).toEqual(all);
    const either = posts.where(({ or, relatedTo, where }) =>
      or(relatedTo('reply'), where('id', '=', 'bread')),
    );
    expect(await ids(either)).toEqual(['tide', 'bread']);
    expect(await posts.relatedTo('tide').count()).toBe(5);
  });

  test('is written as a URL that a server answers in the same way', async () => {
    const url = (await api).entities('post').relatedTo('tide').limit(2).toUrl();
    expect(url).toBe(
      '/jsonapi/node/post?filter[fulltext][operator]=RELATED_TO&filter[fulltext][value]=tide&page[limit]=2',
    );
    expect(idsOf(await ask(url.split('?')[1]!))).toEqual(['reply', 'moon']);
  });

  test('rejects entities of another bundle and those that are not visible', async () => {
    const posts = (await api).entities('post');
    await expect(posts.relatedTo({ id: 'sea', type: 'topic' }).all()).rejects.toThrow(
      "entities('post').relatedTo('sea'): The entity is of the bundle 'topic', and the list has node--post.",
    );
    await expect(posts.relatedTo(undefined as unknown as string).all()).rejects.toThrow(
      "There is no resource 'undefined' of type node--post",
    );
    await expect(posts.relatedTo('draft').all()).rejects.toThrow(
      `entities('post').relatedTo('draft'): There is no resource 'draft' of type node--post, or you may not see it.`,
    );
  });

  test('explains which words and values it looks for', async () => {
    const { plan } = await (await api).entities('post').relatedTo('tide').explain();
    expect(plan).toContain('search "tides harbour moon"');
    expect(plan).toContain('tags = "moon"');
  });
});
