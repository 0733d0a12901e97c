import { errorMessage } from '../util/text.ts';
import type { EntityChange } from './content-changes.ts';

/** The part of `Astro.cache` that removes pages. */
export interface RouteCache {
  invalidate(input: { tags: string[] }): Promise<void>;
}

/** The tag of pages that depend on all content. */
export const CONTENT_TAG = 'content';

/** The tag of pages that show an entity: `node--article:moon`. Headers list tags, so it has no commas. */
export function cacheTag(type: string, id: string): string {
  return `${type}:${encodeURIComponent(id)}`;
}

/** Milliseconds after which pages are removed again: the cache may have stored a page that was being rendered. */
const AGAIN_AFTER_MS = 5000;

/**
 * Removes pages with the tags of changed content from Astro's route cache: `node--article:moon`, `node--article` and
 * `content`. Only a page that is rendered makes the cache known, and until then this process has stored none.
 */
export function createRouteCache(log: { warn(message: string): void }) {
  let cache: RouteCache | undefined;
  let again = new Set<string>();

  function remove(tags: ReadonlySet<string>): void {
    cache?.invalidate({ tags: [...tags] }).catch((error: unknown) => {
      log.warn(`Astro's route cache cannot remove changed pages: ${errorMessage(error)}`);
    });
  }

  return {
    /** False as long as the site has not opened a cache. */
    get isUsed() {
      return cache !== undefined;
    },
    use(next: RouteCache): void {
      cache ??= next;
    },
    invalidate(changes: readonly Pick<EntityChange, 'type' | 'id'>[]): void {
      if (cache === undefined) return;
      const tags = new Set([CONTENT_TAG, ...changes.flatMap(({ type, id }) => [type, cacheTag(type, id)])]);
      remove(tags);
      if (again.size === 0) {
        setTimeout(() => {
          remove(again);
          again = new Set();
        }, AGAIN_AFTER_MS).unref();
      }
      again = again.union(tags);
    },
  };
}
