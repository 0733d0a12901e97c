import { z } from 'zod';
import { parseAs } from '../../core/util/json.ts';
import { base64Url } from '../../core/util/secret.ts';
import { type Account, type AccountClient, SCOPES, type Scope } from './account.ts';
import type { AccountStore } from './accounts.ts';
import { createSigner, fromBase64Url, type Signer } from './signer.ts';

/** The lifetime of an access token in seconds. */
export const ACCESS_TOKEN_SECONDS = 300;
/** For requests that are sent just before the token expires. */
const LEEWAY_SECONDS = 30;
export const ACCESS_TOKEN_PREFIX = 'ajo_';

/**
 * Access tokens from `/oauth/token`. They are not stored: a token contains its client, scope and expiry, signed with the
 * key in the accounts file. So it is valid after a restart and on every server with that file. The signature includes the
 * digest of the client's secret, so removing or replacing the client invalidates its tokens. Tokens of blocked accounts
 * are refused.
 */
export interface AccessTokens {
  issue(client: AccountClient, scope: Scope): Promise<string>;
  /** Undefined for an invalid token. */
  verify(token: string): Promise<VerifiedToken | undefined>;
}

export interface VerifiedToken {
  readonly account: Account;
  readonly scope: Scope;
  readonly hasExpired: boolean;
}

export interface AccessTokensDeps {
  readonly accounts: AccountStore;
  /** Milliseconds. */
  readonly now: () => number;
}

export function createAccessTokens({ accounts, now }: AccessTokensDeps): AccessTokens {
  let signer: (Signer & { readonly key: string }) | undefined;

  async function currentSigner(): Promise<Signer | undefined> {
    const key = await accounts.tokenKey();
    if (key === undefined) return undefined;
    if (signer?.key !== key) signer = { key, ...createSigner(key) };
    return signer;
  }

  return {
    async issue(client, scope) {
      const until = Math.floor(now() / 1000) + ACCESS_TOKEN_SECONDS;
      const content: Claims = { client: client.id, scope, until };
      const claims = base64Url(new TextEncoder().encode(JSON.stringify(content)));
      const signed = await (await currentSigner())?.sign(signedText(claims, client));
      // The file that has the client also has the key.
      if (signed === undefined) throw new Error('The accounts file was removed.');
      return `${ACCESS_TOKEN_PREFIX}${claims}.${signed}`;
    },
    async verify(token) {
      const [claims = '', signature = ''] = token.slice(ACCESS_TOKEN_PREFIX.length).split('.');
      const read = decode(claims);
      const found = read && (await accounts.findClient(read.client));
      if (read === undefined || found === undefined || found.account.blocked === true) return undefined;
      const isOurs = await (await currentSigner())?.verify(signedText(claims, found.client), signature);
      if (isOurs !== true) return undefined;
      // The client may have been restricted since.
      const scope = found.client.scope === 'read' ? 'read' : read.scope;
      return { account: found.account, scope, hasExpired: read.until + LEEWAY_SECONDS < now() / 1000 };
    },
  };
}

const claimsSchema = z.strictObject({
  client: z.string(),
  scope: z.enum(SCOPES),
  /** Seconds since 1970. */
  until: z.int(),
});

type Claims = z.output<typeof claimsSchema>;

function signedText(claims: string, { hash }: AccountClient): string {
  return `${claims}.${hash}`;
}

function decode(encoded: string): Claims | undefined {
  const bytes = fromBase64Url(encoded);
  return bytes && parseAs(claimsSchema, new TextDecoder().decode(bytes));
}
