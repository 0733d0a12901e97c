import { describe, expect, it } from 'vitest';
import { createContentApi } from '../../../integration/core/builder/index.ts';
import { createEntityStore } from '../../../integration/core/engine/store/entity-store.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { createReadServices, createServices } from '../../support/services.ts';

const FILES = {
  'note/a.md': '---\ntitle: A\nrating: 1\n---\n',
  'note/b.md': '---\ntitle: B\nrating: 2\npublish_on: 2026-05-01T00:00:00Z\n---\n',
  'note/c.md': '---\ntitle: C\nrating: 3\nstatus: false\n---\n',
};

/** A site that counts the queries its engine runs. */
async function site() {
  const loaded = await createServices(createMemoryDriver(FILES));
  const store = createEntityStore({ locale: 'en' });
  const entities = [...loaded.store.entities('node--note')];
  store.load([...loaded.store.types.values()], entities);
  const clock = { now: Date.parse('2026-04-30T00:00:00Z') };
  const services = createReadServices(store, { now: () => clock.now });
  const runs = { count: 0 };
  const content = createContentApi({
    ...services,
    engine: {
      ...services.engine,
      run(type, query, access) {
        runs.count += 1;
        return services.engine.run(type, query, access);
      },
    },
  });
  const ids = async (options = {}, sort = '-rating') =>
    (await content.entities('note', options).sort(sort).all()).map(({ id }) => id);
  return { store, entities, clock, runs: runs, content, ids };
}

describe('a repeated query', () => {
  it('is not run again', async () => {
    const { ids, runs: asked } = await site();
    expect([await ids(), await ids()]).toEqual([['a'], ['a']]);
    expect(asked.count).toBe(1);
  });

  it('is run for each level of access', async () => {
    const { ids } = await site();
    expect([await ids(), await ids({ as: 'everyone' })]).toEqual([['a'], ['c', 'b', 'a']]);
  });

  it('is run for each order and page', async () => {
    const { ids, content } = await site();
    const all = { as: 'everyone' } as const;
    expect([await ids(all), await ids(all, 'rating')]).toEqual([
      ['c', 'b', 'a'],
      ['a', 'b', 'c'],
    ]);
    const paged = (limit: number) => content.entities('note', all).page({ limit }).all();
    expect([(await paged(1)).length, (await paged(2)).length]).toEqual([1, 2]);
  });

  it('is run again after the content has changed', async () => {
    const { ids, store, entities } = await site();
    await ids();
    const [first] = entities;
    if (first !== undefined) store.put({ ...first, id: 'new', values: { ...first.values, rating: 9 } });
    expect(await ids()).toEqual(['new', 'a']);
  });

  it('is run again after scheduled content is published', async () => {
    const { ids, clock } = await site();
    await ids();
    clock.now = Date.parse('2026-05-01T00:00:00Z');
    expect(await ids()).toEqual(['b', 'a']);
  });
});
