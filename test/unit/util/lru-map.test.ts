import { expect, test } from 'vitest';
import { LruMap } from '../../../integration/core/util/lru-map.ts';

test('a full map drops the entry that was not used for the longest time', () => {
  const map = new LruMap<string, number>(2);
  map.set('a', 1);
  map.set('b', 2);
  map.get('a');
  map.set('c', 3);
  expect(['a', 'b', 'c'].map((key) => map.get(key))).toEqual([1, undefined, 3]);
});

test('a map counts units: entries that are replaced or deleted free theirs, and too large ones are not stored', () => {
  const removed: string[] = [];
  const map = new LruMap<string, number>(10, (key) => removed.push(key));
  map.set('a', 1, 6);
  map.set('a', 2, 4);
  map.set('b', 3, 6);
  expect(map.get('a')).toBe(2);
  expect(removed).toEqual([]);
  map.delete('b');
  map.set('c', 4, 6);
  map.set('a', 5, 11);
  expect(removed).toEqual(['b', 'a']);
  expect(map.get('a')).toBeUndefined();
  expect(map.get('c')).toBe(4);
});

test('a map behaves like a list of entries that is searched and shortened', () => {
  const max = 20;
  const map = new LruMap<number, number>(max);
  let list: { key: number; value: number; units: number }[] = [];
  let seed = 1;
  const random = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  for (let step = 0; step < 5000; step++) {
    const key = random(12);
    const entry = list.find((each) => each.key === key);
    const others = list.filter((each) => each !== entry);
    switch (random(4)) {
      case 0:
        map.delete(key);
        list = others;
        break;
      case 1:
        expect(map.get(key)).toBe(entry?.value);
        if (entry !== undefined) list = [...others, entry];
        break;
      default: {
        const units = 1 + random(22);
        map.set(key, step, units);
        list = units > max ? others : [...others, { key, value: step, units }];
        while (list.reduce((sum, each) => sum + each.units, 0) > max) list.shift();
      }
    }
  }
  map.clear();
  for (let key = 0; key < 12; key++) expect(map.get(key)).toBeUndefined();
});
