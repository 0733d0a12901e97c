import { z } from 'zod';
import type { Actor } from '../access/actor.ts';
import { ANONYMOUS } from '../access/actor.ts';
import type { Authenticator, SessionAccount } from '../accounts/authenticator.ts';
import { randomSecret } from '../accounts/secret.ts';

/** A browser's session, as Astro gives it (`Astro.session`). */
export interface RequestSession {
  get(key: string): Promise<unknown>;
  set(key: string, value: unknown): void;
  delete(key: string): void;
  /** Gives the session another id; what it holds stays. */
  regenerate(): Promise<void>;
  destroy(): void;
}

/** What a session holds of whoever has signed in by it. */
export type SignedIn = z.output<typeof signedInSchema>;

/** The name of what is ours in the session. */
const KEY = 'astro-jsonapi';

const signedInSchema = z.object({
  account: z.object({ name: z.string(), epoch: z.string() }),
  /** What the header `X-CSRF-Token` has to say. */
  csrf: z.string(),
  /** What says that signing out is meant. */
  logout: z.string(),
});

/** Who has signed in by the session; undefined for nobody. */
export async function readSession(session: RequestSession): Promise<SignedIn | undefined> {
  return signedInSchema.safeParse(await session.get(KEY)).data;
}

/** Signs an account in. The session gets a new id, so that nobody who knew the former one is signed in too. */
export async function beginSession(session: RequestSession, account: SessionAccount): Promise<SignedIn> {
  await session.regenerate();
  const signedIn = { account, csrf: randomSecret(''), logout: randomSecret('') };
  session.set(KEY, signedIn);
  return signedIn;
}

/** Forgets who had signed in; what else the session holds stays. */
export function forgetAccount(session: RequestSession): void {
  session.delete(KEY);
}

/** Who has signed in by the session, as long as that holds; anonymous where nobody can. Throws AccountFileError. */
export async function sessionActor(
  session: RequestSession,
  authenticator: Authenticator | undefined,
): Promise<Actor> {
  const signedIn = authenticator && (await readSession(session));
  if (authenticator === undefined || signedIn === undefined) return ANONYMOUS;
  const request = { authorization: null, session: signedIn.account, address: undefined };
  return (await authenticator.authenticate(request))?.actor ?? ANONYMOUS;
}
