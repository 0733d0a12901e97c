import {
  Kysely,
  type KyselyPlugin,
  type OperationNode,
  PostgresDialect,
  type RawBuilder,
  RawNode,
  sql,
  TableNode,
} from 'kysely';
import { type Connections, openConnections, PREPARED_TEXT } from './connections.ts';

/** The tables depend on the content, so their names and columns are not types. */
export type Database = Kysely<Record<string, Record<string, unknown>>>;
export type Sql = RawBuilder<unknown>;

export interface DatabaseOptions {
  readonly url: string;
  /** The schema of the tables. */
  readonly schema: string;
  /** Milliseconds after which PostgreSQL stops a query of a server that reads. */
  readonly statementTimeout?: number;
  /** Milliseconds that a process which writes waits for another one. Default: ten minutes. */
  readonly lockTimeout?: number;
}

/** Milliseconds of a statement that writes. The first sync of a million entities has some that take minutes. */
const WRITE_TIMEOUT = 600_000;
/** Milliseconds between two statements that write, and until PostgreSQL gives up a connection that takes nothing. */
const IDLE_TIMEOUT = 60_000;
/** The same for servers that read. A standby waits for their transactions before it applies some changes. */
const READ_IDLE_TIMEOUT = 5000;

export function openDatabase(options: DatabaseOptions): Database {
  return overConnections(openDatabaseConnections(options), options.schema);
}

export function openDatabaseConnections({
  url,
  schema,
  statementTimeout,
  lockTimeout = WRITE_TIMEOUT,
}: DatabaseOptions): Connections {
  const idle = statementTimeout === undefined ? IDLE_TIMEOUT : READ_IDLE_TIMEOUT;
  const limits = { idle_in_transaction_session_timeout: idle, tcp_user_timeout: idle };
  if (statementTimeout !== undefined) return openConnections({ url, statementTimeout, transaction: limits });
  const transaction = {
    ...limits,
    search_path: `"${schema}", public`,
    // A sync finds rows by their ids, thousands at once. Reading tables from their beginning takes longer.
    random_page_cost: 1.1,
    statement_timeout: WRITE_TIMEOUT,
    lock_timeout: lockTimeout,
  };
  return openConnections({ url, transaction });
}

export function overConnections({ pool }: Connections, schema: string): Database {
  return new Kysely({ dialect: new PostgresDialect({ pool }), plugins: [inSchema(schema)] });
}

/** Gives each `sql.table` without a schema this one, because the search path belongs to a session. */
function inSchema(schema: string): KyselyPlugin {
  const qualify = <Node extends OperationNode>(node: Node): Node => {
    const found: OperationNode =
      RawNode.is(node) && node.parameters.length > 0
        ? { ...node, parameters: node.parameters.map(qualify) }
        : TableNode.is(node) && node.table.schema === undefined
          ? TableNode.createWithSchema(schema, node.table.identifier.name)
          : node;
    return found as Node;
  };
  return {
    transformQuery: ({ node }) => qualify(node),
    transformResult: async ({ result }) => result,
  };
}

export const PREPARED = sql.raw(PREPARED_TEXT);

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
