import { describe, expect, it } from 'vitest';
import { collectionData } from '../../../integration/astro/collection-data.ts';
import { image, reference, z } from '../../../integration/schema.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { createServices } from '../../support/services.ts';

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

async function data(frontmatter: string, key = 'article/a.md', collections: Record<string, string> = {}) {
  const files = {
    [key]: `---\n${frontmatter}\n---\nText.\n`,
    'article/cover.png': PIXEL,
    'article/drawing.bmp': PIXEL,
    'person/ada.yaml': 'title: Ada\n',
    'person/ghost.yaml': 'title: Ghost\nstatus: false\n',
    'taxonomy_term--topics/tides.yaml': 'title: tides\n',
  };
  const { store } = await createServices(createMemoryDriver(files), {
    article: {
      author: reference('person').nullish(),
      people: z.array(reference(['person', 'taxonomy_term--topics'])).default([]),
      cover: image().nullish(),
      pictures: z.array(image()).default([]),
      place: z.object({ name: z.string() }).nullish(),
    },
    person: {},
    'taxonomy_term--topics': {},
  });
  const [entity] = store.entities('node--article');
  const type = store.types.get('node--article');
  if (entity === undefined || type === undefined) throw new Error('There is no article.');
  const fields = [...type.fields.values()];
  const isVisible = (name: string, id: string) => store.get(name, id)?.published === true;
  return collectionData(entity, { fields, isVisible, collections });
}

describe('the data of a collection entry', () => {
  it('has every field except the body, and the summary', async () => {
    const entry = await data('title: A\nsummary: Short\nplace: { name: Here }');
    expect(entry).toMatchObject({ title: 'A', summary: 'Short', place: { name: 'Here' }, people: [] });
    expect(entry).not.toHaveProperty('body');
    expect(entry).not.toHaveProperty('id');
  });

  it.each<readonly [string, string, Record<string, string>, unknown]>([
    [
      'names its bundle as the collection',
      'author: ada',
      {},
      { author: { collection: 'person', id: 'ada' } },
    ],
    [
      'names the configured collection',
      'author: ada',
      { person: 'people' },
      { author: { collection: 'people', id: 'ada' } },
    ],
    ['is null if its target is not published', 'author: ghost', {}, { author: null }],
    [
      'omits unpublished targets from a list, and supports other entity types',
      'people: [person/ghost, taxonomy_term--topics/tides]',
      {},
      { people: [{ collection: 'topics', id: 'tides' }] },
    ],
    [
      'finds the collection by the full type name',
      'people: [taxonomy_term--topics/tides]',
      { 'taxonomy_term--topics': 'themes' },
      { people: [{ collection: 'themes', id: 'tides' }] },
    ],
    [
      'ignores property names of Object.prototype',
      'author: ada',
      JSON.parse('{"__proto__":"x"}'),
      { author: { collection: 'person' } },
    ],
  ])('a reference %s', async (_, frontmatter, collections, expected) => {
    expect(await data(`title: A\n${frontmatter}`, 'article/a.md', collections)).toMatchObject(
      Object(expected),
    );
  });

  it.each([
    ['beside the entity', 'article/a.md', './cover.png', { src: '__ASTRO_IMAGE_./cover.png', alt: '' }],
    ['in a parent folder', 'article/x/y.md', '../cover.png', { src: '__ASTRO_IMAGE_../cover.png', alt: '' }],
    [
      'with alternative text',
      'article/a.md',
      '{ src: cover.png, alt: A pixel }',
      { src: '__ASTRO_IMAGE_./cover.png', alt: 'A pixel' },
    ],
    [
      'of a type that Astro does not import',
      'article/a.md',
      'drawing.bmp',
      { src: '/content-files/article/drawing.bmp', width: 1, height: 1 },
    ],
    [
      'of another site',
      'article/a.md',
      'https://example.org/a.png',
      { src: 'https://example.org/a.png', inferSize: true },
    ],
  ])('an image %s has the props of <Image>', async (_, key, written, expected) => {
    const entry = await data(`title: A\ncover: ${written}\npictures: [${written}]`, key);
    expect(entry.cover).toMatchObject(expected);
    expect(entry.pictures).toEqual([entry.cover]);
  });
});
