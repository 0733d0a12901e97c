import { Client } from 'pg';
import { connectionOptions, cut, isSilence, setUpSession, silent, within } from './connections.ts';
import { CHANNEL } from './sync.ts';

/** Which state the tables are in. */
export interface TableState {
  readonly stamp: string;
  readonly version: number;
}

export interface Follower {
  /** Milliseconds since the state was last read and handled. */
  age(): number;
  close(): Promise<void>;
}

export interface FollowDeps {
  /** The address to listen at: not that of a pooler, which gives each transaction another session. */
  readonly url: string;
  readonly schema: string;
  /** Milliseconds in which a change is noticed, although a connection has gone silent. */
  readonly maxAge: number;
  /** Called after each look with the present state, or `none` without tables. If it rejects, the next look calls it again. */
  onState(state: TableState | 'none'): Promise<void>;
  /** Called in place of `onState` if the state could not be read. */
  withoutConnection(): Promise<void>;
  /** Called when a connection has not answered, but this one does. */
  onSilence(): void;
}

/** Milliseconds between two looks at a database that does not notify, and between two attempts to connect. */
const INTERVAL = 1000;
/** The share of the longest age for each of three: between two looks, for the answer, and for other connections. */
const SHARE = 0.25;
/** The longest share of that age between two attempts to connect, which leaves the rest for the new connection. */
const PAUSE = 0.1;

/**
 * Follows the state of the tables. Notifications report changes at once. The connection is asked for the state every few
 * seconds too, because it can go silent; and each second if the database does not notify, such as a standby or a pooler.
 */
export function followState({
  url,
  schema,
  maxAge,
  onState,
  withoutConnection,
  onSilence,
}: FollowDeps): Follower {
  const patience = maxAge * SHARE;
  const statement = `select stamp, version::int as version from "${schema}".meta`;
  let client: Client | undefined;
  let isListening = false;
  let isSilent = false;
  let isClosed = false;
  let isLooking = false;
  let isNotified = false;
  let timer: NodeJS.Timeout | undefined;
  let confirmedAt = performance.now();

  async function connect(): Promise<Client> {
    const opened = new Client(connectionOptions(url));
    client = opened;
    const forget = () => {
      if (client === opened) client = undefined;
    };
    opened.on('error', forget);
    opened.on('end', forget);
    opened.on('notification', ({ payload }) => {
      if (payload === schema) void look();
    });
    await within(patience, opened, opened.connect());
    isListening =
      (await within(patience, opened, setUpSession(opened, {}))) &&
      (await within(patience, opened, listen(opened)));
    return opened;
  }

  async function read(): Promise<TableState | 'none'> {
    try {
      const asked = client ?? (await connect());
      const state = await within(patience, asked, readState(asked, statement));
      // A new connection works, so it is not the database that does not answer.
      if (isSilent) onSilence();
      isSilent = false;
      return state;
    } catch (error) {
      if (client !== undefined) cut(client);
      client = undefined;
      isSilent ||= isSilence(error);
      throw error;
    }
  }

  async function look(): Promise<void> {
    if (isLooking) {
      isNotified = true;
      return;
    }
    isLooking = true;
    clearTimeout(timer);
    let delay = Math.min(INTERVAL, maxAge * PAUSE);
    do {
      isNotified = false;
      const started = performance.now();
      try {
        await read().then(
          (state) => inTime(2 * patience, onState(state)),
          () => inTime(patience, withoutConnection()),
        );
        confirmedAt = started;
        if (isListening && client !== undefined) delay = patience;
      } catch (error) {
        // Other connections can go silent while this one works. The next look repeats it.
        isSilent ||= isSilence(error);
      }
    } while (isNotified && !isClosed);
    isLooking = false;
    if (!isClosed) timer = setTimeout(look, delay).unref();
  }

  void look();
  return {
    age: () => performance.now() - confirmedAt,
    async close() {
      isClosed = true;
      clearTimeout(timer);
      if (client !== undefined) await within(patience, client, client.end()).catch(() => undefined);
    },
  };
}

async function inTime<T>(limit: number, task: Promise<T>): Promise<T> {
  const late = new Promise<never>((_, reject) => void setTimeout(() => reject(silent()), limit).unref());
  return Promise.race([task, late]);
}

async function listen(client: Client): Promise<boolean> {
  return client.query(`LISTEN ${CHANNEL}`).then(
    () => true,
    // A standby does not notify. The next query reports a lost connection.
    () => false,
  );
}

async function readState(client: Client, statement: string): Promise<TableState | 'none'> {
  try {
    const { rows } = await client.query<TableState>(statement);
    return rows[0] ?? 'none';
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === UNDEFINED_TABLE) return 'none';
    throw error;
  }
}

/** Source: PostgreSQL, appendix A. */
const UNDEFINED_TABLE = '42P01';
