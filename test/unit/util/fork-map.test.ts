import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { ForkMap } from '../../../integration/core/util/fork-map.ts';
import { runs } from '../../oracle/runs.ts';

const step = fc.record({
  /** The map that changes: one of those that exist. */
  at: fc.nat({ max: 20 }),
  kind: fc.constantFrom('set', 'set', 'delete', 'fork', 'clear'),
  key: fc.constantFrom('a', 'b', 'c', 'd'),
  value: fc.option(fc.nat({ max: 9 }), { nil: undefined }),
});

describe('forks of a map', () => {
  it('and the map itself have the same content as copies', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        type Values = Map<string, number | undefined>;
        const pairs: [ForkMap<string, number | undefined>, Values][] = [[new ForkMap(), new Map()]];
        for (const { at, kind, key, value } of steps) {
          const [map, copy] = pairs[at % pairs.length]!;
          if (kind === 'fork') pairs.push([map.fork(), new Map(copy)]);
          else if (kind === 'set') for (const each of [map, copy]) each.set(key, value);
          else if (kind === 'delete') expect(map.delete(key)).toBe(copy.delete(key));
          else for (const each of [map, copy]) each.clear();
          for (const pair of pairs) expect(describeMap(pair[0])).toEqual(describeMap(pair[1]));
        }
      }),
      runs(300),
    );
  });

  it('do not slow down changes of the map, however many there are', () => {
    const map = new ForkMap<string, number>();
    const forks: ForkMap<string, number>[] = [];
    const insertions = (count: number) => {
      for (; forks.length < count; map.set('a', forks.length)) forks.push(map.fork());
      const spies = [vi.spyOn(Map.prototype, 'set'), vi.spyOn(Set.prototype, 'add')];
      map.set('a', -1).delete('b');
      const calls = spies.reduce((sum, spy) => sum + spy.mock.calls.length, 0);
      for (const spy of spies) spy.mockRestore();
      return calls;
    };
    const few = insertions(2);
    expect(insertions(500)).toBe(few);
    expect(forks.map((fork) => fork.get('a')).slice(0, 4)).toEqual([undefined, 1, -1, 3]);
  });

  it('begin with a map that does not change any more, and leave it as it is', () => {
    const below = new Map([['a', 1]]);
    const map = ForkMap.over(below);
    map.set('b', 2).delete('a');
    expect([[...map], [...below]]).toEqual([[['b', 2]], [['a', 1]]]);
  });
});

function describeMap(map: ReadonlyMap<string, number | undefined>): unknown {
  const byKey = <T extends readonly unknown[]>(entries: T[]) =>
    entries.sort(([a], [b]) => (String(a) < String(b) ? -1 : 1));
  const visited: [string, number | undefined][] = [];
  map.forEach((value, key) => {
    visited.push([key, value]);
  });
  return {
    size: map.size,
    entries: byKey([...map]),
    visited: byKey(visited),
    keys: [...map.keys()].sort(),
    values: [...map.values()].map(String).sort(),
    each: ['a', 'b', 'c', 'd'].map((key) => [map.has(key), map.get(key)]),
  };
}
