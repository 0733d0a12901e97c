import type { Reference } from '../../core/content/model.ts';
import type { EntityStore } from '../../core/engine/store/entity-store.ts';
import type { SearchLanguages } from '../../core/engine/text/languages.ts';
import { loadSiteTerms } from '../../core/engine/text/languages.ts';
import { errorMessage } from '../../core/util/text.ts';
import type { AvailabilityLog } from './availability.ts';
import { type Database, openDatabaseConnections, overConnections } from './database.ts';
import { followState, type TableState } from './follow.ts';
import { type SyncedContent, type SyncOptions, type SyncResult, syncContent } from './sync.ts';

export interface PublisherDeps {
  readonly url: string;
  /** The address at which to listen for changes. Default: `url`. */
  readonly listenUrl?: string | undefined;
  /** Milliseconds in which lost content of the tables is noticed. */
  readonly maxAge: number;
  readonly schema: string;
  /** Null if full-text search is off. */
  readonly search: SearchLanguages | null;
  readonly log: AvailabilityLog;
  readonly store: EntityStore;
}

/** Keeps the tables equal to the content of a server that writes. */
export interface Publisher {
  /** Stores changes soon. The first time, all content. */
  publish(changes: readonly Reference[]): void;
  /** Resolves when the changes so far are stored, or after a few seconds if the database is lost. */
  published(): Promise<void>;
  /** Milliseconds since the oldest change that is not stored; 0 without one. */
  age(): number;
  close(): Promise<void>;
}

/** Milliseconds between two attempts to store changes. */
const RETRY_AFTER = 1000;
/** Milliseconds to wait for another process that stores content. */
const LOCK_TIMEOUT = 10_000;
/** Milliseconds for which a request waits. */
const MAX_WAIT = 5000;

export function openPublisher({
  url,
  listenUrl,
  schema,
  maxAge,
  search,
  log,
  store,
}: PublisherDeps): Publisher {
  const connections = openDatabaseConnections({ url, schema, lockTimeout: LOCK_TIMEOUT });
  const db = overConnections(connections, schema);
  let pending: Reference[] = [];
  let stored: TableState | undefined;
  /** When the oldest change arrived that waits, and the oldest one that is being stored. */
  let waitingSince: number | undefined = performance.now();
  let storingSince: number | undefined;
  let isLost = false;
  let isClosed = false;
  let running: Promise<void> | undefined;

  async function storePending(): Promise<void> {
    while (waitingSince !== undefined && !isClosed) {
      const changes = pending;
      pending = [];
      storingSince = waitingSince;
      waitingSince = undefined;
      try {
        const result = await storeContent(
          db,
          store,
          { schema, search, revision: '' },
          {
            since: stored && { stamp: stored.stamp, changed: idsByType(changes) },
          },
        );
        // An incomplete result while other changes wait can be due to them.
        if (!result.isComplete) waitingSince ??= storingSince;
        stored = result.isComplete || pending.length > 0 ? result : undefined;
        if (isLost) log.info('The database can be reached again. It has all changes.');
        isLost = false;
      } catch (error) {
        // It is not certain which rows were stored, so all content is compared next.
        stored = undefined;
        waitingSince = storingSince;
        if (!isLost)
          log.error(
            `The changes cannot be stored in the database: ${errorMessage(error)} They will be stored as soon as it can be reached.`,
          );
        isLost = true;
        await new Promise((resolve) => setTimeout(resolve, RETRY_AFTER).unref());
      }
      storingSince = undefined;
    }
    // Before anything else can run, which may be the next change.
    running = undefined;
  }

  const start = () => {
    if (!isClosed) running ??= storePending();
  };

  const publish = (changes: readonly Reference[]) => {
    pending.push(...changes);
    waitingSince ??= performance.now();
    start();
  };

  const follower = followState({
    url: listenUrl ?? url,
    schema,
    maxAge,
    async onState(state) {
      if (stored !== undefined && isLostState(stored, state)) publish([]);
    },
    // A change reports what fails.
    withoutConnection: async () => undefined,
    onSilence: connections.renew,
  });

  start();
  return {
    publish,
    async published() {
      const waited = new Promise<void>((resolve) => setTimeout(resolve, MAX_WAIT).unref());
      while (running !== undefined) {
        const stored = await Promise.race([running.then(() => true), waited.then(() => false)]);
        if (!stored) return;
      }
    },
    age() {
      const since = storingSince ?? waitingSince;
      return since === undefined ? 0 : performance.now() - since;
    },
    async close() {
      isClosed = true;
      await follower.close();
      await running;
      await db.destroy();
    },
  };
}

/** True if the tables were removed, made again, or restored, or if another database without the last changes has replaced theirs. */
function isLostState(stored: TableState, state: TableState | 'none'): boolean {
  return (
    state === 'none' ||
    state.version < stored.version ||
    (state.version === stored.version && state.stamp !== stored.stamp)
  );
}

/** Stores content with the words of its languages. */
export async function storeContent(
  db: Database,
  content: SyncedContent,
  {
    schema,
    search,
    revision,
  }: { readonly schema: string; readonly search: SearchLanguages | null; readonly revision: string },
  more: Pick<SyncOptions, 'since' | 'progress'> = {},
): Promise<SyncResult> {
  const terms = search && (await loadSiteTerms(search));
  // Words are replaced and left out when they are searched.
  const termsKey = JSON.stringify(search && { language: search.language, languages: search.languages });
  return syncContent(db, content, { schema, revision, terms, termsKey, ...more });
}

function idsByType(changes: readonly Reference[]): ReadonlyMap<string, ReadonlySet<string>> {
  const ids = new Map<string, Set<string>>();
  for (const { type, id } of changes) {
    const some = ids.get(type) ?? new Set();
    ids.set(type, some.add(id));
  }
  return ids;
}
