import { z } from 'zod';
import { type Account, type AccountClient, SCOPES, type Scope } from './account.ts';
import type { AccountStore } from './accounts.ts';
import { base64Url, createSigner, fromBase64Url, type Signer } from './secret.ts';

/** Seconds for which a client may use the token it was given. */
export const ACCESS_TOKEN_SECONDS = 300;
/** A client that uses a token at its last moment is not refused because the request took its time. */
const LEEWAY_SECONDS = 30;
export const ACCESS_TOKEN_PREFIX = 'ajo_';

/**
 * The tokens that `/oauth/token` gives to clients. Nothing is stored of them: a token says whose it is, what for and
 * until when, signed under the key of the accounts file. So it outlives a restart and holds on every server that has
 * the file, and giving one writes nothing, though some clients ask for one with each page. The signature covers the
 * digest of the client's secret too: once the client is removed, or made anew, its tokens are void, and those of a
 * blocked account are refused.
 */
export interface AccessTokens {
  issue(client: AccountClient, scope: Scope): Promise<string>;
  /** Undefined for what is no such token, and for one that is void. */
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
      const claims = encode({ client: client.id, scope, until });
      const signed = await (await currentSigner())?.sign(signedText(claims, client));
      // A client is found in the file that has the key.
      if (signed === undefined) throw new Error('There are no accounts any more.');
      return `${ACCESS_TOKEN_PREFIX}${claims}.${signed}`;
    },
    async verify(token) {
      const [claims = '', signature = ''] = token.slice(ACCESS_TOKEN_PREFIX.length).split('.');
      const read = decode(claims);
      const found = read && (await accounts.findClient(read.client));
      if (read === undefined || found === undefined || found.account.blocked === true) return undefined;
      const isOurs = await (await currentSigner())?.verify(signedText(claims, found.client), signature);
      if (isOurs !== true) return undefined;
      // What the client may do now holds, should it have been lowered since.
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

function encode(claims: Claims): string {
  return base64Url(new TextEncoder().encode(JSON.stringify(claims)));
}

function decode(encoded: string): Claims | undefined {
  const bytes = fromBase64Url(encoded);
  if (bytes === undefined || bytes.length === 0) return undefined;
  try {
    return claimsSchema.parse(JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    return undefined;
  }
}
