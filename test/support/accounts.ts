import type { NewAccount } from '../../integration/features/accounts/accounts.ts';
import { openAuth } from '../../integration/features/accounts/open-auth.ts';

/** Adds accounts to a file. Returns the secret of a write token for each name. */
export async function addAccounts<Name extends string>(
  file: string,
  accounts: Readonly<Record<Name, Omit<NewAccount, 'name'>>>,
): Promise<Readonly<Record<Name, string>>> {
  const warn = (message: string): never => {
    throw new Error(message);
  };
  const { accounts: store } = openAuth({ file, warn });
  const tokens: Partial<Record<Name, string>> = {};
  for (const name in accounts) {
    await store.add({ name, ...accounts[name] });
    const { secret } = await store.addToken(name, { label: 'test', scope: 'write', expires: null });
    tokens[name] = secret;
  }
  return tokens as Readonly<Record<Name, string>>;
}
