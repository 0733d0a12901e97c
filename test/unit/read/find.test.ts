import { expect, it } from 'vitest';
import { fileField } from '../../../integration/core/read/find.ts';
import { bundle, field } from '../api/jsonapi/magazine.ts';

const ARTICLE = bundle('node--article', [
  field('cover', 'image'),
  field('paper', 'file'),
  field('words', 'string'),
]);

it.each([
  ['an image', ['moon', 'cover'], 'cover'],
  ['a file', ['moon', 'paper'], 'paper'],
  ['a file of a new entity', ['paper'], 'paper'],
  ['an image of an entity whose id has slashes', ['2024', 'moon', 'cover'], 'cover'],
  ['an image of an entity with the id `relationships`', ['relationships', 'cover'], 'cover'],
  ['a relationship', ['moon', 'relationships', 'cover'], undefined],
  ['text', ['moon', 'words'], undefined],
  ['an unknown field', ['moon', 'other'], undefined],
  ['a property of Object.prototype', ['moon', 'constructor'], undefined],
  ['a collection', [], undefined],
])('a file can be uploaded to the address of an image or a file: %s', (_, segments, name) => {
  expect(fileField({ fieldVisible: () => true }, ARTICLE, segments)?.name).toBe(name);
});

it('a file cannot be uploaded to a hidden field', () => {
  const access = { fieldVisible: (_: unknown, name: string) => name !== 'cover' };
  expect(fileField(access, ARTICLE, ['moon', 'cover'])).toBeUndefined();
});
