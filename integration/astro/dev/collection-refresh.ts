import { setTimeout as sleep } from 'node:timers/promises';
import { NOT_YET } from '../../runtime/runtime-registry.ts';

const FIRST_WAIT_MS = 10;
const LONGEST_WAIT_MS = 1000;
/** Pages are not kept from reloading for longer, as where the site's content config is broken. */
const PATIENCE_MS = 2000;

export interface CollectionRefreshDeps {
  /** Versions of the store that collections were filled from, by the collection's name. The loader keeps it. */
  readonly filled: Map<string, number>;
  /** Version of the store as it is now; undefined where there is none. */
  version(): number | undefined;
  /** Asks Astro to fill the collections. Resolves when it has, or has passed over it. */
  ask(): Promise<void>;
  /** Called when all are filled. */
  onFilled(): void;
}

/**
 * Has the collections of Astro's content layer hold the content as it is now. Astro passes over what it is asked, and
 * says nothing, while it reads its content config, which it does after every change of a markdown file: so it is asked
 * until the loader has been run over this version of the store.
 */
export function createCollectionRefresh(deps: CollectionRefreshDeps): () => Promise<void> {
  const { filled, version, ask, onFilled } = deps;
  let running: Promise<void> | undefined;

  async function refresh(): Promise<void> {
    let wait = FIRST_WAIT_MS;
    do {
      while (!(await fill())) {
        await sleep(wait, undefined, { ref: false });
        wait = Math.min(2 * wait, LONGEST_WAIT_MS);
      }
    } while (isOutdated());
    onFilled();
  }

  function isOutdated(): boolean {
    const now = version() ?? 0;
    return [...filled.values()].some((version) => version < now);
  }

  /** Whether Astro has run the loader, or need not. */
  async function fill(): Promise<boolean> {
    if (version() === undefined) return true;
    for (const name of filled.keys()) filled.set(name, NOT_YET);
    await ask();
    const loaded = new Map([...filled].filter(([, version]) => version !== NOT_YET));
    if (loaded.size === 0) return false;
    // The others are no longer in the content config.
    for (const name of filled.keys()) if (!loaded.has(name)) filled.delete(name);
    return true;
  }

  return async () => {
    if (filled.size === 0) return;
    running ??= refresh().finally(() => {
      running = undefined;
    });
    await Promise.race([running, sleep(PATIENCE_MS, undefined, { ref: false })]);
  };
}
