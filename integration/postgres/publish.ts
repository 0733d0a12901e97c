import type { Reference } from '../content/model.ts';
import type { EntityStore } from '../engine/store/entity-store.ts';
import { loadSiteTerms } from '../engine/text/languages.ts';
import type { SearchLanguages } from '../snapshot/format.ts';
import { errorMessage } from '../util/text.ts';
import type { AvailabilityLog } from './availability.ts';
import { openDatabase } from './database.ts';
import { type SyncedContent, type SyncOptions, type SyncResult, syncContent } from './sync.ts';

export interface PublisherDeps {
  readonly url: string;
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
  close(): Promise<void>;
}

/** Milliseconds between two attempts to store changes. */
const RETRY_AFTER = 1000;
/** Milliseconds for which a request waits. */
const MAX_WAIT = 5000;

export function openPublisher({ url, schema, search, log, store }: PublisherDeps): Publisher {
  const db = openDatabase({ url, schema });
  let pending: Reference[] = [];
  let version: number | undefined;
  let isStale = true;
  let isLost = false;
  let isClosed = false;
  let running: Promise<void> | undefined;

  async function storePending(): Promise<void> {
    while (isStale && !isClosed) {
      const changes = pending;
      pending = [];
      isStale = false;
      try {
        const result = await storeContent(
          db,
          store,
          { schema, search, revision: '' },
          {
            since: version === undefined ? undefined : { version, changed: idsByType(changes) },
          },
        );
        // An incomplete result while other changes wait can be due to them.
        isStale ||= !result.isComplete;
        version = result.isComplete || pending.length > 0 ? result.version : undefined;
        if (isLost) log.info('The database can be reached again. It has all changes.');
        isLost = false;
      } catch (error) {
        // It is not certain which rows were stored, so all content is compared next.
        version = undefined;
        isStale = true;
        if (!isLost)
          log.error(
            `The changes cannot be stored in the database: ${errorMessage(error)} They will be stored as soon as it can be reached.`,
          );
        isLost = true;
        await new Promise((resolve) => setTimeout(resolve, RETRY_AFTER).unref());
      }
    }
  }

  const start = () => {
    running ??= storePending().finally(() => {
      running = undefined;
    });
  };

  start();
  return {
    publish(changes) {
      pending.push(...changes);
      isStale = true;
      start();
    },
    async published() {
      const waited = new Promise<void>((resolve) => setTimeout(resolve, MAX_WAIT).unref());
      while (running !== undefined) {
        const stored = await Promise.race([running.then(() => true), waited.then(() => false)]);
        if (!stored) return;
      }
    },
    async close() {
      isClosed = true;
      await running;
      await db.destroy();
    },
  };
}

/** Stores content with the words of its languages. */
export async function storeContent(
  db: ReturnType<typeof openDatabase>,
  content: SyncedContent,
  {
    schema,
    search,
    revision,
  }: { readonly schema: string; readonly search: SearchLanguages | null; readonly revision: string },
  more: Pick<SyncOptions, 'since' | 'progress'> = {},
): Promise<SyncResult> {
  const terms = search && (await loadSiteTerms(search.language, new Map(Object.entries(search.languages))));
  return syncContent(db, content, { schema, revision, terms, termsKey: JSON.stringify(search), ...more });
}

function idsByType(changes: readonly Reference[]): ReadonlyMap<string, ReadonlySet<string>> {
  const ids = new Map<string, Set<string>>();
  for (const { type, id } of changes) {
    const some = ids.get(type) ?? new Set();
    ids.set(type, some.add(id));
  }
  return ids;
}
