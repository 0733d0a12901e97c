import type { ChangeRequest, WriteResponse } from '../../core/api/request.ts';
import { NotFoundError, UnauthorizedError } from '../../core/util/errors.ts';

/** Headers with a signature of the body: HMAC-SHA256 as hexadecimal digits, on GitHub after `sha256=`. */
const SIGNATURES = ['x-hub-signature-256', 'x-forgejo-signature', 'x-gitea-signature'];
/** GitLab sends the secret itself. */
const TOKEN = 'x-gitlab-token';

/**
 * Receives the webhook of a git host, and makes the server look at the branch. Sources: GitHub, "Validating webhook
 * deliveries"; Forgejo, "Webhooks"; GitLab, "Webhooks".
 */
export async function receiveGitHook(
  { services, headers, body }: ChangeRequest,
  secret: string | undefined,
): Promise<WriteResponse> {
  const { replica } = services;
  if (secret === undefined || replica?.lookSoon === undefined)
    throw new NotFoundError('This server accepts no webhooks. Its log says why.');
  const name = [...SIGNATURES, TOKEN].find((each) => headers.has(each));
  if (name === undefined) {
    throw new UnauthorizedError(`The request needs one of the headers ${[...SIGNATURES, TOKEN].join(', ')}.`);
  }
  const text = await body('bodyBytes');
  const given = headers.get(name) ?? '';
  const key = await hmacKey(secret);
  const isValid = name === TOKEN ? await isEqual(key, given, secret) : await isSignature(key, given, text);
  if (!isValid) {
    throw new UnauthorizedError(`${name} does not fit the secret of this server.`, { header: name });
  }
  const ref = refOf(text);
  const branch = replica.branch();
  const isOther = ref !== undefined && branch !== undefined && ref !== `refs/heads/${branch}`;
  if (isOther) return { outcome: 'empty', written: null };
  replica.lookSoon();
  return { outcome: 'pending', written: null };
}

const encoder = new TextEncoder();
const HMAC = { name: 'HMAC', hash: 'SHA-256' } as const;

function hmacKey(secret: string): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', encoder.encode(secret), HMAC, false, ['sign', 'verify']);
}

/** Takes the same time for every signature of this length. */
async function isSignature(key: CryptoKey, given: string, text: string): Promise<boolean> {
  const digits = given.replace(/^sha256=/, '');
  if (!/^[\da-f]{64}$/i.test(digits)) return false;
  return crypto.subtle.verify('HMAC', key, bytesOf(digits), encoder.encode(text));
}

function bytesOf(digits: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

/** Takes the same time for every text of this length. */
async function isEqual(key: CryptoKey, given: string, expected: string): Promise<boolean> {
  const signature = await crypto.subtle.sign('HMAC', key, encoder.encode(given));
  return crypto.subtle.verify('HMAC', key, signature, encoder.encode(expected));
}

/** The ref that was pushed; undefined for other events, such as the first one of a webhook. */
function refOf(text: string): string | undefined {
  try {
    // GitHub can send a form.
    const json = text.startsWith('payload=') ? (new URLSearchParams(text).get('payload') ?? '') : text;
    const event: unknown = JSON.parse(json);
    const ref = typeof event === 'object' && event !== null && 'ref' in event ? event.ref : undefined;
    return typeof ref === 'string' ? ref : undefined;
  } catch {
    return undefined;
  }
}
