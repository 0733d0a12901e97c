import type { SharedState, SharedValue } from '../../core/runtime/shared-state.ts';
import { ForbiddenError } from '../../core/util/errors.ts';
import { base64Url } from '../../core/util/secret.ts';
import { type AccountData, accountDataSchema } from './account.ts';

/** The place of the accounts of a site: a private file, a database, or a variable. */
export interface AccountStorage {
  /** For messages, such as the path of the file. */
  readonly name: string;
  /** What to change instead, if the server cannot change the accounts; undefined if it can. */
  readonly readOnly?: string;
  /** The same object until the accounts change; undefined without accounts. Throws AccountFileError if they are not valid. */
  read(): Promise<AccountData | undefined>;
  /**
   * Replaces the accounts. `change` receives the current accounts and returns the new ones; no other change comes in between.
   * When this resolves, all servers with this storage see them. If `change` throws, nothing is stored.
   */
  update(change: (data: AccountData) => AccountData): Promise<void>;
}

/** The accounts cannot be used, and why. The message contains no secrets. */
export class AccountFileError extends Error {
  override readonly name = 'AccountFileError';
}

/** Accounts that all servers of a site share. They are one value, because the rules are about all of them at once. */
export function createSharedAccounts(shared: SharedState): AccountStorage {
  const name = 'the database';
  let cached: { readonly value: SharedValue; readonly data: AccountData } | undefined;
  return {
    name,
    async read() {
      const value = await shared.read(KEY, cached?.value);
      if (value === undefined) return undefined;
      if (cached?.value !== value) cached = { value, data: parseAccounts(name, value.text) };
      return cached.data;
    },
    async update(change) {
      await shared.change([KEY], ([text]) => {
        const former = text === undefined ? undefined : parseAccounts(name, text);
        const changed = change(former ?? noAccounts());
        if (changed === former) return { result: undefined };
        return { values: [{ text: JSON.stringify(accountDataSchema.parse(changed)) }], result: undefined };
      });
    },
  };
}

const KEY = 'accounts';

/** Read-only accounts, in the text of an accounts file. `source` is the name of the variable. */
export function createFixedAccounts(text: string, source: string): AccountStorage {
  let data: AccountData | undefined;
  const readOnly = `The accounts of this server are in ${source}, so they cannot be changed here. Change them there, and start the server again.`;
  return {
    name: source,
    readOnly,
    async read() {
      data ??= parseAccounts(source, text);
      return data;
    },
    async update() {
      throw new ForbiddenError(readOnly);
    },
  };
}

/** No accounts, with a new key for access tokens. */
export function noAccounts(): AccountData {
  return {
    version: 1,
    tokenKey: base64Url(crypto.getRandomValues(new Uint8Array(32))),
    accounts: [],
  };
}

/** Reads the text of accounts. Throws AccountFileError. `source` is the name of their place. */
export function parseAccounts(source: string, text: string): AccountData {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    // The parser's message quotes the text, which is secret.
    throw new AccountFileError(
      `The accounts file ${source} is not valid JSON, so sign-in is not possible. ${REMEDY}`,
    );
  }
  const result = accountDataSchema.safeParse(json);
  if (result.success) return result.data;
  const faults = result.error.issues
    .slice(0, 5)
    .map(({ path, message }) => `\n  ${describePath(path)}: ${message}`);
  throw new AccountFileError(
    `The accounts file ${source} is not valid, so sign-in is not possible. ${REMEDY}${faults.join('')}`,
  );
}

const REMEDY = 'Correct it, or restore a backup.';

function describePath(path: readonly PropertyKey[]): string {
  if (path.length === 0) return 'the file';
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '');
}
