import type { SharedState, SharedValue } from '../../core/runtime/shared-state.ts';
import { LruMap } from '../../core/util/lru-map.ts';

/** Values, and lines of each log. */
const MAX_VALUES = 30_000;
const MAX_LINES = 1000;

/** The memory of one server, until it stops. `now`: milliseconds. Removes the values that were not used for the longest time. */
export function createMemoryState(now: () => number): SharedState {
  const values = new LruMap<string, SharedValue & { readonly until: number }>(MAX_VALUES);
  const logs = new Map<string, { readonly line: string; readonly place: string }[]>();
  let count = 0;
  const find = (key: string) => {
    const value = values.get(key);
    return value === undefined || value.until <= now() ? undefined : value;
  };
  return {
    read: async (key) => find(key),
    async change(keys, change) {
      const { values: next, result } = change(keys.map((key) => find(key)?.text));
      for (const [at, key] of next === undefined ? [] : keys.entries()) {
        const value = next?.[at];
        if (value === undefined) values.delete(key);
        else {
          count += 1;
          const until = now() + (value.seconds ?? Number.POSITIVE_INFINITY) * 1000;
          values.set(key, { text: value.text, version: String(count), until });
        }
      }
      return result;
    },
    async append(log, line) {
      count += 1;
      const lines = [{ line, place: String(count) }, ...(logs.get(log) ?? [])];
      logs.set(log, lines.slice(0, MAX_LINES));
    },
    async lines(log, before = String(Number.MAX_SAFE_INTEGER)) {
      return (logs.get(log) ?? []).filter(({ place }) => Number(place) < Number(before));
    },
    close: async () => undefined,
  };
}
