import { z } from 'zod';
import type { Actor } from '../access/actor.ts';
import type { Authenticator, SessionAccount } from '../accounts/authenticator.ts';
import { randomSecret } from '../accounts/secret.ts';

/** A browser's session: `Astro.session`. */
export interface RequestSession {
  get(key: string): Promise<unknown>;
  set(key: string, value: unknown): void;
  delete(key: string): void;
  /** Gives the session a new id and keeps its data. */
  regenerate(): Promise<void>;
  destroy(): void;
}

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

/** The actor that signed in with the session; undefined if that is no longer valid. Throws AccountFileError. */
export async function sessionActor(
  session: RequestSession,
  authenticator: Authenticator | undefined,
): Promise<Actor | undefined> {
  const signedIn = authenticator && (await readSession(session));
  if (authenticator === undefined || signedIn === undefined) return undefined;
  const request = { authorization: null, session: signedIn.account, address: undefined };
  return (await authenticator.authenticate(request))?.actor;
}
