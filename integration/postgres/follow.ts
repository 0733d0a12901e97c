import { Client } from 'pg';
import { connectionOptions, type DatabaseOptions } from './database.ts';
import { CHANNEL, type Notification } from './sync.ts';

export interface Follower {
  close(): Promise<void>;
}

export interface FollowDeps extends Pick<DatabaseOptions, 'url' | 'schema'> {
  /** Called for each change, and without one when changes may have been missed. Never rejects. */
  onChange(change: Notification | undefined): Promise<void>;
}

/** Time between two looks at a database that does not notify, and between two attempts to connect, in milliseconds. */
const INTERVAL = 1000;

/**
 * Follows changes of the tables: by notifications, or by looking each second at a database that has none, such as a standby.
 * A lost connection is opened again.
 */
export function followChanges({ url, schema, onChange }: FollowDeps): Follower {
  let client: Client | undefined;
  let isListening = false;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;

  async function connect(): Promise<void> {
    const opened = new Client({ ...connectionOptions({ url, schema }), keepAlive: true });
    const end = () => {
      if (client !== opened) return;
      client = undefined;
      isListening = false;
    };
    opened.on('error', end);
    opened.on('end', end);
    opened.on('notification', ({ payload = '{}' }) => {
      const change: Notification = JSON.parse(payload);
      if (change.schema === schema) void onChange(change);
    });
    client = opened;
    try {
      await opened.connect();
      await opened.query(`LISTEN ${CHANNEL}`);
      isListening = true;
    } catch {
      // The next look reports whether the database can be reached.
      end();
      await opened.end().catch(() => undefined);
    }
  }

  async function look(): Promise<void> {
    if (!isListening) {
      if (client === undefined) await connect();
      await onChange(undefined);
    }
    if (!isClosed) timer = setTimeout(look, INTERVAL).unref();
  }

  void look();
  return {
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await client?.end().catch(() => undefined);
    },
  };
}
