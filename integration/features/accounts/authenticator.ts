import type { Actor } from '../../core/access/actor.ts';
import { actorOf } from '../../core/access/members.ts';
import type { SharedState } from '../../core/runtime/shared-state.ts';
import type { DomainError } from '../../core/util/errors.ts';
import { ACCESS_TOKEN_PREFIX, createAccessTokens } from './access-token.ts';
import type { Account, Scope } from './account.ts';
import { TOKEN_PREFIX } from './accounts.ts';
import { credentialsRefused, readCredentials, scopeTooSmall, tokenRefused } from './credentials.ts';
import { createPasswordCheck, type PasswordCheckDeps, type SignInInput } from './password-check.ts';
import { digestSecret } from './signer.ts';
import { createSignInThrottle } from './throttle.ts';
import { createTokenEndpoint, type TokenRequest, type TokenResponse } from './token-endpoint.ts';

/** The user of a request. */
export interface Authenticated {
  readonly actor: Actor;
  readonly by: 'session' | 'basic' | 'bearer';
  readonly scope: Scope;
}

/** The account of a session, as plain data. */
export interface SessionAccount {
  readonly name: string;
  /** The account's epoch at sign-in. It changes with the password, with blocking, and with a new account of that name. */
  readonly epoch: string;
}

export interface RequestCredentials {
  /** The `Authorization` header. */
  readonly authorization: string | null;
  readonly session: SessionAccount | undefined;
  /** The client's address, from the adapter. */
  readonly address: string | undefined;
}

/** Identifies users. All methods throw AccountFileError if the accounts cannot be read. */
export interface Authenticator {
  /**
   * The header takes precedence over the session. Null is anonymous: no header, and no session or an ended one (the
   * account was removed or blocked, or its password changed), which the caller should delete. Throws UnauthorizedError
   * for wrong credentials, TooManyRequestsError and ServiceUnavailableError.
   */
  authenticate(request: RequestCredentials): Promise<Authenticated | null>;
  /** Checks a name and password for a new session. Throws the errors of `authenticate`. */
  signIn(input: SignInInput): Promise<{ readonly actor: Actor; readonly session: SessionAccount }>;
  /** Checks the password of an account that is signed in already. False for a wrong one. Throws like `signIn`. */
  confirmPassword(input: SignInInput): Promise<boolean>;
  /** Answers `POST /oauth/token`. */
  requestToken(request: TokenRequest): Promise<TokenResponse>;
  /** The error if the token of a request may only read; undefined if it may write. */
  writeRefusal(who: Authenticated): DomainError | undefined;
}

export interface AuthenticatorDeps extends Omit<PasswordCheckDeps, 'throttle'> {
  /** Counts failed sign-ins. */
  readonly shared: SharedState;
}

export function createAuthenticator({ shared, ...deps }: AuthenticatorDeps): Authenticator {
  const { accounts, now } = deps;
  const accessTokens = createAccessTokens({ accounts, now });
  const checkPassword = createPasswordCheck({ ...deps, throttle: createSignInThrottle(shared, now) });

  async function findByPassword(input: SignInInput, by: 'basic' | 'form'): Promise<Account> {
    const account = await checkPassword(input, by);
    if (account === undefined) throw credentialsRefused('The name or the password is wrong.');
    return account;
  }

  async function findByToken(token: string): Promise<Authenticated> {
    const verified = token.startsWith(ACCESS_TOKEN_PREFIX)
      ? await accessTokens.verify(token)
      : await findStored(token);
    if (verified === undefined) throw tokenRefused('The token is not valid.');
    if (verified.hasExpired) throw tokenRefused('The token has expired.');
    return { actor: actorOf(verified.account), by: 'bearer', scope: verified.scope };
  }

  async function findStored(token: string) {
    if (!token.startsWith(TOKEN_PREFIX)) return undefined;
    const found = await accounts.findToken(await digestSecret(token));
    if (found === undefined || found.account.blocked === true) return undefined;
    const { scope, expires } = found.token;
    return { account: found.account, scope, hasExpired: expires !== null && Date.parse(expires) <= now() };
  }

  async function findBySession({ name, epoch }: SessionAccount): Promise<Authenticated | null> {
    const account = await accounts.find(name);
    if (account === undefined || account.blocked === true || account.epoch !== epoch) return null;
    return { actor: actorOf(account), by: 'session', scope: 'write' };
  }

  return {
    async authenticate({ authorization, session, address }) {
      const credentials = readCredentials(authorization);
      switch (credentials.kind) {
        case 'none':
          return session === undefined ? null : findBySession(session);
        case 'basic': {
          const account = await findByPassword({ ...credentials, address }, 'basic');
          return { actor: actorOf(account), by: 'basic', scope: 'write' };
        }
        case 'bearer':
          return findByToken(credentials.token);
        case 'malformed':
          throw credentialsRefused(`The Authorization header ${credentials.fault}. Send Basic or Bearer.`);
        default:
          return credentials satisfies never;
      }
    },
    async signIn(input) {
      const account = await findByPassword(input, 'form');
      return { actor: actorOf(account), session: { name: account.name, epoch: account.epoch } };
    },
    confirmPassword: async (input) => (await checkPassword(input, 'session')) !== undefined,
    requestToken: createTokenEndpoint({ accounts, accessTokens, audit: deps.audit }),
    writeRefusal: ({ scope }) => (scope === 'write' ? undefined : scopeTooSmall()),
  };
}
