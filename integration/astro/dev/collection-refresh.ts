import { setTimeout as sleep } from 'node:timers/promises';
import { NOT_YET } from '../runtime-registry.ts';

const FIRST_DELAY_MS = 10;
const MAX_DELAY_MS = 1000;
/** Pages reload after this time in any case, for example if the site's content config is broken. */
const MAX_WAIT_MS = 2000;

export interface CollectionRefreshDeps {
  /** For each collection, the content version that it was filled from. The loader sets it. */
  readonly filled: Map<string, number>;
  /** The current content version; undefined if the content is not loaded. */
  version(): number | undefined;
  /** Asks Astro to fill the collections. Resolves when it has filled them, or ignored the request. */
  refresh(): Promise<void>;
  /** Called when all collections are filled. */
  onFilled(): void;
}

/**
 * Fills the collections of Astro's content layer with the current content. Astro ignores requests while it reads its
 * content config, which it does after every change of a Markdown file, so requests are repeated until the loader has run
 * with this version of the content.
 */
export function createCollectionRefresh(deps: CollectionRefreshDeps): () => Promise<void> {
  const { filled, version, onFilled } = deps;
  let running: Promise<void> | undefined;

  async function fillAll(): Promise<void> {
    let delay = FIRST_DELAY_MS;
    do {
      while (!(await fill())) {
        await sleep(delay, undefined, { ref: false });
        delay = Math.min(2 * delay, MAX_DELAY_MS);
      }
    } while (isOutdated());
    onFilled();
  }

  function isOutdated(): boolean {
    const now = version() ?? 0;
    return [...filled.values()].some((version) => version < now);
  }

  /** True if Astro has run the loader, or does not need to. */
  async function fill(): Promise<boolean> {
    if (version() === undefined) return true;
    for (const name of filled.keys()) filled.set(name, NOT_YET);
    await deps.refresh();
    const loaded = new Map([...filled].filter(([, version]) => version !== NOT_YET));
    if (loaded.size === 0) return false;
    // The others were removed from the content config.
    for (const name of filled.keys()) if (!loaded.has(name)) filled.delete(name);
    return true;
  }

  return async () => {
    if (filled.size === 0) return;
    running ??= fillAll().finally(() => {
      running = undefined;
    });
    await Promise.race([running, sleep(MAX_WAIT_MS, undefined, { ref: false })]);
  };
}
