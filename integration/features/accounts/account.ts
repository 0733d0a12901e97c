import { z } from 'zod';
import { ANONYMOUS_ROLE, AUTHENTICATED_ROLE } from '../../core/access/role.ts';
import { DomainError } from '../../core/util/errors.ts';

/** The scope of a token; `write` includes reading. */
export const SCOPES = ['read', 'write'] as const;
export type Scope = (typeof SCOPES)[number];

/** Characters. */
export const MAX_NAME_LENGTH = 60;

/** Letters of any script and digits, with spaces and `. _ @ + ' -` between. HTTP Basic does not allow `:`. */
const NAME = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N} ._@+'-]*[\p{L}\p{M}\p{N}._@+'-])?$/u;
const ROLE = /^[A-Za-z0-9_][A-Za-z0-9_-]*$/;
/** PHC string format of scrypt: `$scrypt$ln=17,r=8,p=1$<salt>$<hash>`, base64 without padding. */
const PASSWORD_HASH =
  /^\$scrypt\$ln=\d{1,2},r=\d{1,2},p=\d{1,2}\$[A-Za-z0-9+/]{11,86}\$[A-Za-z0-9+/]{22,86}$/;
const SHA256 = /^[0-9a-f]{64}$/;

const secretFields = {
  label: z.string(),
  scope: z.enum(SCOPES),
  /** SHA-256 of the token or secret, hexadecimal. */
  hash: z.string().regex(SHA256),
  created: z.iso.datetime(),
};

/** A stored bearer token. */
const tokenSchema = z.strictObject({
  id: z.string().min(1),
  ...secretFields,
  /** Null: it does not expire. */
  expires: z.iso.datetime().nullable(),
});

/** A client for OAuth 2 client credentials, which acts as its account. */
const clientSchema = z.strictObject({ id: z.string().regex(/^[A-Za-z0-9._~-]+$/), ...secretFields });

/** Why a person has a link to choose a password: a new account, a forgotten password, or an administrator made it. */
export const LINK_PURPOSES = ['invitation', 'forgotten', 'administrator'] as const;
export type LinkPurpose = (typeof LINK_PURPOSES)[number];

/** A link works once. An account has at most one for each purpose. */
const linkSchema = z.strictObject({
  purpose: z.enum(LINK_PURPOSES),
  /** SHA-256 of the token, hexadecimal. */
  hash: z.string().regex(SHA256),
  expires: z.iso.datetime(),
});

const accountSchema = z.strictObject({
  name: z
    .string()
    .max(MAX_NAME_LENGTH)
    .regex(NAME)
    .refine((name) => name === name.normalize('NFC')),
  displayName: z.string().min(1).optional(),
  mail: z.email().optional(),
  roles: z.array(z.string().regex(ROLE)),
  blocked: z.literal(true).optional(),
  /** Absent: the account has only tokens and clients. */
  password: z.string().regex(PASSWORD_HASH).optional(),
  /** Changes when the sessions of the account have to end. The part before the first dot identifies the account, and stays. */
  epoch: z.string().min(8),
  tokens: z.array(tokenSchema).default([]),
  clients: z.array(clientSchema).default([]),
  /** Absent without any. */
  links: z.array(linkSchema).optional(),
});

export const accountDataSchema = z
  .strictObject({
    version: z.literal(1),
    /** Signs the access tokens of clients: 32 bytes, base64url. */
    tokenKey: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
    accounts: z.array(accountSchema),
  })
  .superRefine(({ accounts }, { addIssue }) => {
    const names = repeated(accounts.map(({ name }) => foldName(name)));
    for (const at of names) {
      addIssue({ code: 'custom', path: ['accounts', at, 'name'], message: 'another account has this name' });
    }
    if (repeated(accounts.flatMap(({ clients }) => clients.map(({ id }) => id))).length > 0) {
      addIssue({ code: 'custom', path: ['accounts'], message: 'two clients have the same id' });
    }
  });

/** The accounts file. */
export type AccountData = z.output<typeof accountDataSchema>;
export type Account = z.output<typeof accountSchema>;
export type AccountToken = z.output<typeof tokenSchema>;
export type AccountLink = z.output<typeof linkSchema>;
export type AccountClient = z.output<typeof clientSchema>;

/** Names that differ only in letter case are the same account. */
export function foldName(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

/** Returns the normalized name. Throws AccountInputError. */
export function checkName(written: string): string {
  const name = written.normalize('NFC').trim();
  if (name.length > MAX_NAME_LENGTH || !NAME.test(name) || foldName(name) === 'anonymous') {
    throw new AccountInputError(
      'name',
      `An account name cannot be ${JSON.stringify(name.slice(0, MAX_NAME_LENGTH))}. Valid: up to ${MAX_NAME_LENGTH} letters and digits, with spaces and . _ @ + ' - between them.`,
    );
  }
  return name;
}

/** Removes duplicates. Throws AccountInputError. */
export function checkRoles(roles: readonly string[]): string[] {
  for (const role of roles) {
    const implied = IMPLIED_ROLES.get(role);
    if (implied !== undefined)
      throw new AccountInputError('roles', `The role ${role} cannot be assigned: ${implied}.`);
    if (!ROLE.test(role)) {
      throw new AccountInputError('roles', `${JSON.stringify(role)} is not a valid role name.`);
    }
  }
  return [...new Set(roles)];
}

export function checkMail(mail: string): string {
  if (z.email().safeParse(mail).success) return mail;
  throw new AccountInputError('mail', `${JSON.stringify(mail)} is not a valid e-mail address.`);
}

/** Characters. */
const MAX_DISPLAY_NAME_LENGTH = 100;

export function checkDisplayName(name: string): string {
  const isValid = name.trim() !== '' && name.length <= MAX_DISPLAY_NAME_LENGTH && !/\p{C}/u.test(name);
  if (isValid) return name;
  throw new AccountInputError(
    'displayName',
    `A display name has 1 to ${MAX_DISPLAY_NAME_LENGTH} characters, in one line.`,
  );
}

/** Days after which a token expires by default. */
export const TOKEN_DAYS = 90;
/** Ten years, in milliseconds. */
export const MAX_TOKEN_MS = 3653 * 24 * 3_600_000;

/** The expiry of a new token, null for none. `now`: milliseconds. */
export function checkExpiry(expires: Date | null, now: number): Date | null {
  const left = expires === null ? 1 : expires.getTime() - now;
  if (left > 0 && left <= MAX_TOKEN_MS) return expires;
  throw new AccountInputError('expires', 'A token expires in the next ten years, or not at all.');
}

/** The input for an account is not valid, or names an account that does not exist or exists already. */
export class AccountInputError extends DomainError {
  override readonly name = 'AccountInputError';
  readonly field:
    | 'name'
    | 'displayName'
    | 'roles'
    | 'mail'
    | 'password'
    | 'account'
    | 'token'
    | 'label'
    | 'expires'
    | 'client';
  constructor(
    field: AccountInputError['field'],
    detail: string,
    reason: 'not-found' | 'conflict' | 'invalid' = 'invalid',
  ) {
    super(reason, detail);
    this.field = field;
  }
}

/** Roles that cannot be assigned, and why. */
const IMPLIED_ROLES: ReadonlyMap<string, string> = new Map([
  [ANONYMOUS_ROLE, 'visitors without an account have it'],
  [AUTHENTICATED_ROLE, 'every account has it'],
]);

/** Indexes of items that occur earlier in the list. */
function repeated(items: readonly string[]): readonly number[] {
  return items.flatMap((item, at) => (items.indexOf(item) < at ? [at] : []));
}
