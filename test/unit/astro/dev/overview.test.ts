import { describe, expect, it } from 'vitest';
import { overview } from '../../../../integration/astro/dev/overview.ts';
import type { PageQuery } from '../../../../integration/astro/page-queries.ts';
import { ANONYMOUS } from '../../../../integration/core/access/actor.ts';
import { createMemoryDriver } from '../../../support/memory-driver.ts';
import { createServices } from '../../../support/services.ts';

const PATHS = { contentDir: '/site/content', folder: 'content' };
const made = (code: string, path: string): PageQuery => ({
  code,
  path,
  actor: ANONYMOUS,
  ms: 1,
  count: 1,
  failed: false,
  entities: [],
  names: [],
});

it('the toolbar shows a fetch of a path with a malformed percent sign', async () => {
  const path = '/jsonapi/node/100%';
  const { queries } = await shown('', [
    { ...made(`fetch('${path}')`, path), entities: [{ type: 'article', id: 'a' }] },
  ]);
  expect(queries).toMatchObject([{ code: `fetch('${path}')`, files: [] }]);
});

describe.each([[''], ['/docs']])('the toolbar of a site at "%s"', (base) => {
  it.each([
    ["entities('article').all()", '/node/article', `${base}/jsonapi-explorer#/node/article`],
    [
      'a fetch of a list',
      `${base}/jsonapi/node/article?sort=title`,
      `${base}/jsonapi-explorer#/node/article?sort=title`,
    ],
    ['a fetch of plain JSON, which the explorer cannot show', `${base}/api/content/articles`, undefined],
  ])('shows %s', async (code, path, explorer) => {
    const { queries } = await shown(base, [made(code, path)]);
    expect(queries?.map((query) => [query.code, query.explorer])).toEqual([[code, explorer]]);
  });

  it('shows no images, because they are not queries', async () => {
    const { queries } = await shown(base, [
      made("fetch('/content-files/article/a.jpg')", `${base}/content-files/article/a.jpg`),
    ]);
    expect(queries).toEqual([]);
  });
});

async function shown(base: string, queries: readonly PageQuery[]) {
  const driver = createMemoryDriver({ 'article/a.md': '---\ntitle: A\n---\n' });
  return overview(
    await createServices(driver, undefined, { settings: { base, explorer: true } }),
    queries,
    PATHS,
  );
}
