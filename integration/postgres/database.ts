import {
  Kysely,
  PostgresDialect,
  type PostgresPool,
  type PostgresPoolClient,
  type RawBuilder,
  sql,
} from 'kysely';
import { Pool, type PoolClient, types } from 'pg';

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
  return new Kysely({ dialect: new PostgresDialect({ pool: namingStatements(pool) }) });
}

/**
 * Begins a statement that PostgreSQL keeps for its connection, so that it is parsed and planned once. Its best plan must not
 * depend on its parameters.
 */
const PREPARED_TEXT = '/* prepared */';
export const PREPARED = sql.raw(PREPARED_TEXT);
/** Kept statements of a connection. Later ones are planned each time. */
const MAX_PREPARED = 200;

function namingStatements(pool: Pool): PostgresPool {
  const names = new Map<string, string>();
  const nameOf = (text: string) => {
    if (!text.startsWith(PREPARED_TEXT)) return undefined;
    if (names.size < MAX_PREPARED && !names.has(text)) names.set(text, `prepared_${names.size}`);
    return names.get(text);
  };
  const clients = new WeakMap<PoolClient, PostgresPoolClient>();
  return {
    options: pool.options,
    end: () => pool.end(),
    async connect() {
      const client = await pool.connect();
      const query = (text: string, values: unknown[]) => {
        const name = nameOf(text);
        return client.query({ text, values, ...(name !== undefined && { name }) });
      };
      const wrapped: PostgresPoolClient =
        clients.get(client) ?? Object.create(client, { query: { value: query } });
      clients.set(client, wrapped);
      return wrapped;
    },
  };
}

/** Queries are short, and read rows from memory or a solid-state disk. An address can say otherwise. */
const PLANNING = ['-c jit=off', '-c random_page_cost=1.1'];

export function connectionOptions({ url, schema }: Pick<DatabaseOptions, 'url' | 'schema'>) {
  // Those of an address replace those beside it.
  const [, address = url, query] = /^([^?]*)\?(.*)$/s.exec(url) ?? [];
  const parameters = new URLSearchParams(query);
  const given = parameters.get('options');
  const options = [...PLANNING, ...(given === null ? [] : [given]), `-c search_path="${schema}",public`];
  parameters.set('options', options.join(' '));
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
