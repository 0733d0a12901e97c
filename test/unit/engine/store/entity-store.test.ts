import { expect, it } from 'vitest';
import { createCollector } from '../../../../integration/core/content/collect.ts';
import { createEntityStore, storeTarget } from '../../../../integration/core/engine/store/entity-store.ts';
import { createMemoryDriver } from '../../../support/memory-driver.ts';

it('applies every kind of change to the store', async () => {
  const driver = createMemoryDriver({
    'article/a.md': '---\nn: 1\n---',
    'article/b.md': '---\nn: 2\n---',
    'page/p.md': '',
    'event/e.md': '',
  });
  const store = createEntityStore({ locale: 'en' });
  const collector = createCollector({
    driver,
    target: storeTarget(store),
    options: { published: {}, danglingReferences: 'error', defaultLangcode: 'en' },
  });
  await collector.load();
  const before = store.version;

  async function change(files: Readonly<Record<string, string | null>>): Promise<void> {
    for (const [key, content] of Object.entries(files)) {
      await (content === null ? driver.remove(key) : driver.write(key, new TextEncoder().encode(content)));
    }
    await collector.apply(Object.keys(files));
  }

  await change({
    'article/a.md': '---\nn: 5\n---',
    'article/b.md': null,
    'event/e.md': null,
    'tag/t.md': '',
  });
  expect([...store.types.keys()]).toEqual(['node--article', 'node--page', 'node--tag']);
  expect(store.entities('node--article').map(({ id, values }) => [id, values.n])).toEqual([['a', 5]]);
  expect(store.get('node--tag', 't')).toBeDefined();
  expect(store.get('node--event', 'e')).toBeUndefined();

  await change({ 'article/a.md': '---\nn: five\n---' });
  expect(store.types.get('node--article')?.fields.get('n')?.kind).toBe('string');
  expect(store.get('node--article', 'a')?.values.n).toBe('five');

  await change({ 'article/a.md': null, 'article/z.md': '---\nid: a\nn: six\n---' });
  expect(store.get('node--article', 'a')).toMatchObject({ key: 'article/z.md', values: { n: 'six' } });
  expect(store.version).toBeGreaterThan(before);
});
