import type { Services } from '../api/request.ts';
import type { QueryAccess } from '../engine/engine.ts';
import type { BoundedCache } from '../read/cache-budget.ts';
import type { WholeAnswer } from './respond-whole.ts';

/** Whole responses by request. A response is stored when it is requested a second time, because most never are. */
export interface ResponseCache {
  /** Undefined if nothing is stored, or if the content or the time of publication has changed since. */
  get(access: QueryAccess, key: string): WholeAnswer | undefined;
  /** Call this before reading content. The returned function stores a response unless something has changed since. */
  begin(access: QueryAccess, key: string): (answer: WholeAnswer) => void;
}

export function createResponseCache({ store, clock, cache }: Services): ResponseCache {
  // Actors with the same permissions share an access object, and so the responses.
  const byAccess = new WeakMap<QueryAccess, BoundedCache<string, Entry>>();

  return {
    get(access, key) {
      const entry = byAccess.get(access)?.get(key);
      const isValid = entry?.version === store.version && entry.until === clock.nextScheduledChange();
      return isValid ? entry.answer : undefined;
    },
    begin(access, key) {
      const { version } = store;
      const until = clock.nextScheduledChange();
      return (answer) => {
        if (version === store.version && until === clock.nextScheduledChange()) {
          put(access, key, { answer, version, until });
        }
      };
    },
  };

  function put(access: QueryAccess, key: string, entry: Entry & { readonly answer: WholeAnswer }): void {
    let entries = byAccess.get(access);
    if (entries === undefined) {
      entries = cache.cache();
      byAccess.set(access, entries);
    }
    const isRepeated = entries.get(key)?.version === entry.version;
    if (isRepeated) entries.set(key, entry, entry.answer.written.bytes.byteLength + key.length);
    else entries.set(key, { ...entry, answer: undefined }, key.length);
  }
}

interface Entry {
  /** Undefined after the first request. */
  readonly answer: WholeAnswer | undefined;
  /** The store's version at that request. */
  readonly version: number;
  /** The next scheduled change at that request. */
  readonly until: number;
}
