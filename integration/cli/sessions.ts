import type { RequestSession } from '../core/api/request.ts';
import { cookieOf } from '../core/util/cookie.ts';
import { LruMap } from '../core/util/lru-map.ts';
import { randomSecret } from '../core/util/secret.ts';

/** Sessions in memory, which end with the process. */
export interface Sessions {
  /** Passes the session of a request to `respond`, and adds its cookie to the response. */
  follow(request: Request, respond: (session: RequestSession) => Promise<Response>): Promise<Response>;
}

export interface SessionsOptions {
  readonly cookie: string;
  /** Astro's `base`. */
  readonly base: string;
}

export function createSessions({ cookie, base }: SessionsOptions): Sessions {
  const stored = new LruMap<string, Session>(MAX_SESSIONS);
  const attributes = `Path=${base}/; HttpOnly; SameSite=Lax`;

  return {
    async follow(request, respond) {
      const sent = cookieOf(request.headers, cookie);
      let id = sent !== undefined && isCurrent(stored.get(sent)) ? sent : undefined;
      let setCookie: string | undefined;

      function begin(data: Map<string, unknown>): Map<string, unknown> {
        if (id !== undefined) stored.delete(id);
        id = randomSecret('');
        stored.set(id, { data, until: Date.now() + LIFETIME_MS });
        setCookie = `${cookie}=${id}; ${attributes}; Max-Age=${LIFETIME_MS / 1000}`;
        return data;
      }
      const data = () => (id === undefined ? undefined : stored.get(id)?.data);

      const response = await respond({
        get: async (key) => data()?.get(key),
        set: (key, value) => void (data() ?? begin(new Map())).set(key, value),
        delete: (key) => void data()?.delete(key),
        async regenerate() {
          begin(data() ?? new Map());
        },
        destroy() {
          if (id !== undefined) stored.delete(id);
          id = undefined;
          setCookie = `${cookie}=; ${attributes}; Max-Age=0`;
        },
      });
      if (setCookie !== undefined) response.headers.append('set-cookie', setCookie);
      return response;
    },
  };
}

function isCurrent(session: Session | undefined): boolean {
  return session !== undefined && Date.now() < session.until;
}

interface Session {
  readonly data: Map<string, unknown>;
  /** Milliseconds since the Unix epoch. */
  readonly until: number;
}

const MAX_SESSIONS = 10_000;
/** 14 days. */
const LIFETIME_MS = 14 * 24 * 3600 * 1000;
