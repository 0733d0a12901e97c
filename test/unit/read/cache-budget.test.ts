import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCacheBudget } from '../../../integration/core/read/cache-budget.ts';

describe('a cache budget', () => {
  it('keeps used values and drops unused ones', () => {
    const cache = createCacheBudget(10_000).cache<string, string>();
    cache.set('used', 'u', 800);
    cache.set('unused', 'n', 800);
    for (let at = 0; at < 20; at += 1) {
      cache.set(`other-${at}`, 'o', 800);
      expect(cache.get('used')).toBe('u');
    }
    expect(cache.get('unused')).toBeUndefined();
  });

  it('stores nothing without a budget, and no value larger than half of it', () => {
    const none = createCacheBudget(0).cache<string, string>();
    none.set('a', 'a', 1);
    expect(none.get('a')).toBeUndefined();
    const small = createCacheBudget(1000).cache<string, string>();
    small.set('a', 'a', 600);
    expect(small.get('a')).toBeUndefined();
  });

  it('keeps the last value of a key that is stored often', () => {
    const cache = createCacheBudget(10_000).cache<string, number>();
    for (let at = 0; at < 20; at += 1) cache.set('a', at, 800);
    expect(cache.get('a')).toBe(19);
  });

  it('never exceeds its bytes over all caches, and never returns a wrong value', () => {
    const operation = fc.record({
      cache: fc.nat(2),
      key: fc.nat(30),
      bytes: fc.integer({ min: 0, max: 3000 }),
      write: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 200 }), (operations) => {
        const budget = createCacheBudget(10_000);
        const caches = [0, 1, 2].map(() => budget.cache<number, { key: number; bytes: number }>());
        for (const { cache, key, bytes, write } of operations) {
          if (write) caches[cache]?.set(key, { key, bytes }, bytes);
          else expect(caches[cache]?.get(key)?.key ?? key).toBe(key);
        }
        let total = 0;
        for (const cache of caches) {
          for (let key = 0; key <= 30; key += 1) total += cache.get(key)?.bytes ?? 0;
        }
        expect(total).toBeLessThanOrEqual(10_000);
      }),
    );
  });
});
