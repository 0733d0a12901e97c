import { sql } from 'kysely';
import type { QueryEngine } from '../../core/engine/engine.ts';
import type { Limits } from '../../core/engine/limits.ts';
import { withRelated } from '../../core/engine/related.ts';
import type { IndexedStore } from '../../core/engine/store/entity-store.ts';
import type { SearchLanguages } from '../../core/engine/text/languages.ts';
import { loadSiteTerms } from '../../core/engine/text/languages.ts';
import type { FoundReferrers, Referrer } from '../../core/read/reader.ts';
import { NotLoadedError, ServiceUnavailableError } from '../../core/util/errors.ts';
import { type Availability, type AvailabilityLog, createAvailability } from './availability.ts';
import { type Database, openDatabaseConnections, overConnections, rowsOf } from './database.ts';
import { createPostgresEngine } from './engine.ts';
import { followState } from './follow.ts';
import type { LastChange } from './meta.ts';
import { FILES_TABLE } from './rows.ts';
import { openPostgresStore } from './store.ts';
import { findTables } from './sync.ts';
import { fromStored, toStored } from './text.ts';

export interface PostgresDeps {
  readonly url: string;
  /** The address at which to listen for changes. Default: `url`. */
  readonly listenUrl?: string | undefined;
  /** Milliseconds in which a change is noticed if a connection has gone silent. Default: 10 seconds. */
  readonly maxAge?: number | undefined;
  /** The schema of the tables. */
  readonly schema: string;
  readonly limits: Limits;
  /** Milliseconds after which PostgreSQL stops a query. Default: 10 seconds. */
  readonly statementTimeout?: number;
  /** Null if full-text search is off. */
  readonly search: SearchLanguages | null;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  readonly log: AvailabilityLog;
  /** Called after the content has changed; without the changes if there are many. */
  readonly onChange?: (changed: LastChange['changed']) => void;
}

/** Content in PostgreSQL, as readers use it. */
export interface PostgresContent {
  readonly store: IndexedStore;
  readonly engine: QueryEngine;
  readonly findReferrers: (uri: string) => Promise<FoundReferrers>;
  /**
   * Runs what reads the content. If it needs something that is not loaded, or if the content changes meanwhile, it runs again,
   * so that a result is of one state. Without `repeats`, it does not run again after a change.
   */
  consistent<T>(run: () => Promise<T>, repeats?: boolean): Promise<T>;
  /** What the content was made from: the name that a sync gave it, or an empty string. */
  revision(): string;
  /** True if the content, or an earlier state of it, was made from the revision. */
  hasRevision(revision: string): Promise<boolean>;
  /** Milliseconds since the content was last known to be that of the database. */
  age(): number;
  close(): Promise<void>;
}

/** That of attempts to open which have failed: a server tries again, and says once that it waits. */
let failing: Availability | undefined;

const STATEMENT_TIMEOUT = 10_000;
const MAX_AGE = 10_000;
/** Runs of one request while the content changes. */
const MAX_RUNS = 5;

/** Opens the tables that a sync has made. Rejects if they are missing. */
export async function openPostgres(deps: PostgresDeps): Promise<PostgresContent> {
  const { url, schema, limits, search, now, log, onChange, statementTimeout = STATEMENT_TIMEOUT } = deps;
  const connections = openDatabaseConnections({ url, schema, statementTimeout });
  const db = overConnections(connections, schema);
  failing ??= createAvailability(log);
  const { run: available } = failing;
  const terms = search && (await loadSiteTerms(search));
  try {
    const content = await available(async () => {
      await checkTables(db, schema);
      return openPostgresStore({ db, now, ...(onChange && { onChange }) });
    });
    failing = undefined;
    const engine = createPostgresEngine({ db, limits, terms });
    const follower = followState({
      url: deps.listenUrl ?? url,
      schema,
      maxAge: deps.maxAge ?? MAX_AGE,
      async onState(state) {
        if (state === 'none') throw new Error('The tables are missing.');
        await available(() => content.refresh(state.stamp));
      },
      // Reads the state with another connection, or reports that it is missing.
      withoutConnection: () => available(() => content.refresh()),
      onSilence: connections.renew,
    });

    /** Makes the store of the state that a query has noticed. False if it is of this state. */
    async function follow(): Promise<boolean> {
      const { stamp } = await engine.state();
      if (stamp === content.stamp) return false;
      await content.refresh();
      return true;
    }

    const noticing = <T>(query: () => Promise<T> | T) =>
      available(async () => {
        try {
          const result = await query();
          await follow();
          return result;
        } catch (error) {
          // The requested rows may have been removed.
          if (await follow()) throw new NotLoadedError([]);
          throw error;
        }
      });

    return {
      store: content.store,
      engine: withRelated(
        {
          run: (type, query, access) =>
            noticing(async () => {
              const result = await engine.run(type, query, access);
              await follow();
              await content.prepare(result.entities);
              return result;
            }),
          explain: (type, query, access) => noticing(() => engine.explain(type, query, access)),
          find: (type, id, access) =>
            noticing(async () => {
              const entity = await engine.find(type, id, access);
              await follow();
              if (entity !== undefined) await content.prepare([entity]);
              return entity;
            }),
          translations: (type, id, access) => noticing(() => engine.translations(type, id, access)),
        },
        { store: content.store, searchTerms: terms && (async () => terms) },
      ),
      findReferrers: (uri) => available(() => content.atState((store) => findReferrers(db, store, uri))),
      async consistent(run, repeats = true) {
        for (let runs = 1; ; runs++) {
          const { version } = content.store;
          try {
            const result = await run();
            if (!repeats || content.store.version === version || runs >= MAX_RUNS) return result;
          } catch (error) {
            if (!(error instanceof NotLoadedError)) throw error;
            await available(() => content.load(error.files));
          }
        }
      },
      revision: () => content.revision,
      hasRevision: (revision) =>
        available(async () => {
          const found = await rowsOf(
            db,
            sql`select from ${sql.table('revisions')} where revision = ${revision}`,
          );
          if (found.length > 0) await content.refresh();
          return found.length > 0;
        }),
      age: () => follower.age(),
      async close() {
        await follower.close();
        await db.destroy();
      },
    };
  } catch (error) {
    await db.destroy();
    throw error;
  }
}

async function checkTables(db: Database, schema: string): Promise<void> {
  // The first sync creates the tables before it stores content.
  if ((await findTables(db, schema)) === 'current') {
    const [meta] = await rowsOf(db, sql<{ version: number }>`select version from ${sql.table('meta')}`);
    if (meta!.version > 0) return;
  }
  throw new ServiceUnavailableError(
    `The database has no content in the schema ${schema}. Run: npx astro-jsonapi sync`,
    RETRY_SECONDS,
  );
}

const RETRY_SECONDS = 5;

interface ReferrerRow {
  readonly own: boolean;
  readonly type: string;
  readonly field: string;
  readonly id: string;
  readonly translation: string | null;
}

async function findReferrers(
  db: Database,
  { types }: IndexedStore,
  uri: string,
): Promise<FoundReferrers & { readonly stamp: string }> {
  const asked = toStored(uri);
  const files = sql.table(FILES_TABLE);
  const [result] = await rowsOf(
    db,
    sql<{ stamp: string; rows: readonly ReferrerRow[] | null }>`select stamp, (
      select json_agg(f order by type collate "C", id collate "C", translation collate "C" nulls first, row) from (
        select uri = ${asked} as own, type, field, id, translation, row from ${files} where uri = coalesce(
          (select uri from ${files} where uri = ${asked} limit 1),
          (select uri from ${files} where uri > ${asked} order by uri limit 1),
          (select uri from ${files} order by uri limit 1))) f) as rows from ${sql.table('meta')}`,
  );
  const rows = result!.rows ?? [];
  const referrersIn = (some: readonly ReferrerRow[]): readonly Referrer[] =>
    some.flatMap(({ type, field, id, translation }) => {
      const found = types.get(type);
      if (found === undefined) return [];
      return [
        {
          type: found,
          field,
          id: fromStored(id),
          translation: translation === null ? undefined : fromStored(translation),
        },
      ];
    });
  return {
    stamp: result!.stamp,
    own: referrersIn(rows.filter(({ own }) => own)),
    other: referrersIn(rows.filter(({ own }) => !own)),
  };
}

export { openPublisher } from './publish.ts';
export { openSharedState } from './shared-state.ts';
