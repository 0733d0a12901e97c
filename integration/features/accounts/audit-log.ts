import { z } from 'zod';
import type { LoggedLine } from '../../core/runtime/shared-state.ts';
import { createAllowances } from '../../core/util/allowances.ts';
import { parseAs } from '../../core/util/json.ts';
import { LruMap } from '../../core/util/lru-map.ts';
import { foldName, MAX_NAME_LENGTH } from './account.ts';
import type { AccountStore } from './accounts.ts';

/** Something that happened to an account. Never holds a password, a token or a secret. */
export interface AuditEntry {
  readonly event:
    | 'sign-in'
    | 'sign-out'
    | 'account added'
    | 'account removed'
    | 'account blocked'
    | 'account unblocked'
    | 'password changed'
    | 'password removed'
    | 'roles changed'
    | 'profile changed'
    | 'token added'
    | 'token revoked'
    | 'client added'
    | 'client revoked'
    | 'invitation created'
    | 'invitation accepted'
    | 'link created'
    | 'link requested'
    | 'link used'
    | 'links revoked'
    | 'mail failed'
    | 'sessions ended';
  readonly result:
    | 'succeeded'
    | 'wrong password'
    | 'unknown account'
    | 'blocked account'
    | 'account without password'
    | 'wrong client'
    | 'throttled'
    | 'busy'
    | 'no address'
    | 'failed';
  /** The name of the account. If there is no such account, the name as it was sent. */
  readonly account: string;
  /** The client's address, from the adapter. */
  readonly address?: string | undefined;
  /** The account that made the change; undefined for a change on the command line. */
  readonly actor?: string | undefined;
  /** How the client identified itself, or the place of the change. */
  readonly by:
    | 'form'
    | 'basic'
    | 'bearer'
    | 'client'
    | 'session'
    | 'setup link'
    | 'link'
    | 'command line'
    | 'local mode';
  /** The roles, or the id of a token or client. */
  readonly detail?: string | undefined;
}

export interface AuditLog {
  /** Resolves when the line is stored. Never rejects. */
  record(entry: AuditEntry): Promise<void>;
  /** The newest entries first, at most `limit`. */
  find(search: AuditSearch): Promise<FoundEntries>;
  /** Whose events the log has: those of all servers of the site, or of this server since its start. */
  readonly extent: 'site' | 'server';
}

/** The place of the lines of the log. */
export interface AuditPlace {
  readonly extent: 'site' | 'server';
  /** Stores one line, which ends with a line feed. Never rejects. */
  write(line: string): Promise<void>;
  /** Lines before a place, the newest first. An empty list is the end. */
  lines(before?: string): Promise<readonly LoggedLine[]>;
}

export interface AuditLogDeps extends AuditPlace {
  /** Milliseconds. */
  now(): number;
}

export interface AuditSearch {
  /** In any letter case. */
  readonly account?: string | undefined;
  /** Default: all. */
  readonly events?: readonly string[] | undefined;
  /** Sign-ins that failed, or everything else. Default: both. */
  readonly failed?: boolean | undefined;
  /** Date-times of ISO 8601 in UTC, from the first to before the last. */
  readonly from?: string | undefined;
  readonly until?: string | undefined;
  readonly before?: string | undefined;
  readonly limit: number;
}

export interface FoundEntries {
  readonly entries: readonly (StoredEntry & { readonly place: string })[];
  /** The value of `before` for older entries; undefined if this is the last page. */
  readonly next: string | undefined;
}

/** Lines about sign-ins of one kind: 100 at once, then one a minute. An attacker cannot fill the disk. */
const SIGN_INS = { burst: 100, seconds: 60 };
/** The number of kinds for which omitted lines are counted. */
const KINDS = 10_000;

/**
 * Writes one line of JSON for each entry. All sign-ins that fail for one reason are one kind, and so are the successes of
 * one account. Beyond the limit of a kind, entries are only counted: the next line of the kind has their number in
 * `omitted`. Changes to accounts are never omitted.
 */
export function createAuditLog({ write, lines, extent, now }: AuditLogDeps): AuditLog {
  const allowances = createAllowances(SIGN_INS, now);
  const omitted = new LruMap<string, number>(KINDS);

  return {
    extent,
    async find({ limit, ...search }) {
      const entries: (StoredEntry & { readonly place: string })[] = [];
      for (let before = search.before; ; ) {
        const page = await lines(before);
        const oldest = page.at(-1);
        if (oldest === undefined) return { entries, next: undefined };
        for (const { line, place } of page) {
          const entry = parseAs(storedSchema, line);
          // Lines are in the order of time, but for the clocks of several servers.
          if (entry === undefined || !matches(entry, search)) continue;
          if (entries.length === limit) return { entries, next: entries.at(-1)?.place };
          entries.push({ ...entry, place });
        }
        before = oldest.place;
      }
    },
    async record(entry) {
      const { event, result, account, actor, address, by, detail } = entry;
      let left: number | undefined;
      if (event === 'sign-in' || event === 'sign-out' || event === 'link requested') {
        const kind = `${event} ${result} ${result === 'succeeded' ? account : ''}`;
        left = omitted.get(kind);
        if (allowances.wait(kind) > 0) {
          omitted.set(kind, (left ?? 0) + 1);
          return;
        }
        allowances.charge(kind);
        omitted.delete(kind);
      }
      const time = new Date(now()).toISOString();
      const text = {
        account: account.slice(0, MAX_NAME_LENGTH),
        address: address?.slice(0, MAX_ADDRESS_LENGTH),
      };
      await write(
        `${escaped(JSON.stringify({ time, event, result, ...text, actor, by, detail, omitted: left }))}\n`,
      );
    },
  };
}

/** A line of the log. */
const storedSchema = z.object({
  time: z.iso.datetime(),
  event: z.string(),
  result: z.string(),
  account: z.string(),
  address: z.string().optional(),
  actor: z.string().optional(),
  by: z.string().optional(),
  detail: z.string().optional(),
  omitted: z.number().optional(),
});

type StoredEntry = z.output<typeof storedSchema>;

function matches(
  entry: StoredEntry,
  { account, events, failed, from, until }: Omit<AuditSearch, 'limit'>,
): boolean {
  return (
    (account === undefined || foldName(entry.account) === foldName(account)) &&
    (events === undefined || events.includes(entry.event)) &&
    (failed === undefined || (entry.result !== 'succeeded') === failed) &&
    (from === undefined || entry.time >= from) &&
    (until === undefined || entry.time < until)
  );
}

/** Who changes accounts, and from where. */
export type AuditOrigin = Pick<AuditEntry, 'actor' | 'address' | 'by'>;

/** Records each change of the accounts when it is stored. */
export function withAudit(store: AccountStore, audit: AuditLog, origin: AuditOrigin): AccountStore {
  const record = (event: AuditEntry['event'], account: string, detail?: string) =>
    audit.record({ event, result: 'succeeded', account, ...origin, detail });
  return {
    ...store,
    async add(input) {
      const account = await store.add(input);
      await record('account added', account.name, account.roles.join(', '));
      return account;
    },
    async remove(name, rules) {
      await store.remove(name, rules);
      await record('account removed', name);
    },
    async update(name, changes, rules) {
      const account = await store.update(name, changes, rules);
      const { roles, blocked, password, displayName, mail } = changes;
      if (roles !== undefined) await record('roles changed', account.name, account.roles.join(', '));
      if (blocked !== undefined)
        await record(blocked ? 'account blocked' : 'account unblocked', account.name);
      if (password !== undefined) {
        await record(password === null ? 'password removed' : 'password changed', account.name);
      }
      if (displayName !== undefined || mail !== undefined) await record('profile changed', account.name);
      return account;
    },
    async addToken(name, input) {
      const added = await store.addToken(name, input);
      await record('token added', name, `${added.token.id} ${added.token.scope}`);
      return added;
    },
    async removeToken(name, id) {
      await store.removeToken(name, id);
      await record('token revoked', name, id);
    },
    async addLink(name, purpose) {
      const added = await store.addLink(name, purpose);
      await record(
        purpose === 'invitation' ? 'invitation created' : 'link created',
        name,
        added.link.expires,
      );
      return added;
    },
    async removeLinks(name) {
      await store.removeLinks(name);
      await record('links revoked', name);
    },
    async endSessions(name) {
      const account = await store.endSessions(name);
      await record('sessions ended', name);
      return account;
    },
    async addClient(name, input) {
      const added = await store.addClient(name, input);
      await record('client added', name, `${added.client.id} ${added.client.scope}`);
      return added;
    },
    async removeClient(name, id) {
      await store.removeClient(name, id);
      await record('client revoked', name, id);
    },
  };
}

const MAX_ADDRESS_LENGTH = 64;

/** Escapes characters that could change how a terminal shows the line. */
function escaped(json: string): string {
  return json.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) =>
    [...Array(character.length).keys()]
      .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}
