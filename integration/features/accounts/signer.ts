import { base64Url } from '../../core/util/secret.ts';

/**
 * The digest of a random secret, for storage: SHA-256, hexadecimal. Passwords need a slow hash, but 256 random bits cannot
 * be guessed.
 */
export async function digestSecret(secret: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(secret));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** HMAC-SHA-256 of texts under one key. */
export interface Signer {
  sign(text: string): Promise<string>;
  /** Takes constant time. */
  verify(text: string, signature: string): Promise<boolean>;
}

/** `key` contains at least 256 random bits. Signatures are base64url. */
export function createSigner(key: string | Uint8Array<ArrayBuffer>): Signer {
  const bytes = typeof key === 'string' ? new TextEncoder().encode(key) : key;
  const imported = crypto.subtle.importKey('raw', bytes, HMAC, false, ['sign', 'verify']);
  return {
    async sign(text) {
      const signature = await crypto.subtle.sign('HMAC', await imported, new TextEncoder().encode(text));
      return base64Url(new Uint8Array(signature));
    },
    async verify(text, signature) {
      const bytes = fromBase64Url(signature);
      if (bytes === undefined) return false;
      return crypto.subtle.verify('HMAC', await imported, bytes, new TextEncoder().encode(text));
    },
  };
}

/** Undefined if the text is not base64url. */
export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[A-Za-z0-9_-]*$/.test(text) || text.length % 4 === 1) return undefined;
  return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0));
}

const HMAC = { name: 'HMAC', hash: 'SHA-256' } as const;
