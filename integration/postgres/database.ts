import { Kysely, PostgresDialect, type RawBuilder, sql } from 'kysely';
import { Pool, types } from 'pg';

/** The tables depend on the content, so their names and columns are not types. */
export type Database = Kysely<Record<string, Record<string, unknown>>>;
export type Sql = RawBuilder<unknown>;

export interface DatabaseOptions {
  readonly url: string;
  /** The schema of the tables. */
  readonly schema: string;
  /** Milliseconds after which PostgreSQL stops a query. */
  readonly statementTimeout?: number;
}

/** Connections of one process. */
const MAX_CONNECTIONS = 10;
/** Milliseconds to wait for a connection. */
const CONNECT_TIMEOUT = 5000;
/** Milliseconds that an answer may take longer than PostgreSQL allows a statement to take. */
const ANSWER_MARGIN = 5000;

export function openDatabase({ url, schema, statementTimeout }: DatabaseOptions): Database {
  const pool = new Pool({
    ...connectionOptions({ url, schema }),
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT,
    keepAlive: true,
    ...(statementTimeout !== undefined && {
      statement_timeout: statementTimeout,
      query_timeout: statementTimeout + ANSWER_MARGIN,
    }),
    types: {
      // All integers of the tables are below 2^53.
      getTypeParser: ((oid: number, format: 'text' | 'binary') =>
        oid === types.builtins.INT8
          ? Number
          : types.getTypeParser(oid, format)) as typeof types.getTypeParser,
    },
  });
  // Without listeners, the loss of a connection would end the process. The next query reports it.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return new Kysely({ dialect: new PostgresDialect({ pool }) });
}

export function connectionOptions({ url, schema }: Pick<DatabaseOptions, 'url' | 'schema'>) {
  // Those of an address replace those beside it.
  const [, address = url, query] = /^([^?]*)\?(.*)$/s.exec(url) ?? [];
  const parameters = new URLSearchParams(query);
  const given = parameters.get('options');
  parameters.set('options', `${given === null ? '' : `${given} `}-c search_path="${schema}",public`);
  return { connectionString: `${address}?${parameters}`, application_name: 'astro-jsonapi' };
}

export async function rowsOf<Row>(db: Database, query: RawBuilder<Row>): Promise<readonly Row[]> {
  return (await query.execute(db)).rows;
}

/** Equal for equal statements with equal parameters. */
export function keyOf(query: Sql, db: Database): string {
  const { sql: text, parameters } = query.compile(db);
  return JSON.stringify([text, parameters]);
}

export function and(conditions: readonly Sql[]): Sql {
  if (conditions.length === 0) return sql`true`;
  return conditions.length === 1 ? conditions[0]! : sql`(${sql.join(conditions, sql` and `)})`;
}

export function or(conditions: readonly Sql[]): Sql {
  if (conditions.length === 0) return sql`false`;
  return conditions.length === 1 ? conditions[0]! : sql`(${sql.join(conditions, sql` or `)})`;
}
