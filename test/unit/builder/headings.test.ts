import { describe, expect, it } from 'vitest';
import { headingsOf } from '../../../integration/core/builder/headings.ts';
import { createLibrary } from './library.ts';

describe('the headings of HTML', () => {
  it.each([
    ['none', '<p>text</p>', []],
    ['their text without markup', '<h2 id="a">A <code>b</code> &amp; c</h2>', [[2, 'a', 'A b & c']]],
    [
      'the order of the document, nested or not',
      '<h1 id="one">One</h1><div><h3 id="two">Two</h3></div><h2 id="three">Three</h2>',
      [
        [1, 'one', 'One'],
        [3, 'two', 'Two'],
        [2, 'three', 'Three'],
      ],
    ],
    ['no heading without an id', '<h2>One</h2><h2 id="">Two</h2><h2 id="3">Three</h2>', [[2, '3', 'Three']]],
    ['no heading in code or in a comment', '<pre>&lt;h2 id="a"></pre><!-- <h2 id="b">b</h2> -->', []],
    ['headings whose attributes contain tags', `<h2 title="<h3 id='x'>" id="y">Y</h2>`, [[2, 'y', 'Y']]],
  ])('have %s', (_, html, expected) => {
    const all = headingsOf(html).map(({ depth, slug, text }) => [depth, slug, text]);
    expect(all).toEqual(expected);
  });

  it('are found in deeply nested elements', () => {
    expect(headingsOf(`${'<b>'.repeat(5000)}<h2 id="deep">Deep</h2>`)).toHaveLength(1);
  });
});

describe('the body of an entity', () => {
  it('has headings, also in included entities and in JSON', async () => {
    const files = { 'post/a.md': '---\nabout: post/b\n---\nA\n', 'post/b.md': 'B\n', 'post/c.json': '{}' };
    const renderBody = async ({ id }: { readonly id: string }) => `<h2 id="${id}">${id}</h2>`;
    const { entities } = await createLibrary(files, undefined, { renderBody });
    const post = await entities('post').include('about').get('a');
    const headings = (id: string) => [{ depth: 2, slug: id, text: id }];
    expect(post?.body).toMatchObject({ headings: headings('a') });
    expect(JSON.parse(JSON.stringify(post))).toMatchObject({ about: { body: { headings: headings('b') } } });
    expect((await entities('post').get('c'))?.body).toBeNull();
  });
});
