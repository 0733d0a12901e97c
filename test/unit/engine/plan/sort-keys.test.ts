import { expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../../../integration/core/engine/limits.ts';
import { MAX_DERIVED } from '../../../../integration/core/engine/plan/derived-cache.ts';
import { type SortCache, sortedKeys } from '../../../../integration/core/engine/plan/sort-keys.ts';
import { createTextScans } from '../../../../integration/core/engine/plan/text-scan.ts';
import { createResolveContext } from '../../../../integration/core/engine/resolve/bind-path.ts';
import { resolveSort } from '../../../../integration/core/engine/resolve/resolve-sort.ts';
import { createEntityStore } from '../../../../integration/core/engine/store/entity-store.ts';
import { allRows } from '../../../../integration/core/engine/store/row-set.ts';
import { createSlot } from '../../../../integration/core/engine/store/slot.ts';
import { bundle, entity, field } from '../../api/jsonapi/magazine.ts';

const FRIENDS = field('friends', 'reference', { targets: ['node--note'], list: true });
const NOTE = bundle('node--note', [FRIENDS]);

it('caches a bounded number of sort orders', () => {
  const store = createEntityStore({ locale: 'en' });
  store.load([NOTE], [entity('node--note', 'a', { friends: [{ type: 'node--note', id: 'a' }] })]);
  const table = store.table('node--note');
  if (table === undefined) throw new Error('There is no table.');
  const cache: SortCache = new WeakMap();
  const visible = allRows(table);
  const context = {
    table: (type: string) => store.table(type),
    visible: () => visible,
    texts: createTextScans({ kind: 'constant', value: true }, table, () => undefined),
    search: () => visible,
  };
  const orderBy = (path: string) => {
    const [sort] = resolveSort(
      NOTE,
      [{ path, direction: 'ASC' }],
      createResolveContext(store.types, null, DEFAULT_LIMITS),
    );
    if (sort === undefined) throw new Error('There is no sort.');
    return sortedKeys(sort, table, context, cache).order;
  };
  const first = orderBy('friends.0.title');
  expect(orderBy('friends.0.title')).toBe(first);
  for (let i = 1; i <= 2 * MAX_DERIVED; i++) orderBy(`friends.${i}.title`);
  expect(cache.get(table.column(createSlot(NOTE, ['friends'], [FRIENDS])))?.size).toBe(MAX_DERIVED);
  expect(orderBy('friends.0.title')).not.toBe(first);
});
