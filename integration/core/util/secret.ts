/** A new secret: the prefix, by which people and secret scanners recognize it, and 256 random bits. */
export function randomSecret(prefix: string): string {
  return prefix + randomId(32);
}

/** `bytes` random bytes as base64url. */
export function randomId(bytes: number): string {
  return base64Url(crypto.getRandomValues(new Uint8Array(bytes)));
}

export function base64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}
