import { setTimeout as sleep } from 'node:timers/promises';

const FIRST_WAIT_MS = 10;
const LONGEST_WAIT_MS = 1000;
/** Pages are not kept from reloading for longer, as where the site's content config is broken. */
const PATIENCE_MS = 2000;
const NOT_YET = -1;

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
    for (let wait = FIRST_WAIT_MS; !(await fill()); wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
      await sleep(wait, undefined, { ref: false });
    }
    onFilled();
  }

  /** Whether the collections hold what is there now, or there is nothing. */
  async function fill(): Promise<boolean> {
    if (version() === undefined) return true;
    for (const name of filled.keys()) filled.set(name, NOT_YET);
    await ask();
    const names = [...filled.keys()];
    const loaded = names.filter((name) => filled.get(name) !== NOT_YET);
    if (loaded.length === 0) return false;
    // Those that were passed over are no longer in the content config.
    for (const name of names) if (!loaded.includes(name)) filled.delete(name);
    return loaded.every((name) => filled.get(name) === version());
  }

  return async () => {
    if (filled.size === 0) return;
    running ??= refresh().finally(() => {
      running = undefined;
    });
    await Promise.race([running, sleep(PATIENCE_MS, undefined, { ref: false })]);
  };
}
