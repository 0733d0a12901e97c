import { expect, it } from 'vitest';
import { visibleEntity } from '../../../integration/core/read/sparse-fields.ts';
import { createMagazine, ENTITIES } from '../api/jsonapi/magazine.ts';

it('an entity for code that reads fields by name has no hidden fields', () => {
  const { store } = createMagazine();
  const hidden = ['field_rating', 'body'];
  const access = {
    visibility: () => null,
    fieldVisible: (_: unknown, name: string) => !hidden.includes(name),
  };
  const first = ENTITIES.find(({ id }) => id === '2024/first');
  if (first === undefined) throw new Error('The first article is missing.');
  const { values, body } = visibleEntity(first, store, access);
  const { field_rating: _, ...others } = first.values;
  expect([{ ...values }, body]).toEqual([others, null]);
});
