import type { Duplex } from 'node:stream';
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import { Client, type ClientBase, type ClientConfig, DatabaseError, Pool, type PoolClient, types } from 'pg';

/** Connections of one process. */
const MAX_CONNECTIONS = 10;
/** Milliseconds to wait for a connection. */
const CONNECT_TIMEOUT = 5000;
/** Milliseconds that an answer may take longer than PostgreSQL allows a statement to take. */
const ANSWER_MARGIN = 5000;
/** Milliseconds after which a connection asks whether PostgreSQL still works on its statement, and until it asks again. */
const PATIENCE = 2500;
/** A connection is lost after this number of questions without a good answer. */
const MAX_DOUBTS = 3;

/** Names and values of PostgreSQL's settings. */
export type Settings = Readonly<Record<string, string | number>>;

/** Queries are short, and read rows from memory or a solid-state disk. An address, or a pooler, can say otherwise. */
const PLANNING: Settings = { jit: 'off', random_page_cost: 2 };

export interface ConnectionsOptions {
  readonly url: string;
  /** Milliseconds after which PostgreSQL stops a query. Without it, statements can take long, and are watched instead. */
  readonly statementTimeout?: number | undefined;
  /** Set in each transaction. */
  readonly transaction?: Settings | undefined;
}

export interface Connections {
  readonly pool: PostgresPool;
  /** Ends all connections, because they do not answer. Their queries fail, and the next ones get new connections. */
  renew(): void;
}

/** Nothing in a connection depends on its session, so that a pooler such as PgBouncer can give each transaction another one. */
export function connectionOptions(url: string): ClientConfig {
  return { connectionString: url, application_name: 'astro-jsonapi', keepAlive: true };
}

export function openConnections({ url, statementTimeout, transaction }: ConnectionsOptions): Connections {
  const directClients = new WeakSet<ClientBase>();
  const lost = new Set<Transaction>();
  const live = new Set<ClientBase>();
  const pool = new Pool({
    ...connectionOptions(url),
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT,
    types: {
      // All integers of the tables are below 2^53.
      getTypeParser: ((oid: number, format: 'text' | 'binary') =>
        oid === types.builtins.INT8
          ? Number
          : types.getTypeParser(oid, format)) as typeof types.getTypeParser,
    },
    async onConnect(client) {
      // Without listeners, the loss of a connection would end the process. The next query reports it.
      client.on('error', () => undefined);
      live.add(client);
      client.once('end', () => live.delete(client));
      const session = { ...PLANNING, ...(statementTimeout && { statement_timeout: statementTimeout }) };
      if (await within(CONNECT_TIMEOUT, client, setUpSession(client, session))) directClients.add(client);
    },
  });
  pool.on('error', () => undefined);

  const names = nameStatements();
  const wrappers = new WeakMap<PoolClient, PostgresPoolClient>();

  function wrap(client: PoolClient): PostgresPoolClient {
    const isDirect = directClients.has(client);
    let current: Transaction | undefined;
    const send = async (text: string, values: readonly unknown[]) => {
      const name = isDirect ? names(text) : undefined;
      const sent = client.query({ text, values: [...values], ...(name !== undefined && { name }) });
      if (statementTimeout !== undefined) return within(statementTimeout + ANSWER_MARGIN, client, sent);
      try {
        return await watch(sent, client, url, current);
      } catch (error) {
        if (current !== undefined && !(error instanceof DatabaseError)) lost.add(current);
        throw error;
      }
    };
    return Object.create(client, {
      query: {
        async value(text: string, values: readonly unknown[]) {
          const result = await send(text, values);
          if (!BEGIN.test(text)) return result;
          if (transaction !== undefined) {
            current = undefined;
            const { rows } = await send(...beginStatement(transaction));
            current = rows[0];
            await endLost(send, lost);
          }
          return result;
        },
      },
    });
  }

  return {
    pool: {
      options: pool.options,
      end: () => pool.end(),
      async connect() {
        const client = await pool.connect();
        const wrapped = wrappers.get(client) ?? wrap(client);
        wrappers.set(client, wrapped);
        return wrapped;
      },
    },
    renew() {
      for (const client of live) cut(client);
    },
  };
}

/** As Kysely begins transactions. */
const BEGIN = /^(?:begin|start transaction)/;

/**
 * Sets a session up, unless a pooler is in between, which has other sessions for other transactions: its identifier of the
 * session is not that of PostgreSQL. Settings that the address contains stay. Returns false for a pooler.
 */
export async function setUpSession(client: ClientBase, settings: Settings): Promise<boolean> {
  const { rows } = await client.query(
    `select true as direct, (select count(set_config(s.name, s.value, false)) from unnest($1::text[], $2::text[]) s (name, value)
      join pg_settings p on p.name = s.name and p.source <> 'client') as count where pg_backend_pid() = $3`,
    [Object.keys(settings), Object.values(settings).map(String), internals(client).processID],
  );
  return rows.length > 0;
}

/** A transaction of PostgreSQL, which has the same identifier until it ends. */
interface Transaction {
  readonly pid: number;
  readonly start: string;
}

function beginStatement(settings: Settings): readonly [string, readonly unknown[]] {
  return [
    `select pg_backend_pid() as pid, extract(epoch from now())::text as start, count(set_config(name, value, true))
      from unnest($1::text[], $2::text[]) s (name, value)`,
    [Object.keys(settings), Object.values(settings).map(String)],
  ];
}

/** Ends transactions whose connections were lost: PostgreSQL may not know it, and they may have locks. */
async function endLost(
  send: (text: string, values: readonly unknown[]) => Promise<unknown>,
  lost: Set<Transaction>,
): Promise<void> {
  for (const each of lost) {
    const { pid, start } = each;
    await send(
      'select pg_terminate_backend(pid) from pg_stat_activity where pid = $1 and extract(epoch from xact_start)::text = $2',
      [pid, start],
    );
    lost.delete(each);
  }
}

/** Waits for an answer while PostgreSQL works on it, however long that is. */
async function watch<T>(
  sent: Promise<T>,
  client: PoolClient,
  url: string,
  transaction: Transaction | undefined,
): Promise<T> {
  let doubts = 0;
  let isDone = false;
  let timer: NodeJS.Timeout | undefined;
  const look = async () => {
    const isWorking = transaction !== undefined && (await worksOn(transaction, url).catch(() => false));
    doubts = isWorking ? 0 : doubts + 1;
    if (isDone) return;
    if (doubts < MAX_DOUBTS) {
      timer = setTimeout(look, PATIENCE).unref();
      return;
    }
    cut(client);
  };
  timer = setTimeout(look, PATIENCE).unref();
  try {
    return await sent;
  } catch (error) {
    throw doubts < MAX_DOUBTS ? error : silent(error);
  } finally {
    isDone = true;
    clearTimeout(timer);
  }
}

/** Asks on a connection of its own. */
async function worksOn({ pid, start }: Transaction, url: string): Promise<boolean> {
  const client = new Client(connectionOptions(url));
  client.on('error', () => undefined);
  try {
    await within(PATIENCE, client, client.connect());
    const asked = client.query(
      `select from pg_stat_activity where pid = $1 and extract(epoch from xact_start)::text = $2
        and state = 'active' and wait_event_type is distinct from 'Client'`,
      [pid, start],
    );
    return (await within(PATIENCE, client, asked)).rows.length > 0;
  } finally {
    cut(client);
  }
}

/** The answer to a query of a client. If it takes longer, the client is ended. */
export async function within<T>(milliseconds: number, client: ClientBase, answer: Promise<T>): Promise<T> {
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    cut(client);
  }, milliseconds).unref();
  try {
    return await answer;
  } catch (error) {
    throw isLate ? silent(error) : error;
  } finally {
    clearTimeout(timer);
  }
}

/** Ends a connection without a word to the other side, which may be gone. */
export function cut(client: ClientBase): void {
  internals(client).connection.stream.destroy();
}

/** What the types of the package leave out. */
function internals(client: ClientBase) {
  return client as unknown as {
    readonly processID: number | null;
    readonly connection: { readonly stream: Duplex };
  };
}

export function silent(cause?: unknown): Error {
  return Object.assign(new Error('The database does not answer.', { cause }), { code: CONNECTION_FAILURE });
}

/** True if a connection did not answer in time. */
export function isSilence(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === CONNECTION_FAILURE;
}

/** Source: PostgreSQL, appendix A. */
const CONNECTION_FAILURE = '08006';

/**
 * Begins a statement that PostgreSQL keeps for its connection, so that it is parsed and planned once. Its best plan must not
 * depend on its parameters.
 */
export const PREPARED_TEXT = '/* prepared */';
/** Kept statements of a connection. Later ones are planned each time. */
const MAX_PREPARED = 200;

/** The name of a statement that PostgreSQL keeps. */
function nameStatements(): (text: string) => string | undefined {
  const names = new Map<string, string>();
  return (text) => {
    if (!text.startsWith(PREPARED_TEXT)) return undefined;
    if (names.size < MAX_PREPARED && !names.has(text)) names.set(text, `prepared_${names.size}`);
    return names.get(text);
  };
}
