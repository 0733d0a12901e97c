import { UnsafeKeyError } from './errors.ts';
import { normalizeKey } from './key.ts';

/**
 * The key in its one form, for whoever writes or removes. Throws UnsafeKeyError for one that leads out of the content
 * folder or has a hidden name, such as those of `.git`: content never has one.
 */
export function requireWritableKey(key: string): string {
  const normalized = normalizeKey(key);
  if (normalized === undefined) throw new UnsafeKeyError(key, 'is not a path inside the content folder.');
  if (isHidden(normalized)) {
    throw new UnsafeKeyError(key, 'has a name that starts with a dot, as no content has.');
  }
  return normalized;
}

/** Whether a name in the key starts with a dot for some file system. */
export function isHidden(key: string): boolean {
  return key.split('/').some((name) => HIDDEN.test(name.replace(UNSEEN, '')));
}

/**
 * Why no new file or folder should have a name, as the end of a sentence that starts with the key; undefined where
 * every file system and git on every system can have it.
 */
export function nameProblem(name: string): string | undefined {
  return PROBLEMS.find(([, isSo]) => isSo(name))?.[0];
}

/** Tells names that are one with `name` on file systems that ignore case, or how accents are composed. */
export function clashesWith(name: string): (other: string) => boolean {
  const folded = fold(name);
  const isAscii = ASCII.test(name);
  // A folder may have very many names, and folding is slow: nearly all of them are of another length.
  return (other) =>
    (other.length === name.length || !isAscii || !ASCII.test(other)) && fold(other) === folded;
}

/** What to say of a key, one of whose names `present` differs from in case or composition alone. */
export function clashWith(present: string): string {
  return `differs from ${JSON.stringify(present)}, which is there already, in upper and lower case alone. Choose another name.`;
}

/** UTF-8 bytes in one name, as file systems of today have them. */
export const MAX_NAME_BYTES = 255;

// 8.3 names lead to `.git` on NTFS; HFS+ does not see the characters of UNSEEN.
const HIDDEN = /^(\.|git~\d)/i;
const UNSEEN = /[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;
const NOT_ON_WINDOWS = /[<>:"|?*\\]/;
/** Whatever follows the first dot. Source: Microsoft, "Naming Files, Paths, and Namespaces". */
const RESERVED = /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³]) *(\.|$)/i;

// biome-ignore lint/suspicious/noControlCharactersInRegex: every character of ASCII.
const ASCII = /^[\u0000-\u007f]*$/;

function fold(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

const encoder = new TextEncoder();

const PROBLEMS: readonly (readonly [reason: string, isSo: (name: string) => boolean])[] = [
  ['has control characters in a name.', (name) => CONTROL.test(name)],
  ['has a name that is not whole Unicode text.', (name) => !name.isWellFormed()],
  ['has one of < > : " | ? * \\ in a name, which Windows refuses.', (name) => NOT_ON_WINDOWS.test(name)],
  ['has a name that ends with a dot or a space, which Windows drops.', (name) => /[. ]$/.test(name)],
  ['has a name that Windows reserves for devices, such as con or nul.', (name) => RESERVED.test(name)],
  [
    `has a name of more than ${MAX_NAME_BYTES} bytes.`,
    (name) => encoder.encode(name).length > MAX_NAME_BYTES,
  ],
];
