import type { Services } from '../api/services.ts';
import type { QueryAccess } from '../engine/engine.ts';
import type { BoundedCache } from '../read/cache-budget.ts';
import type { Written } from '../read/compose.ts';
import type { Answer } from './respond.ts';

/** Whole answers to requests that come again: kept from their second time on, since most never come again. */
export interface AnswerCache {
  /** Undefined where there is none, or where the content or what the clock shows of it has changed. */
  get(access: QueryAccess, request: Request): WholeAnswer | undefined;
  /** Has to be called before the content is looked at; keeps the answer unless something has changed meanwhile. */
  keeper(access: QueryAccess, request: Request): (answer: WholeAnswer) => void;
}

export function createAnswerCache({ store, clock, cache }: Services): AnswerCache {
  // Actors who may see the same share an access object, and the answers.
  const byAccess = new WeakMap<QueryAccess, BoundedCache<string, Kept>>();

  return {
    get(access, request) {
      const kept = byAccess.get(access)?.get(keyOf(request));
      const holds = kept?.version === store.version && kept.until === clock.nextScheduledChange();
      return holds ? kept.answer : undefined;
    },
    keeper(access, request) {
      const { version } = store;
      const until = clock.nextScheduledChange();
      return (answer) => {
        if (version === store.version && until === clock.nextScheduledChange()) {
          keep(access, request, { answer, version, until });
        }
      };
    },
  };

  function keep(access: QueryAccess, request: Request, entry: Kept & { readonly answer: WholeAnswer }): void {
    let kept = byAccess.get(access);
    if (kept === undefined) {
      kept = cache.cache();
      byAccess.set(access, kept);
    }
    const key = keyOf(request);
    const again = kept.get(key)?.version === entry.version;
    if (again) kept.set(key, entry, entry.answer.written.bytes.byteLength + key.length);
    else kept.set(key, { ...entry, answer: undefined }, key.length);
  }
}

/** An answer that is not streamed. */
type WholeAnswer = Answer & { readonly written: Written };

/** All of a request that reading depends on, besides who asks. */
function keyOf({ url, headers }: Request): string {
  return `${url} ${headers.get('accept') ?? ''}`;
}

interface Kept {
  /** Undefined for what was asked once. */
  readonly answer: WholeAnswer | undefined;
  /** Of the store. */
  readonly version: number;
  /** The next scheduled change when it was answered. */
  readonly until: number;
}
