import { noContent, type WriteResponse } from '../../core/api/request.ts';
import { type SerializedBody, writeJson } from '../../core/read/compose.ts';
import { JSONAPI_MEMBER } from '../../core/read/document-types.ts';
import {
  type AccountsChangeRequest,
  type AccountsRequest,
  accountAddress,
  checkMayGive,
  findAccount,
  isOwnAccount,
  signedIn,
} from './accounts-api.ts';
import { findSessions, rememberSession } from './sessions.ts';

/** `GET /jsonapi/_accounts/{name}/sessions`, also for the account itself. */
export async function listSessions(request: AccountsRequest): Promise<SerializedBody> {
  const account = await findAccount(request);
  const accounts = signedIn(request);
  const { shared, session } = accounts;
  const isOwn = isOwnAccount(request, account.name);
  if (isOwn) await rememberSession(accounts, request);
  const { sessions, own } = await findSessions(shared, account, isOwn ? session : undefined);
  return writeJson({
    jsonapi: JSONAPI_MEMBER,
    data: sessions.map(({ id, epoch: _, ...attributes }) => ({
      type: 'session',
      id,
      attributes: { ...attributes, isOwn: id === own },
    })),
    meta: { count: sessions.length },
    links: { self: { href: accountAddress(request, account.name, 'sessions') } },
  });
}

/** `DELETE /jsonapi/_accounts/{name}/sessions`: ends all sessions of an account but the one of the request. */
export async function endSessions(request: AccountsChangeRequest): Promise<WriteResponse> {
  const account = await findAccount(request);
  const accounts = signedIn(request);
  const isOwn = isOwnAccount(request, account.name);
  if (!isOwn) checkMayGive(request, account.roles);
  const changed = await accounts.store.endSessions(account.name);
  if (isOwn) {
    await accounts.keepSession(changed);
    await rememberSession(accounts, request);
  }
  return noContent({});
}
