import type { Account, AccountChanges } from '../model/accounts.ts';
import { type Resource, readList, readResource, request, resourceIn, sendDocument } from './content.ts';

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
  return { accounts: items.map(accountOf), roles: textsOf(meta.roles) };
}

export async function readAccount(name: string): Promise<Account> {
  return accountOf(await readResource(pathTo(name)));
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
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
