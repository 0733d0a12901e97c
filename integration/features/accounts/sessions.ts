import { z } from 'zod';
import type { ApiRequest, RequestSession } from '../../core/api/request.ts';
import type { SharedState } from '../../core/runtime/shared-state.ts';
import { parseAs } from '../../core/util/json.ts';
import { type Account, foldName } from './account.ts';
import type { AccountsContext } from './accounts-context.ts';
import type { SessionAccount } from './authenticator.ts';
import { beginSession, readSession, type SignedIn } from './session.ts';
import { digestSecret } from './signer.ts';

/** Sessions of an account that are listed: the newest ones. */
const MAX_SESSIONS = 50;
/** The time after which Astro ends a session, unless the site says otherwise. */
const SECONDS = 14 * 24 * 3600;

const sessionsSchema = z.array(
  z.strictObject({
    id: z.string(),
    epoch: z.string(),
    began: z.iso.datetime(),
    /** The browser, as its header `User-Agent` says. */
    agent: z.string(),
    address: z.string().optional(),
  }),
);

/** A session of an account. */
export type ListedSession = z.output<typeof sessionsSchema>[number];

export interface Browser {
  readonly headers: Headers;
  readonly address: string | undefined;
}

/** Signs an account in, and lists its new session. */
export async function startSession(
  session: RequestSession,
  account: SessionAccount,
  shared: SharedState,
  browser: Browser,
): Promise<SignedIn> {
  const signedIn = await beginSession(session, account);
  await listSession(shared, signedIn, browser);
  return signedIn;
}

/** Adds the session of a request to those of its account, if it is not there. */
export async function listSession(
  shared: SharedState,
  { account, csrf }: SignedIn,
  { headers, address }: Browser,
): Promise<void> {
  const id = await idOf(csrf);
  const agent = (headers.get('user-agent') ?? '').slice(0, 300);
  const began = new Date().toISOString();
  await shared.change([keyOf(account.name)], ([text]) => {
    const others = parsed(text).filter((each) => each.id !== id && each.epoch === account.epoch);
    const own = { id, epoch: account.epoch, began, agent, ...(address !== undefined && { address }) };
    const list = [...others, own].slice(-MAX_SESSIONS);
    return { values: [{ text: JSON.stringify(list), seconds: SECONDS }], result: undefined };
  });
}

/** Lists the session of a request, which may have begun before the list of this server. */
export async function rememberSession(
  { shared, session, store }: Pick<AccountsContext, 'shared' | 'session' | 'store'>,
  { headers, client }: Pick<ApiRequest, 'headers' | 'client'>,
): Promise<void> {
  const present = session && (await readSession(session));
  const account = present && (await store.find(present.account.name));
  if (present === undefined || account === undefined) return;
  const { sessions, own } = await findSessions(shared, account, session);
  if (sessions.some(({ id }) => id === own)) return;
  await listSession(shared, present, { headers, address: client.address });
}

/** Takes a session that has ended off the list. */
export async function unlistSession(shared: SharedState, { account, csrf }: SignedIn): Promise<void> {
  const id = await idOf(csrf);
  await shared.change([keyOf(account.name)], ([text]) => {
    const left = parsed(text).filter((each) => each.id !== id);
    return { values: [{ text: JSON.stringify(left), seconds: SECONDS }], result: undefined };
  });
}

/** The sessions of an account that have not ended, the newest first, and the id of that of a request. */
export async function findSessions(
  shared: SharedState,
  { name, epoch }: Account,
  session: RequestSession | undefined,
): Promise<{ readonly sessions: readonly ListedSession[]; readonly own: string | undefined }> {
  const stored = await shared.read(keyOf(name));
  const signedIn = session && (await readSession(session));
  return {
    sessions: parsed(stored?.text)
      .filter((each) => each.epoch === epoch && Date.parse(each.began) > Date.now() - SECONDS * 1000)
      .reverse(),
    own: signedIn && (await idOf(signedIn.csrf)),
  };
}

function parsed(text: string | undefined): readonly ListedSession[] {
  return (text !== undefined && parseAs(sessionsSchema, text)) || [];
}

function keyOf(name: string): string {
  return `sessions/${foldName(name)}`;
}

/** Identifies a session without giving it to anyone. */
async function idOf(csrf: string): Promise<string> {
  return (await digestSecret(csrf)).slice(0, 16);
}
