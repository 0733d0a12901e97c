import { expect, it } from 'vitest';
import { splitPath } from '../../../integration/core/read/url-path.ts';

it.each([
  ['/jsonapi/node/article', ['node', 'article'], ''],
  ['/docs/cms/jsonapi/node/article', ['node', 'article'], ''],
  ['/cms/jsonapi/node/article/', ['node', 'article'], ''],
  ['/node/article?filter[a]=b?c#top', ['node', 'article'], 'filter[a]=b?c'],
  ['/jsonapi?sort=title', [], 'sort=title'],
  ['/jsonapi', [], ''],
  ['/jsonapi-notes/article', ['jsonapi-notes', 'article'], ''],
  ['/node/article/2024%2Fa/%C3%BC', ['node', 'article', '2024/a', 'ü'], ''],
])(
  'the path %s of the API has decoded segments, with or without base and prefix',
  (path, segments, query) => {
    expect(splitPath(path, { base: '/docs', prefix: '/cms' })).toEqual({ segments, query });
  },
);

it('a path below the prefix of a language has the same segments', () => {
  const site = { base: '/docs/fr', siteBase: '/docs', prefix: '/cms' };
  expect(splitPath('/docs/cms/jsonapi/node', site).segments).toEqual(['node']);
});
