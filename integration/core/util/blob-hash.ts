const encoder = new TextEncoder();
/** Hexadecimal digits of a hash in repositories with SHA-256. */
const SHA256_DIGITS = 64;

/** The hash of a blob in a repository whose hashes have this many digits: 40 (the default) or 64. Source: git, "gitformat-pack". */
export async function blobHash(bytes: Uint8Array, digits?: number): Promise<string> {
  const header = encoder.encode(`blob ${bytes.length}\0`);
  const object = new Uint8Array(header.length + bytes.length);
  object.set(header);
  object.set(bytes, header.length);
  const digest = await crypto.subtle.digest(digits === SHA256_DIGITS ? 'SHA-256' : 'SHA-1', object);
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
