import { z } from 'zod';
import { ADMINISTRATOR_ROLE } from '../../core/access/role.ts';
import { checkJsonApiAccept } from '../../core/api/accept.ts';
import { checkJsonApiBody } from '../../core/api/media-type.ts';
import {
  type ApiRequest,
  addressOf,
  type ChangeRequest,
  noContent,
  type WriteResponse,
} from '../../core/api/request.ts';
import { parseQuery } from '../../core/engine/parse/parse-query.ts';
import { type SerializedBody, writeJson } from '../../core/read/compose.ts';
import { JSONAPI_MEMBER } from '../../core/read/document-types.ts';
import { pathSegments } from '../../core/read/url-path.ts';
import {
  ConflictError,
  type ErrorSource,
  ForbiddenError,
  InvalidEntityError,
  NotFoundError,
  UnauthorizedError,
  type Violation,
  withSource,
} from '../../core/util/errors.ts';
import { isRecord, type JsonObject, type JsonValue } from '../../core/util/json.ts';
import { badBody, escaped, readJson } from '../../core/write/request-json.ts';
import {
  type Account,
  AccountInputError,
  type AccountToken,
  checkExpiry,
  foldName,
  type LinkPurpose,
  SCOPES,
  TOKEN_DAYS,
} from './account.ts';
import type { AccountsContext } from './accounts-context.ts';
import { checkAssignable } from './assignable-roles.ts';
import { rememberSession } from './sessions.ts';
import { textsFor } from './sign-in/texts.ts';

/** Below `/jsonapi`. */
export const ACCOUNTS_SEGMENT = '_accounts';

export interface AccountsRequest extends ApiRequest {
  /** Undefined for anonymous, and on a server without accounts. */
  readonly accounts: AccountsContext | undefined;
}

export interface AccountsChangeRequest extends AccountsRequest, ChangeRequest {}

/** `GET /jsonapi/_accounts`: all accounts in the order in which they were added, and the roles that they can have. */
export async function listAccounts(request: AccountsRequest): Promise<SerializedBody> {
  const accounts = administration(request);
  const all = await accounts.store.list();
  return writeJson({
    jsonapi: JSONAPI_MEMBER,
    data: all.map((account) => accountResource(request, account)),
    meta: { count: all.length, roles: accounts.roles, ...capabilities(accounts) },
    links: { self: { href: accountAddress(request) } },
  });
}

/** `GET /jsonapi/_accounts/{name}`, also for the account itself. */
export async function showAccount(request: AccountsRequest): Promise<SerializedBody> {
  return accountDocument(request, await findAccount(request));
}

/** `POST /jsonapi/_accounts`. */
export async function addAccount(request: AccountsChangeRequest): Promise<WriteResponse> {
  const accounts = administration(request);
  const { id, attributes } = await readBody(request, 'account', NEW_ACCOUNT);
  if (id === undefined) throw badBody('`data.id` is missing: the name of the account.', '/data');
  const { invite, ...input } = attributes;
  if (invite !== undefined && input.password !== undefined) {
    throw invalidAttribute(
      'invite',
      'An invited person chooses the password. Leave out `password` or `invite`.',
    );
  }
  if (invite === 'mail') checkSendsMail(accounts, input.mail, 'invite');
  const account = await pointed(() => {
    checkAssignable(input.roles, accounts.roles);
    checkMayGive(request, input.roles);
    return accounts.store.add({ name: id, ...input });
  });
  const headers = { location: accountAddress(request, account.name), 'cache-control': 'no-store' };
  const link = invite && (await makeLink(request, accounts, account, 'invitation', invite === 'mail'));
  const present = (await accounts.store.find(account.name)) ?? account;
  return { outcome: 'created', written: accountDocument(request, present, link && { link }), headers };
}

/**
 * `PATCH /jsonapi/_accounts/{name}`: all changes or none. People change the names, the mail
 * address and the password of their own account; the last two need the present password. Their session continues when the password
 * changes, and all others of the account end.
 */
export async function changeAccount(request: AccountsChangeRequest): Promise<WriteResponse> {
  const account = await findAccount(request);
  const accounts = signedIn(request);
  const { attributes } = await readBody(request, 'account', ACCOUNT_CHANGES, account.name);
  const { currentPassword, ...changes } = attributes;
  const isOwn = isOwnAccount(request, account.name);
  if (!mayAdminister(request)) checkOwnChanges(Object.keys(changes));
  const isConfirmed =
    changes.password !== undefined || (changes.mail !== undefined && !mayAdminister(request));
  // The mail address gets links for forgotten passwords.
  if (isOwn && isConfirmed) await confirmPassword(accounts, currentPassword);
  const { roles } = changes;
  const changed = await pointed(() => {
    if (roles !== undefined) {
      const added = roles.filter((role) => !account.roles.includes(role));
      checkAssignable(added, accounts.roles);
      checkMayGive(request, added);
    }
    if (!isOwn) checkMayGive(request, account.roles);
    return accounts.store.update(account.name, changes, { keepsAdministrator: true });
  });
  if (isOwn && changes.password !== undefined) {
    await accounts.keepSession(changed);
    await rememberSession(accounts, request);
  }
  return { outcome: 'changed', written: accountDocument(request, changed) };
}

/**
 * `POST /jsonapi/_accounts/{name}/links`: a link with which the person chooses a password. It is shown once, and replaces the
 * one before.
 */
export async function addLink(request: AccountsChangeRequest): Promise<WriteResponse> {
  const accounts = administration(request);
  const account = await findAccount(request);
  checkMayGive(request, account.roles);
  const { attributes } = await readBody(request, 'link', NEW_LINK);
  if (attributes.send) checkSendsMail(accounts, account.mail, 'send');
  const purpose = account.password === undefined ? 'invitation' : 'administrator';
  const link = await makeLink(request, accounts, account, purpose, attributes.send);
  return {
    outcome: 'created',
    written: writeJson({
      jsonapi: JSONAPI_MEMBER,
      data: { type: 'link', id: purpose, attributes: link },
      links: { self: { href: accountAddress(request, account.name, 'links') } },
    }),
    headers: { 'cache-control': 'no-store' },
  };
}

/** `DELETE /jsonapi/_accounts/{name}/links`: revokes the invitation and all other links. */
export async function removeLinks(request: AccountsChangeRequest): Promise<WriteResponse> {
  const accounts = administration(request);
  const account = await findAccount(request);
  checkMayGive(request, account.roles);
  await accounts.store.removeLinks(account.name);
  return noContent({});
}

interface MadeLink {
  readonly purpose: LinkPurpose;
  readonly expires: string;
  /** Null if the link was sent to the person. */
  readonly url: string | null;
  readonly sent: boolean;
}

async function makeLink(
  request: AccountsChangeRequest,
  { store, recovery }: AccountsContext,
  account: Account,
  purpose: LinkPurpose,
  isSent: boolean,
): Promise<MadeLink> {
  const { secret, link } = await store.addLink(account.name, purpose);
  // The mail is sent in the background. An administrator sees in the audit log if that failed.
  if (isSent)
    void recovery.sendLink(account, purpose, secret, textsFor(request.headers.get('accept-language')));
  const { base, siteBase = base, trailingSlash } = request.services.settings;
  const path = recovery.pathOf(secret);
  const url =
    request.target.origin + siteBase + (trailingSlash === 'always' ? path.replace('?', '/?') : path);
  return { purpose, expires: link.expires, url: isSent ? null : url, sent: isSent };
}

function checkSendsMail({ recovery }: AccountsContext, mail: string | undefined, attribute: string): void {
  if (!recovery.sendsMail) {
    throw invalidAttribute(
      attribute,
      'This site sends no mail. Set option editing.mail, or hand the link over.',
    );
  }
  if (mail === undefined) throw invalidAttribute(attribute, 'The account has no e-mail address.');
}

function invalidAttribute(name: string, detail: string): InvalidEntityError {
  return new InvalidEntityError([{ detail, source: { pointer: `/data/attributes/${name}` } }]);
}

/** What the server can do with accounts. */
function capabilities({ store, recovery }: AccountsContext) {
  return { mail: recovery.sendsMail, readOnly: store.readOnly ?? null };
}

/** `DELETE /jsonapi/_accounts/{name}`. */
export async function removeAccount(request: AccountsChangeRequest): Promise<WriteResponse> {
  const accounts = administration(request);
  const { name, roles } = await findAccount(request);
  checkMayGive(request, roles);
  await accounts.store.remove(name, { keepsAdministrator: true });
  return noContent({});
}

/** `GET /jsonapi/_accounts/{name}/tokens`, also for the account itself. Secrets are not stored. */
export async function listTokens(request: AccountsRequest): Promise<SerializedBody> {
  const { name, tokens } = await findAccount(request);
  return writeJson({
    jsonapi: JSONAPI_MEMBER,
    data: tokens.map((token) => tokenResource(request, name, token)),
    meta: { count: tokens.length },
    links: { self: { href: accountAddress(request, name, 'tokens') } },
  });
}

/** `POST /jsonapi/_accounts/{name}/tokens`. The response is the only one that has the secret. */
export async function addToken(request: AccountsChangeRequest): Promise<WriteResponse> {
  const accounts = administration(request);
  const account = await findAccount(request);
  checkMayGive(request, account.roles);
  const { attributes } = await readBody(request, 'token', NEW_TOKEN);
  const now = request.services.clock.now();
  const { secret, token } = await pointed(() => {
    const { expires = new Date(now + TOKEN_DAYS * DAY_MS) } = attributes;
    return accounts.store.addToken(account.name, { ...attributes, expires: checkExpiry(expires, now) });
  });
  const { attributes: stored, ...resource } = tokenResource(request, account.name, token);
  return {
    outcome: 'created',
    written: writeJson({
      jsonapi: JSONAPI_MEMBER,
      data: { ...resource, attributes: { ...stored, token: secret } },
      links: resource.links,
    }),
    headers: { location: resource.links.self.href, 'cache-control': 'no-store' },
  };
}

/** `DELETE /jsonapi/_accounts/{name}/tokens/{id}`, also for the account itself. */
export async function removeToken(request: AccountsChangeRequest): Promise<WriteResponse> {
  const account = await findAccount(request);
  const accounts = signedIn(request);
  if (!isOwnAccount(request, account.name)) checkMayGive(request, account.roles);
  const [, , , id = ''] = pathSegments(request.target.rest);
  await accounts.store.removeToken(account.name, id);
  return noContent({});
}

const DAY_MS = 24 * 3_600_000;

/** The account in the path. Throws ForbiddenError for other accounts, whether they exist or not. */
export async function findAccount(request: AccountsRequest): Promise<Account> {
  const [, name = ''] = pathSegments(request.target.rest);
  const accounts = isOwnAccount(request, name) ? signedIn(request) : administration(request);
  const account = await accounts.store.find(name);
  if (account === undefined) throw new NotFoundError(`The account ${name} does not exist.`);
  return account;
}

/** Checks the headers and the query of a request of a signed-in person. Tokens cannot use accounts. */
export function signedIn({
  accounts,
  actor,
  signIn,
  headers,
  target,
  services,
}: AccountsRequest): AccountsContext {
  checkJsonApiAccept(headers.get('accept'));
  if (actor.name === null) throw new UnauthorizedError('Sign in to use accounts.');
  if (accounts === undefined) throw new NotFoundError('This server has no accounts.');
  if (signIn?.by === 'bearer') {
    throw new ForbiddenError('A token cannot read or change accounts. Sign in with a password.', {
      header: 'Authorization',
    });
  }
  parseQuery(target.query, 'individual', services.settings);
  return accounts;
}

/** The same for everything that only administrators may do. */
export function administration(request: AccountsRequest): AccountsContext {
  const accounts = signedIn(request);
  if (mayAdminister(request)) return accounts;
  throw new ForbiddenError('You may not administer accounts.');
}

function mayAdminister({ access }: ApiRequest): boolean {
  return access.has('administer accounts');
}

/** The author in local mode has no account, even if one has this name. */
export function isOwnAccount({ actor, signIn }: ApiRequest, name: string): boolean {
  return actor.name !== null && signIn?.by !== 'local' && foldName(actor.name) === foldName(name);
}

/** Other roles can administer accounts too, but must not become administrators that way. */
export function checkMayGive({ actor }: ApiRequest, roles: readonly string[]): void {
  if (!roles.includes(ADMINISTRATOR_ROLE) || actor.roles.includes(ADMINISTRATOR_ROLE)) return;
  throw new ForbiddenError('Only administrators may change administrators.');
}

function checkOwnChanges(names: readonly string[]): void {
  const other = names.find((name) => !OWN.includes(name));
  if (other === undefined) return;
  throw new ForbiddenError(`You may change ${OWN.join(', ')} of your account, but not \`${other}\`.`, {
    pointer: `/data/attributes/${other}`,
  });
}

/** What people change of their own accounts. */
const OWN: readonly string[] = ['password', 'displayName', 'mail'];

async function confirmPassword(accounts: AccountsContext, current: string | undefined): Promise<void> {
  const source = { pointer: '/data/attributes/currentPassword' };
  if (current === undefined) {
    throw new InvalidEntityError([
      {
        detail:
          'Send your current password in `currentPassword` to change your password or your e-mail address.',
        source,
      },
    ]);
  }
  if (await accounts.confirmPassword(current)) return;
  throw new InvalidEntityError([{ detail: 'The current password is wrong.', source }]);
}

export function accountAddress(request: AccountsRequest, ...below: readonly string[]): string {
  return addressOf(request, ACCOUNTS_SEGMENT, ...below);
}

function accountDocument(request: AccountsRequest, account: Account, meta: object = {}): SerializedBody {
  const data = accountResource(request, account);
  return writeJson({
    jsonapi: JSONAPI_MEMBER,
    data,
    meta: { ...capabilities(signedIn(request)), ...meta },
    links: { self: data.links.self },
  });
}

function accountResource(request: AccountsRequest, account: Account) {
  const {
    name,
    displayName = null,
    mail = null,
    roles,
    blocked,
    password,
    tokens,
    clients,
    links = [],
  } = account;
  const link = links.find(({ purpose }) => purpose !== 'forgotten');
  return {
    type: 'account',
    id: name,
    attributes: {
      ...{ displayName, mail, roles, blocked: blocked === true, hasPassword: password !== undefined },
      link: link === undefined ? null : { purpose: link.purpose, expires: link.expires },
    },
    meta: { tokens: tokens.length, clients: clients.length },
    links: {
      self: { href: accountAddress(request, name) },
      tokens: { href: accountAddress(request, name, 'tokens') },
    },
  };
}

function tokenResource(request: AccountsRequest, name: string, { id, hash: _, ...attributes }: AccountToken) {
  return {
    type: 'token',
    id,
    attributes,
    links: { self: { href: accountAddress(request, name, 'tokens', id) } },
  };
}

const NEW_ACCOUNT = z.strictObject({
  roles: z.array(z.string()).default([]),
  password: z.string().optional(),
  /** Makes a link with which the person chooses a password: to hand over, or sent by mail. */
  invite: z.enum(['link', 'mail']).optional(),
  displayName: z.string().optional(),
  mail: z.string().optional(),
});

const ACCOUNT_CHANGES = z.strictObject({
  roles: z.array(z.string()).optional(),
  blocked: z.boolean().optional(),
  /** Null removes it: the account can use its tokens only. */
  password: z.string().nullable().optional(),
  /** The present password of the sender. */
  currentPassword: z.string().optional(),
  displayName: z.string().nullable().optional(),
  mail: z.string().nullable().optional(),
});

const NEW_LINK = z.strictObject({ send: z.boolean().default(false) });

const NEW_TOKEN = z.strictObject({
  label: z.string().default(''),
  scope: z.enum(SCOPES).default('read'),
  /** Null: it does not expire. */
  expires: z.iso
    .datetime({ offset: true })
    .transform((time) => new Date(time))
    .nullable()
    .optional(),
});

/**
 * Reads the resource object of a request. Throws ConflictError if its type or id differs from the address, and
 * InvalidEntityError with all errors of its attributes.
 */
async function readBody<Attributes>(
  request: AccountsChangeRequest,
  type: string,
  schema: z.ZodType<Attributes> & { readonly shape: object },
  addressed?: string,
): Promise<{ readonly id: string | undefined; readonly attributes: Attributes }> {
  checkJsonApiBody(request);
  const document = readJson(await request.body('bodyBytes'));
  const data: JsonValue | undefined = isRecord(document) ? document.data : undefined;
  if (!isRecord(data)) throw badBody('`data` must be a resource object.', '/data');
  if (data.type !== type) {
    throw new ConflictError(`\`data.type\` must be '${type}' here.`, { pointer: '/data/type' });
  }
  const { id } = data as JsonObject;
  if (id !== undefined && typeof id !== 'string') throw badBody('`data.id` must be a string.', '/data/id');
  if (addressed !== undefined && foldName(id ?? '') !== foldName(addressed)) {
    throw new ConflictError(`\`data.id\` must be '${addressed}', as in the URL.`, { pointer: '/data/id' });
  }
  const result = schema.safeParse(data.attributes ?? {});
  if (result.success) return { id, attributes: result.data };
  const [first, ...others] = result.error.issues.flatMap((issue) => violationsOf(issue, schema.shape));
  throw first === undefined
    ? badBody('`attributes` are not valid.')
    : new InvalidEntityError([first, ...others]);
}

function violationsOf(issue: z.core.$ZodIssue, shape: object): readonly Violation[] {
  if (issue.code !== 'unrecognized_keys') {
    return [{ detail: `${issue.message}.`, source: attributeAt(issue.path) }];
  }
  const detail = `This attribute does not exist. Attributes: ${Object.keys(shape).join(', ')}.`;
  return issue.keys.map((key) => ({ detail, source: attributeAt([key]) }));
}

function attributeAt(path: readonly PropertyKey[]): ErrorSource {
  return { pointer: `/data/attributes${path.map((step) => `/${escaped(String(step))}`).join('')}` };
}

/** Adds the pointer to errors of the input. */
async function pointed<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AccountInputError)) throw error;
    const pointer = POINTERS[error.field];
    throw pointer === undefined || error.reason === 'not-found'
      ? error
      : withSource(error, () => ({ pointer }));
  }
}

const POINTERS: { readonly [field in AccountInputError['field']]?: string } = {
  name: '/data/id',
  displayName: '/data/attributes/displayName',
  roles: '/data/attributes/roles',
  mail: '/data/attributes/mail',
  password: '/data/attributes/password',
  label: '/data/attributes/label',
  expires: '/data/attributes/expires',
};
