import { expect, it } from 'vitest';
import { carriedFiles } from '../../../integration/astro/build-output.ts';
import { image, type SchemaDefinition } from '../../../integration/core/content/schema/schema.ts';
import { createRuntime } from '../../../integration/core/runtime/open-site.ts';
import { createCarriedFileSource } from '../../../integration/core/storage/file-source.ts';
import { FEATURES } from '../../../integration/features.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { parseOptions } from '../../support/options.ts';
import { png } from '../../support/pictures.ts';
import { TEST_SETTINGS } from '../../support/services.ts';

const CONTENT = {
  'article/a.md': '---\nfield_cover: cover.png\n---\n',
  'article/draft.md': '---\ndraft: true\nfield_cover: draft.png\n---\n',
  'article/cover.png': png(6, 4),
  'article/draft.png': png(3, 2),
  'article/unnamed.png': png(1, 1),
};

async function carried(
  schema: SchemaDefinition | undefined,
  content: Parameters<typeof createMemoryDriver>[0] = CONTENT,
) {
  const runtime = await createRuntime(
    {
      driver: createMemoryDriver(content),
      publicFiles: createMemoryDriver({ 'robots.txt': 'Allow: /', 'images/x.png': png(9, 9) }),
      schema,
    },
    {
      features: FEATURES,
      options: parseOptions({ danglingReferences: 'missing' }),
      settings: TEST_SETTINGS,
      renderBody: async () => '',
      log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    },
  );
  return carriedFiles(runtime);
}

it('a build includes the files that fields name, also in drafts, and the metadata of public/', async () => {
  const files = await carried({ article: { field_cover: image().nullish() } });
  expect(files).toEqual({
    content: {
      'article/cover.png': { size: 33, width: 6, height: 4 },
      'article/draft.png': { size: 33, width: 3, height: 2 },
    },
    public: {
      'images/x.png': { size: 33, width: 9, height: 9 },
      'robots.txt': { size: 8, width: null, height: null },
    },
  });
});

it('a build without file fields includes no files', async () => {
  expect(await carried(undefined)).toEqual({ content: {}, public: {} });
});

it('a build includes the images in bodies, even without file fields', async () => {
  const body = '![A](a.png) ![X](/images/x.png) ![Remote](https://cdn.example/b.png)\n';
  const page = { 'page/a.md': body, 'page/a.png': png(2, 2) };
  const files = await carried(undefined, page);
  expect(Object.keys(files.content)).toEqual(['page/a.png']);
  expect(Object.keys(files.public)).toEqual(['images/x.png', 'robots.txt']);
});

it('a build with file fields that are empty includes the metadata of public/, which new content can use', async () => {
  const schema = { article: { field_cover: image().nullish() }, page: {} };
  const files = await carried(schema, { 'page/a.md': 'Text\n' });
  expect(Object.keys(files.content)).toEqual([]);
  expect(Object.keys(files.public)).toEqual(['images/x.png', 'robots.txt']);
});

it('an included file can be read back, and no other file', async () => {
  const bytes = { 'a/x.png': async () => ({ default: btoa(String.fromCharCode(...png(2, 2))) }) };
  const facts = {
    'a/x.png': { size: 33, width: 2, height: 2 },
    'a/none.png': { size: 1, width: null, height: null },
  };
  const source = createCarriedFileSource({ facts, bytes });
  expect(await source.read('a/x.png')).toEqual(png(2, 2));
  expect(await source.read('a/none.png')).toBeUndefined();
  expect(await source.read('../a/x.png')).toBeUndefined();
  expect(await source.facts('__proto__')).toBeUndefined();
  expect((await source.list()).map(({ key }) => key)).toEqual(['a/x.png', 'a/none.png']);
});
