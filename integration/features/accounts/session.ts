import { z } from 'zod';
import type { RequestSession } from '../../core/api/request.ts';
import { randomSecret } from '../../core/util/secret.ts';
import type { SessionAccount } from './authenticator.ts';

/** The session data of a signed-in account. */
export type SignedIn = z.output<typeof signedInSchema>;

/** Session key of the data. */
const KEY = 'astro-jsonapi';

const signedInSchema = z.object({
  account: z.object({ name: z.string(), epoch: z.string() }),
  /** Value of the header `X-CSRF-Token`. */
  csrf: z.string(),
  /** Token that confirms signing out. */
  logout: z.string(),
});

/** The data of the account that signed in; undefined if none did. */
export async function readSession(session: RequestSession): Promise<SignedIn | undefined> {
  return signedInSchema.safeParse(await session.get(KEY)).data;
}

/** Signs an account in. The session gets a new id, so that the old one, which others may know, stays anonymous. */
export async function beginSession(session: RequestSession, account: SessionAccount): Promise<SignedIn> {
  await session.regenerate();
  const signedIn = { account, csrf: randomSecret(''), logout: randomSecret('') };
  session.set(KEY, signedIn);
  return signedIn;
}

/** Continues the session of an account whose other sessions end. It gets a new id and keeps its tokens. */
export async function continueSession(session: RequestSession, account: SessionAccount): Promise<void> {
  const signedIn = await readSession(session);
  if (signedIn === undefined) return;
  await session.regenerate();
  session.set(KEY, { ...signedIn, account });
}

/** Removes the account from the session and keeps all other data. */
export function forgetAccount(session: RequestSession): void {
  session.delete(KEY);
}
