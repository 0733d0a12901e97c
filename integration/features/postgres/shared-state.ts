import { sql } from 'kysely';
import type { Changed, SharedState } from '../../core/runtime/shared-state.ts';
import { type AvailabilityLog, createAvailability } from './availability.ts';
import { type Database, openDatabase, rowsOf } from './database.ts';

/** Milliseconds after which PostgreSQL stops a statement. */
const STATEMENT_TIMEOUT = 10_000;
/** Lines of a log. The oldest ones are removed. */
const MAX_LINES = 100_000;
/** Lines are removed, and values that have expired, once in as many additions. */
const SWEEP_EVERY = 500;
/** Lines that are read at once. */
const PAGE = 1000;

/** They have a schema of their own, because a sync drops the tables of an older version of this package. */
const SCHEMA_SUFFIX = '_shared';

const tables = (schema: string): readonly string[] => [
  `CREATE TABLE IF NOT EXISTS "${schema}".shared (key text COLLATE "C" PRIMARY KEY, value text NOT NULL, version uuid NOT NULL DEFAULT gen_random_uuid(), expires timestamptz)`,
  `CREATE TABLE IF NOT EXISTS "${schema}".lines (place bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, log text COLLATE "C" NOT NULL, line text NOT NULL)`,
  `CREATE INDEX IF NOT EXISTS lines_log ON "${schema}".lines (log, place)`,
];

export interface SharedStateDeps {
  /** Its address, with which the first use connects. A build uses none. */
  readonly url: () => string;
  /** Its name, with an ending, is that of the schema of the tables, which are made when they are first used. */
  readonly schema: string;
  readonly log: AvailabilityLog;
}

/**
 * What servers share, in PostgreSQL. A change locks its keys until the end of its transaction. Nothing is cached here: each read
 * asks for the version of a value, so that servers see a change as soon as it is made.
 */
export function openSharedState({ url, schema: name, log }: SharedStateDeps): SharedState {
  const schema = name + SCHEMA_SUFFIX;
  const { run } = createAvailability(log);
  const shared = sql.table('shared');
  const lines = sql.table('lines');
  let opened: Database | undefined;
  let prepared: Promise<void> | undefined;
  let changes = 0;

  /** Runs a task when the tables exist. */
  async function using<T>(task: (db: Database) => Promise<T>): Promise<T> {
    const db = opened ?? openDatabase({ url: url(), schema, statementTimeout: STATEMENT_TIMEOUT });
    opened = db;
    return run(async () => {
      prepared ??= prepare(db, schema).catch((error: unknown) => {
        prepared = undefined;
        throw error;
      });
      await prepared;
      return task(db);
    });
  }

  return {
    read: (key, known) =>
      using(async (db) => {
        const [row] = await rowsOf(
          db,
          sql<{ version: string; text: string | null }>`select version,
            case when version::text = ${known?.version ?? ''} then null else value end as text
            from ${shared} where key = ${key} and (expires is null or expires > now())`,
        );
        if (row === undefined) return undefined;
        const { version, text } = row;
        return text === null ? known : { version, text };
      }),
    change: (keys, change) =>
      using((db) =>
        db.transaction().execute(async (transaction) => {
          await rowsOf(
            transaction,
            sql`select pg_advisory_xact_lock(hashtextextended(key, 0)) from
              (select key from unnest(${keys}::text[]) as key order by hashtextextended(key, 0)) keys`,
          );
          const rows = await rowsOf(
            transaction,
            sql<{ key: string; value: string }>`select key, value from ${shared}
              where key = any(${keys}) and (expires is null or expires > now())`,
          );
          const present = new Map(rows.map(({ key, value }) => [key, value]));
          const { values, result } = change(keys.map((key) => present.get(key)));
          if (values !== undefined) await store(transaction, keys, values);
          return result;
        }),
      ),
    append: (name, line) =>
      using(async (db) => {
        const [row] = await rowsOf(
          db,
          sql<{ place: number }>`insert into ${lines} (log, line) values (${name}, ${line}) returning place`,
        );
        if (row!.place % SWEEP_EVERY !== 0) return;
        await rowsOf(db, sql`delete from ${lines} where place <= ${row!.place - MAX_LINES}`);
      }),
    lines: (name, before) =>
      using(async (db) => {
        const rows = await rowsOf(
          db,
          sql<{ place: number; line: string }>`select place, line from ${lines} where log = ${name}
            and place < ${before ?? String(Number.MAX_SAFE_INTEGER)}::bigint order by place desc limit ${PAGE}`,
        );
        return rows.map(({ place, line }) => ({ place: String(place), line }));
      }),
    close: async () => opened?.destroy(),
  };

  async function store(
    transaction: Database,
    keys: readonly string[],
    values: NonNullable<Changed<unknown>['values']>,
  ): Promise<void> {
    for (const [at, key] of keys.entries()) {
      const value = values[at];
      const seconds = value?.seconds ?? null;
      await rowsOf(
        transaction,
        value === undefined
          ? sql`delete from ${shared} where key = ${key}`
          : sql`insert into ${shared} (key, value, expires)
              values (${key}, ${value.text}, now() + ${seconds}::double precision * interval '1 second')
              on conflict (key) do update set value = excluded.value, expires = excluded.expires, version = gen_random_uuid()`,
      );
    }
    changes += 1;
    if (changes % SWEEP_EVERY === 0)
      await rowsOf(transaction, sql`delete from ${shared} where expires < now()`);
  }
}

/** Servers that start at the same time make the tables one after another. */
async function prepare(db: Database, schema: string): Promise<void> {
  const [found] = await rowsOf(
    db,
    sql<{ exists: boolean }>`select to_regclass(${`"${schema}".lines_log`}) is not null as exists`,
  );
  if (found!.exists) return;
  await db.transaction().execute(async (transaction) => {
    await rowsOf(
      transaction,
      sql`select pg_advisory_xact_lock(hashtextextended(${`tables of ${schema}`}, 0))`,
    );
    // With IF NOT EXISTS, PostgreSQL demands a right that is not needed if there is a schema.
    const schemas = await rowsOf(transaction, sql`select from pg_namespace where nspname = ${schema}`);
    const create = schemas.length === 0 ? [`CREATE SCHEMA "${schema}"`] : [];
    for (const statement of [...create, ...tables(schema)]) await sql.raw(statement).execute(transaction);
  });
}
