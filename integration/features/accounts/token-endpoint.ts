import { ACCESS_TOKEN_SECONDS, type AccessTokens } from './access-token.ts';
import type { AccountClient, Scope } from './account.ts';
import type { AccountStore } from './accounts.ts';
import type { AuditLog } from './audit-log.ts';
import { type Credentials, readCredentials } from './credentials.ts';
import { digestSecret } from './signer.ts';

export interface TokenRequest {
  readonly authorization: string | null;
  readonly contentType: string | null;
  readonly body: string;
  /** The address of the client, from the adapter. */
  readonly address?: string | undefined;
}

/** Sent as JSON. */
export type TokenResponse = TokenGrant | TokenRefusal;

export interface TokenGrant {
  readonly token_type: 'Bearer';
  /** Seconds. */
  readonly expires_in: number;
  readonly access_token: string;
  readonly scope: Scope;
}

export interface TokenRefusal {
  readonly error: 'invalid_request' | 'invalid_client' | 'unsupported_grant_type';
  readonly error_description: string;
  /** The same text, for next-drupal. */
  readonly message: string;
}

export interface TokenEndpointDeps {
  readonly accounts: AccountStore;
  readonly accessTokens: AccessTokens;
  readonly audit: AuditLog;
}

/**
 * `POST /oauth/token` of OAuth 2 (RFC 6749, 4.4, client credentials). A client identifies itself with HTTP Basic, like
 * next-drupal, or in the form, like drupal-state and @drupal-api-client. The scope `read` without `write` restricts the
 * token; other scopes, which are role names in Drupal, are ignored, and the response contains the granted scope. Does not
 * throw for invalid requests; throws AccountFileError.
 *
 * Requests are not limited, because random secrets cannot be guessed.
 */
export function createTokenEndpoint({ accounts, accessTokens, audit }: TokenEndpointDeps) {
  async function findClient(
    id: string,
    secret: string,
    address: string | undefined,
  ): Promise<AccountClient | undefined> {
    const digest = await digestSecret(secret);
    const found = await accounts.findClient(id);
    const isRight = found !== undefined && found.account.blocked !== true && found.client.hash === digest;
    const entry = { event: 'sign-in', address, by: 'client', detail: found?.client.id } as const;
    void audit.record({
      ...entry,
      result: isRight ? 'succeeded' : 'wrong client',
      account: found?.account.name ?? id,
    });
    return isRight ? found.client : undefined;
  }

  return async ({ authorization, contentType, body, address }: TokenRequest): Promise<TokenResponse> => {
    if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(contentType?.trim() ?? '')) {
      return refusal('invalid_request', 'Send a form: Content-Type: application/x-www-form-urlencoded.');
    }
    const form = new URLSearchParams(body);
    const repeated = PARAMETERS.find((name) => form.getAll(name).length > 1);
    if (repeated !== undefined) return refusal('invalid_request', `${repeated} is given twice.`);
    const credentials = readCredentials(authorization);
    const identity = identify(credentials, form);
    if (typeof identity === 'string') return refusal('invalid_request', identity);
    const client = identity && (await findClient(identity.id, identity.secret, address));
    if (client === undefined) {
      return refusal('invalid_client', 'The client or its secret is wrong, or they are missing.');
    }
    const grant = form.get('grant_type');
    if (grant === null) return refusal('invalid_request', 'grant_type is missing: client_credentials.');
    if (grant !== 'client_credentials') {
      return refusal('unsupported_grant_type', 'The only grant_type here is client_credentials.');
    }
    const scope = grantedScope(form.get('scope'), client.scope);
    const token = await accessTokens.issue(client, scope);
    return { token_type: 'Bearer', expires_in: ACCESS_TOKEN_SECONDS, access_token: token, scope };
  };
}

/** RFC 6749, section 3.2: each can be sent once. */
const PARAMETERS = ['grant_type', 'client_id', 'client_secret', 'scope'];

/** The client's id and secret; undefined if they are missing; an error message if they are contradictory. */
function identify(
  credentials: Credentials,
  form: URLSearchParams,
): { readonly id: string; readonly secret: string } | string | undefined {
  const secret = form.get('client_secret');
  const id = form.get('client_id');
  if (credentials.kind === 'none') return id === null || secret === null ? undefined : { id, secret };
  if (credentials.kind !== 'basic') return undefined;
  if (secret !== null)
    return 'Send the secret either in the Authorization header or in the form, not in both.';
  const name = formDecoded(credentials.name);
  if (id !== null && id !== name) return 'client_id and the Authorization header identify different clients.';
  return { id: name, secret: formDecoded(credentials.password) };
}

/** RFC 6749, section 2.3.1: both parts are form-encoded, which does not change our ids and secrets. */
function formDecoded(text: string): string {
  return new URLSearchParams(`x=${text.replaceAll('&', '%26')}`).get('x') ?? '';
}

function grantedScope(requested: string | null, max: Scope): Scope {
  const scopes = requested?.split(' ') ?? [];
  return scopes.includes('read') && !scopes.includes('write') ? 'read' : max;
}

function refusal(error: TokenRefusal['error'], text: string): TokenRefusal {
  return { error, error_description: text, message: text };
}
