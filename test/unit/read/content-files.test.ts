import { expect, it } from 'vitest';
import { hasFiles, isBodyFile, isReferencedFile } from '../../../integration/core/read/content-files.ts';
import { bundle, createMagazine, entity, field } from '../api/jsonapi/magazine.ts';

const shown = {
  ...entity('node--note', 'a', {}),
  images: [{ path: 'sea.png', uri: 'content://note/sea.png', url: '/content-files/note/sea.png' }],
};
const cover = field('cover', 'image');
const paper = field('paper', 'file');

it.each([
  ['without images', [], [entity('node--note', 'a', {})], false],
  ['with text fields only', [field('words', 'string')], [], false],
  ['with a field for images', [field('words', 'string'), cover], [], true],
  ['with a field for files', [paper], [], true],
  ['with an image in an object', [field('card', 'object', { properties: { cover } })], [], true],
  ['with an image in a text', [], [shown], true],
])('content %s has files: %s', (_, fields, entities, expected) => {
  const { store } = createMagazine({}, entities, [bundle('node--plain', []), bundle('node--note', fields)]);
  expect(hasFiles(store)).toBe(expected);
});

it('a file is in a text, in a field, or unused', () => {
  const uri = { value: 'content://note/cover.png', url: '/content-files/note/cover.png' };
  const covered = entity('node--note', 'b', { cover: { id: '1', filename: 'cover.png', uri } });
  const { store } = createMagazine({}, [shown, covered], [bundle('node--note', [cover])]);
  const uses = ['note/sea.png', 'note/cover.png', 'note/other.png'].map((key) => [
    isReferencedFile(store, key),
    isBodyFile(store, key),
  ]);
  expect(uses).toEqual([
    [true, true],
    [true, false],
    [false, false],
  ]);
});
