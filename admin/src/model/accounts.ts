/** An account of the site, for those who administer accounts and for its owner. */
export interface Account {
  readonly name: string;
  /** Empty without one, like `mail`. */
  readonly displayName: string;
  readonly mail: string;
  readonly roles: readonly string[];
  readonly isBlocked: boolean;
  /** False for an account that programs use with tokens. */
  readonly hasPassword: boolean;
  readonly tokenCount: number;
  /** An open link to choose a password. */
  readonly link?: { readonly isInvitation: boolean; readonly expires: string } | undefined;
}

/** Attributes to change. Null removes a text. */
export interface AccountChanges {
  readonly displayName?: string | null;
  readonly mail?: string | null;
  readonly roles?: readonly string[];
  readonly blocked?: boolean;
  readonly password?: string;
  /** Needed to change one's own password. */
  readonly currentPassword?: string;
}

/** The texts and roles of an account as a form holds them. */
export interface AccountForm {
  readonly displayName: string;
  readonly mail: string;
  readonly roles: readonly string[];
}

/** The attributes that a form changes; undefined if it changes nothing. An empty text removes the stored one. */
export function accountChanges(account: AccountForm, form: AccountForm): AccountChanges | undefined {
  const displayName = changedText(account.displayName, form.displayName);
  const mail = changedText(account.mail, form.mail);
  const roles = isSameSet(account.roles, form.roles) ? undefined : form.roles;
  if (displayName === undefined && mail === undefined && roles === undefined) return undefined;
  return {
    ...(displayName !== undefined && { displayName }),
    ...(mail !== undefined && { mail }),
    ...(roles !== undefined && { roles }),
  };
}

/** Accounts that have every word of the search in a name, in the mail address or in a role. */
export function searchAccounts(accounts: readonly Account[], search: string): readonly Account[] {
  const words = search.toLowerCase().split(/\s+/);
  return accounts.filter(({ name, displayName, mail, roles }) => {
    const facts = [name, displayName, mail, ...roles].join('\n').toLowerCase();
    return words.every((word) => facts.includes(word));
  });
}

/** Days that a new token can be valid; null if it does not expire. */
export const TOKEN_DAYS = [30, 90, 365, null] as const;

/** The end of a token's validity. */
export function expiryAfter(days: number | null, now = Date.now()): string | null {
  return days === null ? null : new Date(now + days * 86_400_000).toISOString();
}

function changedText(stored: string, written: string): string | null | undefined {
  const trimmed = written.trim();
  if (trimmed === stored) return undefined;
  return trimmed === '' ? null : trimmed;
}

function isSameSet(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((item) => other.includes(item));
}
