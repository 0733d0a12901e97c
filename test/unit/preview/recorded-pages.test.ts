import { expect, test } from 'vitest';
import { createPageQueries } from '../../../integration/astro/page-queries.ts';
import { ANONYMOUS } from '../../../integration/core/access/actor.ts';
import { pagesWith } from '../../../integration/features/preview/recorded-pages.ts';

const ada = {
  type: 'node--person',
  id: 'ada',
  key: 'person/ada.md',
  revision: '',
  values: {},
  published: true,
  body: null,
};
const editor = { name: 'eddi', roles: ['editor'] };
const page = (url: string, actor: typeof ANONYMOUS, ...names: string[]) => ({
  url,
  queries: [{ actor, names }],
});

test('pages that show the fewest other entries come first', () => {
  const pages = [
    page('/all', ANONYMOUS, 'post a', 'post b', 'person ada'),
    page('/a', ANONYMOUS, 'post a', 'node--person ada'),
    page('/b', ANONYMOUS, 'post ada'),
    page('/feed.xml', ANONYMOUS, 'person ada'),
  ];
  expect(pagesWith(ada, editor, pages)).toEqual(['/a', '/all']);
});

test('pages that read the file of an entry in a collection of Astro are offered', () => {
  const pages = [
    page('/a', ANONYMOUS, 'src/content/person/ada.md'),
    page('/b', ANONYMOUS, 'person/ada.md'),
    page('/c', ANONYMOUS, 'src/content/sales-person/ada.md', 'src/content/person/ada.mdx'),
  ];
  expect(pagesWith(ada, editor, pages)).toEqual(['/a', '/b']);
});

test('pages whose queries were for an account are offered to this account only, with the same roles', () => {
  const pages = [page('/inside', editor, 'person ada')];
  const offered = (actor: typeof ANONYMOUS) => pagesWith(ada, actor, pages);
  expect(offered(editor)).toEqual(['/inside']);
  expect(offered(ANONYMOUS)).toEqual([]);
  expect(offered({ name: 'anna', roles: ['editor'] })).toEqual([]);
  expect(offered({ name: 'eddi', roles: ['author'] })).toEqual([]);
});

test('a recorder has the pages that were rendered last, with the entities of nested values', async () => {
  const queries = createPageQueries({ most: 2 });
  const ask = (url: string) =>
    queries.track({ url, from: undefined }, () =>
      queries.observe({ code: 'q', path: '/q', actor: ANONYMOUS }, async () => [
        { type: 'post', id: url, field_author: { type: 'person', id: 'ada' } },
      ]),
    );
  for (const url of ['/a', '/b', '/c']) await ask(url);
  expect(queries.recorded().map(({ url, queries: [first] }) => [url, first?.names])).toEqual([
    ['/b', ['post /b', 'person ada']],
    ['/c', ['post /c', 'person ada']],
  ]);
  queries.forget('/b');
  await queries.observe({ code: 'q', path: '/q', actor: ANONYMOUS }, async () => ['outside of a page']);
  expect(queries.recorded().map(({ url }) => url)).toEqual(['/c']);
});
