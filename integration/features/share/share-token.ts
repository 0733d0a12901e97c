import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { parseAs } from '../../core/util/json.ts';

/** What a link shows, and until when. */
export interface SharedEntry {
  /** Of the link. */
  readonly id: string;
  /** Name of the resource type. */
  readonly type: string;
  readonly entry: string;
  /** Undefined for the source. */
  readonly translation: string | undefined;
  /** The draft of the entry in `.drafts/`, or the entry itself. */
  readonly version: 'draft' | 'entry';
  /** The page at which it begins, with the base of the site. */
  readonly path: string;
  /** Seconds since the Unix epoch. */
  readonly expires: number;
}

/** UTF-16 units of a token. Paths of pages are much shorter. */
const MAX_UNITS = 6000;
/** Characters of tokens. `~` comes before the signature. */
const TOKEN = /^([\w-]+)~([\w-]{43})$/;

const payloadSchema = z.tuple([
  z.string(),
  z.string(),
  z.string(),
  z.string().nullable(),
  z.enum(['draft', 'entry']),
  z.string(),
  z.int(),
]);

/** The token of a link: its state, its path and its end, with their HMAC-SHA-256. */
export function signShare(shared: SharedEntry, key: string): string {
  const { id, type, entry, translation = null, version, path, expires } = shared;
  const payload: z.input<typeof payloadSchema> = [id, type, entry, translation, version, path, expires];
  const text = Buffer.from(JSON.stringify(payload)).toString('base64url');
  return `${text}~${signatureOf(text, key)}`;
}

/** Undefined unless the token was signed with the key. The comparison takes constant time. */
export function readShare(token: string, key: string): SharedEntry | undefined {
  const [, text = '', given = ''] = (token.length <= MAX_UNITS && TOKEN.exec(token)) || [];
  if (text === '') return undefined;
  if (!timingSafeEqual(Buffer.from(given), Buffer.from(signatureOf(text, key)))) return undefined;
  const payload = parseAs(payloadSchema, Buffer.from(text, 'base64url').toString());
  if (payload === undefined) return undefined;
  const [id, type, entry, translation, version, path, expires] = payload;
  return { id, type, entry, translation: translation ?? undefined, version, path, expires };
}

/** The first line keeps signatures of other texts from being valid here. */
function signatureOf(text: string, key: string): string {
  return createHmac('sha256', key).update(`share-link\n${text}`).digest('base64url');
}
