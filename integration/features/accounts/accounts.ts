import { ADMINISTRATOR_ROLE } from '../../core/access/role.ts';
import { ConflictError, ForbiddenError } from '../../core/util/errors.ts';
import { randomId, randomSecret } from '../../core/util/secret.ts';
import {
  type Account,
  type AccountClient,
  type AccountData,
  AccountInputError,
  type AccountLink,
  type AccountToken,
  checkDisplayName,
  checkMail,
  checkName,
  checkRoles,
  foldName,
  type LinkPurpose,
  type Scope,
} from './account.ts';
import type { AccountStorage } from './account-storage.ts';
import { checkPassword, type PasswordHasher } from './password.ts';
import { digestSecret } from './signer.ts';

/** Makes bearer tokens recognizable for people and secret scanners. */
export const TOKEN_PREFIX = 'ajp_';
const CLIENT_SECRET_PREFIX = 'ajs_';
/** Characters. */
const MAX_LABEL_LENGTH = 100;

export interface NewAccount {
  readonly name: string;
  readonly roles: readonly string[];
  /** Undefined: an account for tokens and clients only. */
  readonly password?: string | undefined;
  readonly displayName?: string | undefined;
  readonly mail?: string | undefined;
}

/** Null removes a property. Properties that are left out stay. */
export interface AccountChanges {
  /** The new roles, or a function of the present ones. */
  readonly roles?: readonly string[] | ((present: readonly string[]) => readonly string[]) | undefined;
  readonly blocked?: boolean | undefined;
  readonly password?: string | null | undefined;
  readonly displayName?: string | null | undefined;
  readonly mail?: string | null | undefined;
}

export interface ChangeRules {
  /** Throws ConflictError instead of removing, blocking or demoting the last administrator who can sign in. */
  readonly keepsAdministrator?: true;
}

export interface NewToken {
  readonly label: string;
  readonly scope: Scope;
  readonly expires: Date | null;
}

/**
 * The accounts of a site. Changes throw AccountInputError for invalid input. All methods throw AccountFileError if the
 * accounts cannot be used. Names are case-insensitive.
 */
export interface AccountStore {
  find(name: string): Promise<Account | undefined>;
  /** By the SHA-256 of the token. */
  findToken(hash: string): Promise<{ readonly account: Account; readonly token: AccountToken } | undefined>;
  findClient(id: string): Promise<{ readonly account: Account; readonly client: AccountClient } | undefined>;
  /** In the order in which they were added. */
  list(): Promise<readonly Account[]>;
  /** Signs access tokens of clients; undefined without accounts. */
  tokenKey(): Promise<string | undefined>;
  add(account: NewAccount): Promise<Account>;
  /** Adds the first account. Returns undefined if the site has accounts already. */
  addFirst(account: NewAccount): Promise<Account | undefined>;
  remove(name: string, rules?: ChangeRules): Promise<void>;
  /** Makes all changes or none. A new password ends the account's sessions, and so does blocking or unblocking it. */
  update(name: string, changes: AccountChanges, rules?: ChangeRules): Promise<Account>;
  /** Replaces the hash of an unchanged password; sessions continue. No effect if the hash is not `former` any more. */
  renewHash(name: string, former: string, hash: string): Promise<void>;
  /** `secret` is not stored. */
  addToken(name: string, token: NewToken): Promise<{ readonly secret: string; readonly token: AccountToken }>;
  removeToken(name: string, id: string): Promise<void>;
  addClient(
    name: string,
    client: Omit<NewToken, 'expires'>,
  ): Promise<{ readonly secret: string; readonly client: AccountClient }>;
  removeClient(name: string, id: string): Promise<void>;
  /** Makes a link to choose a password, in place of one with this purpose. `secret` is not stored. */
  addLink(
    name: string,
    purpose: LinkPurpose,
  ): Promise<{ readonly secret: string; readonly link: AccountLink }>;
  /** Revokes all links of an account. */
  removeLinks(name: string): Promise<void>;
  /** The account of a link that works now. */
  findLink(secret: string): Promise<FoundLink | undefined>;
  /** Sets the password of a link's account, once. Throws AccountInputError for the password, and ForbiddenError for the link. */
  useLink(secret: string, password: string): Promise<FoundLink>;
  /** Ends all sessions of an account. */
  endSessions(name: string): Promise<Account>;
  /** What to change instead, if the server cannot change the accounts; undefined if it can. */
  readonly readOnly?: string | undefined;
}

export interface FoundLink {
  readonly account: Account;
  readonly link: AccountLink;
}

/** Hours for which a link works. */
export const LINK_HOURS: Readonly<Record<LinkPurpose, number>> = {
  invitation: 7 * 24,
  forgotten: 1,
  administrator: 24,
};

export interface AccountStoreDeps {
  readonly storage: AccountStorage;
  readonly passwords: PasswordHasher;
  /** Milliseconds. */
  readonly now: () => number;
}

export function createAccountStore({ storage, passwords, now }: AccountStoreDeps): AccountStore {
  const indexes = new WeakMap<AccountData, AccountIndex>();

  async function index(): Promise<AccountIndex> {
    const data = await storage.read();
    if (data === undefined) return EMPTY_INDEX;
    const cached = indexes.get(data) ?? indexAccounts(data);
    indexes.set(data, cached);
    return cached;
  }

  /** Changes one account and returns the new one. */
  async function change(
    name: string,
    edit: (account: Account) => Account,
    rules: ChangeRules = {},
  ): Promise<Account> {
    let changed: Account | undefined;
    await storage.update((data) => {
      const at = data.accounts.findIndex((account) => foldName(account.name) === foldName(name));
      const account = data.accounts[at];
      if (account === undefined) throw unknownAccount(name);
      changed = edit(account);
      const accounts = data.accounts.with(at, changed);
      checkAdministrators(data.accounts, accounts, rules);
      return { ...data, accounts };
    });
    if (changed === undefined) throw unknownAccount(name);
    return changed;
  }

  async function createAccount({
    name: written,
    roles,
    password,
    displayName,
    mail,
  }: NewAccount): Promise<Account> {
    const name = checkName(written);
    if (password !== undefined) checkPassword(password, name);
    return {
      name,
      ...(displayName === undefined ? {} : { displayName: checkDisplayName(displayName) }),
      ...(mail === undefined ? {} : { mail: checkMail(mail) }),
      roles: checkRoles(roles),
      ...(password === undefined ? {} : { password: await passwords.hash(password) }),
      epoch: randomId(9),
      tokens: [],
      clients: [],
    };
  }

  async function requireFreeName(written: string): Promise<void> {
    const taken = (await index()).byName.get(foldName(checkName(written)));
    if (taken !== undefined) throw nameTaken(taken.name);
  }

  async function createSecret(prefix: string, { label, scope }: Omit<NewToken, 'expires'>) {
    const secret = randomSecret(prefix);
    const hash = await digestSecret(secret);
    return {
      secret,
      stored: { label: checkLabel(label), scope, hash, created: new Date(now()).toISOString() },
    };
  }

  async function removeSecret(name: string, kind: 'token' | 'client', id: string): Promise<void> {
    const list = `${kind}s` as const;
    await change(name, (account) => {
      const left = account[list].filter((each) => each.id !== id);
      if (left.length === account[list].length) throw unknownSecret(kind, account, id);
      return { ...account, [list]: left };
    });
  }

  return {
    find: async (name) => (await index()).byName.get(foldName(name)),
    findToken: async (hash) => (await index()).byToken.get(hash),
    findClient: async (id) => (await index()).byClient.get(id),
    list: async () => (await index()).accounts,
    tokenKey: async () => (await index()).tokenKey,
    async add(input) {
      await requireFreeName(input.name);
      const account = await createAccount(input);
      await storage.update((data) => {
        const taken = data.accounts.find(({ name }) => foldName(name) === foldName(account.name));
        if (taken !== undefined) throw nameTaken(taken.name);
        return { ...data, accounts: [...data.accounts, account] };
      });
      return account;
    },
    async addFirst(input) {
      const account = await createAccount(input);
      let isAdded = false;
      await storage.update((data) => {
        isAdded = data.accounts.length === 0;
        return isAdded ? { ...data, accounts: [account] } : data;
      });
      return isAdded ? account : undefined;
    },
    async remove(name, rules = {}) {
      await storage.update((data) => {
        const left = data.accounts.filter((account) => foldName(account.name) !== foldName(name));
        if (left.length === data.accounts.length) throw unknownAccount(name);
        checkAdministrators(data.accounts, left, rules);
        return { ...data, accounts: left };
      });
    },
    async update(name, changes, rules = {}) {
      const account = (await index()).byName.get(foldName(name));
      if (account === undefined) throw unknownAccount(name);
      const { password } = changes;
      if (typeof password === 'string') checkPassword(password, account.name);
      // Many changes of one account delay only each other.
      const parties = [`account ${foldName(account.name)}`];
      const hash = typeof password === 'string' ? await passwords.hash(password, { parties }) : password;
      return change(name, (present) => changedAccount(present, changes, hash), rules);
    },
    async renewHash(name, former, hash) {
      await change(name, (account) =>
        account.password === former ? { ...account, password: hash } : account,
      );
    },
    async addToken(name, { expires, ...input }) {
      const { secret, stored } = await createSecret(TOKEN_PREFIX, input);
      const token = { id: randomId(6), ...stored, expires: expires?.toISOString() ?? null };
      await change(name, (account) => ({ ...account, tokens: [...account.tokens, token] }));
      return { secret, token };
    },
    removeToken: (name, id) => removeSecret(name, 'token', id),
    async addClient(name, input) {
      const { secret, stored } = await createSecret(CLIENT_SECRET_PREFIX, input);
      const client = { id: crypto.randomUUID(), ...stored };
      await change(name, (account) => ({ ...account, clients: [...account.clients, client] }));
      return { secret, client };
    },
    removeClient: (name, id) => removeSecret(name, 'client', id),
    async addLink(name, purpose) {
      const secret = randomSecret('');
      const expires = new Date(now() + LINK_HOURS[purpose] * 3_600_000).toISOString();
      const link = { purpose, hash: await digestSecret(secret), expires };
      await change(name, (account) => withLinks(account, [...otherLinks(account, purpose), link]));
      return { secret, link };
    },
    async removeLinks(name) {
      await change(name, (account) => withLinks(account, []));
    },
    async findLink(secret) {
      return workingLink((await index()).accounts, await digestSecret(secret), now());
    },
    async useLink(secret, password) {
      const digest = await digestSecret(secret);
      const before = workingLink((await index()).accounts, digest, now());
      if (before === undefined) throw linkUsed();
      checkPassword(password, before.account.name);
      const parties = [`account ${foldName(before.account.name)}`];
      const hash = await passwords.hash(password, { parties });
      let used: FoundLink | undefined;
      await storage.update((data) => {
        const found = workingLink(data.accounts, digest, now());
        if (found === undefined) throw linkUsed();
        const account = changedAccount(found.account, {}, hash);
        used = { account, link: found.link };
        return { ...data, accounts: data.accounts.with(data.accounts.indexOf(found.account), account) };
      });
      if (used === undefined) throw linkUsed();
      return used;
    },
    endSessions: (name) => change(name, (account) => ({ ...account, epoch: nextEpoch(account) })),
    readOnly: storage.readOnly,
  };
}

/** The account and the link with this digest, if the link works now. */
function workingLink(accounts: readonly Account[], digest: string, now: number): FoundLink | undefined {
  for (const account of accounts) {
    const link = account.links?.find(({ hash }) => hash === digest);
    if (link === undefined) continue;
    return account.blocked === true || Date.parse(link.expires) <= now ? undefined : { account, link };
  }
  return undefined;
}

function otherLinks({ links = [] }: Account, purpose: LinkPurpose): AccountLink[] {
  return links.filter((link) => link.purpose !== purpose);
}

function withLinks({ links: _, ...account }: Account, links: AccountLink[]): Account {
  return { ...account, ...(links.length > 0 && { links }) };
}

/** The error for a link that does not work, whatever the reason. */
function linkUsed(): ForbiddenError {
  return new ForbiddenError('This link is not valid any more: it works once, and it expires.');
}

/** `hash` is that of the new password; null removes the password, and undefined keeps it. */
function changedAccount(
  present: Account,
  { roles = present.roles, blocked = present.blocked === true, ...changes }: AccountChanges,
  hash: string | null | undefined,
): Account {
  const { displayName, mail, password, blocked: wasBlocked, links: _, ...rest } = present;

  const next = {
    displayName: changes.displayName === undefined ? displayName : changes.displayName,
    mail: changes.mail === undefined ? mail : changes.mail,
    password: hash === undefined ? password : hash,
  };
  const endsSessions = hash !== undefined || blocked !== (wasBlocked === true);
  // The mail with a link may have reached an address that is not the person's any more.
  const links = endsSessions
    ? []
    : next.mail === mail
      ? (present.links ?? [])
      : otherLinks(present, 'forgotten');
  return {
    ...rest,
    ...(links.length > 0 && { links }),
    ...(next.displayName != null && { displayName: checkDisplayName(next.displayName) }),
    ...(next.mail != null && { mail: checkMail(next.mail) }),
    roles: checkRoles(typeof roles === 'function' ? roles(present.roles) : roles),
    ...(blocked && { blocked }),
    ...(next.password != null && { password: next.password }),
    ...(endsSessions && { epoch: nextEpoch(present) }),
  };
}

/** Throws ConflictError if no administrator can sign in after a change, but one could before it. */
function checkAdministrators(
  before: readonly Account[],
  after: readonly Account[],
  { keepsAdministrator }: ChangeRules,
): void {
  if (keepsAdministrator !== true || !before.some(isAdministrator) || after.some(isAdministrator)) return;
  throw new ConflictError(
    'This is the last administrator who can sign in. Give another account the role administrator first.',
  );
}

function isAdministrator({ roles, blocked, password }: Account): boolean {
  return roles.includes(ADMINISTRATOR_ROLE) && blocked !== true && password !== undefined;
}

/** Another epoch ends all sessions of the account. The part before the dot stays. */
function nextEpoch({ epoch }: Account): string {
  return `${epoch.split('.', 1)[0]}.${randomId(9)}`;
}

function checkLabel(label: string): string {
  if (label.length <= MAX_LABEL_LENGTH && !/\p{Cc}/u.test(label)) return label;
  throw new AccountInputError(
    'label',
    `A label can have at most ${MAX_LABEL_LENGTH} characters, in one line.`,
  );
}

function nameTaken(name: string): AccountInputError {
  return new AccountInputError('name', `There is an account ${name} already.`, 'conflict');
}

function unknownAccount(name: string): AccountInputError {
  return new AccountInputError('account', `There is no account ${name}.`, 'not-found');
}

function unknownSecret(kind: 'token' | 'client', account: Account, id: string): AccountInputError {
  const ids = account[`${kind}s`].map((each) => each.id);
  const valid = ids.length === 0 ? 'It has none.' : `It has: ${ids.join(', ')}.`;
  return new AccountInputError(
    kind,
    `The account ${account.name} has no ${kind} ${id}. ${valid}`,
    'not-found',
  );
}

function indexAccounts({ accounts, tokenKey }: Pick<AccountData, 'accounts'> & Partial<AccountData>) {
  return {
    accounts,
    tokenKey,
    byName: new Map(accounts.map((account) => [foldName(account.name), account])),
    byToken: new Map(
      accounts.flatMap((account) => account.tokens.map((token) => [token.hash, { account, token }])),
    ),
    byClient: new Map(
      accounts.flatMap((account) => account.clients.map((client) => [client.id, { account, client }])),
    ),
  };
}

type AccountIndex = ReturnType<typeof indexAccounts>;

const EMPTY_INDEX = indexAccounts({ accounts: [] });
