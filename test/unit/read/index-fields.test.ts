import { expect, it } from 'vitest';
import type { QueryAccess } from '../../../integration/core/engine/engine.ts';
import { createEntityStore } from '../../../integration/core/engine/store/entity-store.ts';
import { fieldsAt, indexedType } from '../../../integration/core/read/index-fields.ts';
import { bundle, field } from '../api/jsonapi/magazine.ts';

const store = createEntityStore({ locale: 'en' });
const about = field('about', 'reference', { targets: ['taxonomy_term--page', 'node--nothing'] });
store.load(
  [
    bundle('taxonomy_term--page', [field('color', 'string')]),
    bundle('taxonomy_term--tags', []),
    bundle('node--page', [
      about,
      field('shape', 'object', { properties: { size: field('size', 'integer') } }),
    ]),
    bundle('node--plain', []),
  ],
  [],
);

it.each([
  ['page', 'node--page'],
  ['taxonomy_term--page', 'taxonomy_term--page'],
  ['tags', 'taxonomy_term--tags'],
  ['nothing', undefined],
])('the bundle %s of an index is %s', (name, type) => {
  expect(indexedType(store, name)?.name).toBe(type);
});

const all: QueryAccess['fieldVisible'] = () => true;
const except =
  (hidden: string): QueryAccess['fieldVisible'] =>
  (type, name) =>
    `${type.name}.${name}` !== hidden;

it.each([
  ['title', all, ['title', 'title']],
  ['about', all, ['about']],
  ['about.color', all, ['color']],
  ['about.entity.color', all, ['color']],
  ['about.0.entity.color', all, ['color']],
  ['shape.size', all, ['shape']],
  ['other', all, []],
  ['about.other', all, []],
  ['title', except('node--page.title'), ['title']],
  ['about.color', except('node--page.about'), []],
  ['about.color', except('taxonomy_term--page.color'), []],
])('the path %s of an index leads to its visible fields', (path, isVisible, names) => {
  const types = ['node--page', 'node--plain'].flatMap((name) => store.types.get(name) ?? []);
  expect(fieldsAt(store, types, path, isVisible).map(({ name }) => name)).toEqual(names);
});
