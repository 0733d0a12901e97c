import type { Account, AccountChanges } from '../model/accounts.ts';
import { uiLanguage } from '../texts/texts.ts';
import { accountRules } from './account-rules.svelte.ts';
import { type Resource, readList, request, resourceIn, sendDocument } from './content.ts';
import { objectOf } from './document.ts';

export interface Token {
  readonly id: string;
  readonly label: string;
  readonly scope: 'read' | 'write';
  readonly created: string;
  /** Null if it does not expire. */
  readonly expires: string | null;
}

export type NewToken = Pick<Token, 'label' | 'scope' | 'expires'>;

/** Role with all permissions. Only accounts that have it can give it, or change accounts that have it. */
export const ADMINISTRATOR = 'administrator';

interface AccountList {
  readonly accounts: readonly Account[];
  /** The roles that accounts can have. */
  readonly roles: readonly string[];
}

/** Like all functions here, throws RequestError. */
export async function readAccounts(): Promise<AccountList> {
  const { items, meta } = await readList('/_accounts');
  accountRules.follow(meta);
  return { accounts: items.map(accountOf), roles: textsOf(meta.roles) };
}

export async function readAccount(name: string): Promise<Account> {
  const response = await request(pathTo(name));
  accountRules.follow(objectOf(objectOf(response.document).meta));
  return accountOf(resourceIn(response));
}

/** A link to choose a password. `url` is empty if it was sent by mail. */
export interface AccountLink {
  readonly url: string;
  readonly expires: string;
}

/** Adds an account whose person chooses the password with a link. */
export async function inviteAccount(
  name: string,
  attributes: AccountChanges,
  invite: 'link' | 'mail',
): Promise<AccountLink> {
  const document = { data: { type: 'account', id: name, attributes: { ...attributes, invite } } };
  const response = await sendDocument('POST', '/_accounts', document, mailLanguage());
  return linkOf(objectOf(objectOf(objectOf(response.document).meta).link));
}

/** Makes a link to choose a password; sends it to the person, or returns it. */
export async function addLink(name: string, send: boolean): Promise<AccountLink> {
  const document = { data: { type: 'link', attributes: { send } } };
  return linkOf(
    resourceIn(await sendDocument('POST', `${pathTo(name)}/links`, document, mailLanguage())).attributes,
  );
}

/** A mail is in the language of the interface from which it is sent. */
function mailLanguage() {
  return { 'Accept-Language': uiLanguage() };
}

export async function revokeLinks(name: string): Promise<void> {
  await request(`${pathTo(name)}/links`, { method: 'DELETE' });
}

function linkOf({ url, expires }: Readonly<Record<string, unknown>>): AccountLink {
  return { url: textOf(url), expires: textOf(expires) };
}

/** A browser in which an account is signed in. */
export interface Session {
  readonly id: string;
  readonly began: string;
  readonly agent: string;
  readonly address: string;
  readonly isOwn: boolean;
}

export async function readSessions(name: string): Promise<readonly Session[]> {
  const { items } = await readList(`${pathTo(name)}/sessions`);
  return items.map(({ id, attributes: { began, agent, address, isOwn } }) => ({
    id,
    ...{ began: textOf(began), agent: textOf(agent), address: textOf(address), isOwn: isOwn === true },
  }));
}

/** Ends all sessions of the account but this one. */
export async function endSessions(name: string): Promise<void> {
  await request(`${pathTo(name)}/sessions`, { method: 'DELETE' });
}

/** Something that happened to an account. */
export interface AuditEntry {
  readonly id: string;
  readonly time: string;
  readonly event: string;
  readonly result: string;
  readonly account: string;
  /** These are empty if the log does not have them. */
  readonly actor: string;
  readonly by: string;
  readonly address: string;
  readonly detail: string;
}

export interface AuditPage {
  readonly entries: readonly AuditEntry[];
  /** True if the log has only the events of one server. */
  readonly isOfServer: boolean;
  /** The query of the next page; undefined at the end. */
  readonly next: string | undefined;
}

export async function readAudit(query: string): Promise<AuditPage> {
  const { document } = await request(`/_audit${query === '' ? '' : `?${query}`}`);
  const { data, meta, links } = objectOf(document);
  const next = objectOf(objectOf(links).next).href;
  return {
    entries: (Array.isArray(data) ? data : []).map((each) => {
      const { id, attributes } = objectOf(each);
      const { time, event, result, account, actor, address, by, detail } = objectOf(attributes);
      return {
        id: textOf(id),
        ...{ time: textOf(time), event: textOf(event), result: textOf(result) },
        ...{ account: textOf(account), actor: textOf(actor) },
        ...{ by: textOf(by), address: textOf(address), detail: textOf(detail) },
      };
    }),
    isOfServer: objectOf(meta).extent === 'server',
    next: typeof next === 'string' ? new URL(next).search.slice(1) : undefined,
  };
}

export async function addAccount(name: string, attributes: AccountChanges): Promise<Account> {
  const response = await sendDocument('POST', '/_accounts', {
    data: { type: 'account', id: name, attributes },
  });
  return accountOf(resourceIn(response));
}

export async function changeAccount(name: string, attributes: AccountChanges): Promise<Account> {
  const response = await sendDocument('PATCH', pathTo(name), {
    data: { type: 'account', id: name, attributes },
  });
  return accountOf(resourceIn(response));
}

export async function removeAccount(name: string): Promise<void> {
  await request(pathTo(name), { method: 'DELETE' });
}

export async function readTokens(name: string): Promise<readonly Token[]> {
  const { items } = await readList(`${pathTo(name)}/tokens`);
  return items.map(({ id, attributes: { label, scope, created, expires } }) => ({
    id,
    label: textOf(label),
    scope: scope === 'write' ? 'write' : 'read',
    created: textOf(created),
    expires: typeof expires === 'string' ? expires : null,
  }));
}

/** Returns the secret, which the server does not show again. */
export async function addToken(name: string, attributes: NewToken): Promise<string> {
  const response = await sendDocument('POST', `${pathTo(name)}/tokens`, {
    data: { type: 'token', attributes },
  });
  return textOf(resourceIn(response).attributes.token);
}

export async function revokeToken(name: string, id: string): Promise<void> {
  await request(`${pathTo(name)}/tokens/${encodeURIComponent(id)}`, { method: 'DELETE' });
}

function pathTo(name: string): string {
  return `/_accounts/${encodeURIComponent(name)}`;
}

function accountOf({ id, attributes, meta }: Resource): Account {
  return {
    name: id,
    displayName: textOf(attributes.displayName),
    mail: textOf(attributes.mail),
    roles: textsOf(attributes.roles),
    isBlocked: attributes.blocked === true,
    hasPassword: attributes.hasPassword === true,
    tokenCount: Number(meta.tokens ?? 0),
    link: readLink(objectOf(attributes.link)),
  };
}

function readLink({ purpose, expires }: Readonly<Record<string, unknown>>): Account['link'] {
  return typeof expires === 'string' ? { isInvitation: purpose === 'invitation', expires } : undefined;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
