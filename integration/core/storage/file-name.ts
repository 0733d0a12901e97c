import { UnsafeKeyError } from './errors.ts';
import { normalizeKey } from './key.ts';

/**
 * The canonical key of a file to write or remove. Throws UnsafeKeyError if it leads out of the content folder or
 * contains a hidden name such as `.git`.
 */
export function requireWritableKey(key: string): string {
  const normalized = normalizeKey(key);
  if (normalized === undefined) throw new UnsafeKeyError(key, 'is not a path inside the content folder.');
  if (isHidden(normalized.replace(OWN_FOLDER, ''))) {
    throw new UnsafeKeyError(key, 'contains a name that starts with a dot. Content files cannot be hidden.');
  }
  return normalized;
}

/** True if a name in the key starts with a dot on some file system. */
export function isHidden(key: string): boolean {
  return key.split('/').some((name) => HIDDEN.test(name.replace(UNSEEN, '')));
}

/**
 * Why a new file or folder cannot have this name, as the end of a sentence that starts with the key. Undefined if all
 * file systems, and git on all systems, accept the name.
 */
export function nameProblem(name: string): string | undefined {
  return PROBLEMS.find(([, matches]) => matches(name))?.[0];
}

/**
 * Finds the name among `names` that is equal to another one on file systems that ignore case or Unicode composition, but
 * is spelled differently.
 */
export function createClashFinder(names: Iterable<string>): (other: string) => string | undefined {
  const byFolded = new Map<string, string>();
  const lengths = new Set<number>();
  let isAscii = true;
  for (const name of names) {
    byFolded.set(fold(name), name);
    lengths.add(name.length);
    isAscii &&= ASCII.test(name);
  }
  return (other) => {
    // Folding is slow, and nearly all names of a large folder have another length.
    if (isAscii && !lengths.has(other.length) && ASCII.test(other)) return undefined;
    const name = byFolded.get(fold(other));
    return name === other ? undefined : name;
  };
}

/** The end of a message about a key that differs from an existing name only in case or Unicode composition. */
export function clashMessage(present: string): string {
  return `differs from the existing ${JSON.stringify(present)} only in upper and lower case. Choose another name.`;
}

/** Throws UnsafeKeyError if no file can have this normalized key beside the present ones, on some file system or in git. */
export function requireNewKey(key: string, presentKeys: Iterable<string>): void {
  const names = key.split('/');
  const newNames = new Set(names);
  for (const present of presentKeys) {
    const presentNames = present.split('/');
    const at = names.findIndex((name, index) => name !== presentNames[index]);
    for (const name of at === -1 ? names : names.slice(0, at)) newNames.delete(name);
    const [name, other] = [names[at], presentNames[at]];
    if (name === undefined) throw nameTaken(key, names.at(-1), 'folder');
    if (other === undefined) throw nameTaken(key, presentNames.at(-1), 'file');
    if (createClashFinder([name])(other) !== undefined) throw new UnsafeKeyError(key, clashMessage(other));
  }
  for (const name of newNames) {
    const problem = nameProblem(name);
    if (problem !== undefined) throw new UnsafeKeyError(key, problem);
  }
}

function nameTaken(key: string, name: string | undefined, what: string): UnsafeKeyError {
  return new UnsafeKeyError(key, `cannot be a file: ${JSON.stringify(name)} is a ${what}.`);
}

/** The limit of common file systems for one name, in UTF-8 bytes. */
export const MAX_NAME_BYTES = 255;

/** The hidden folders in which the server writes: deleted entries, drafts with errors, and templates. */
const OWN_FOLDER = /^\.(?:bin|drafts|templates)\//;

// On NTFS, the 8.3 name `git~1` is `.git`. HFS+ ignores the characters in UNSEEN.
const HIDDEN = /^(\.|git~\d)/i;
const UNSEEN = /[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters.
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;
const NOT_ON_WINDOWS = /[<>:"|?*\\]/;
/** With any extension. Source: Microsoft, "Naming Files, Paths, and Namespaces". */
const RESERVED = /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³]) *(\.|$)/i;

// biome-ignore lint/suspicious/noControlCharactersInRegex: every character of ASCII.
const ASCII = /^[\u0000-\u007f]*$/;

function fold(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

const encoder = new TextEncoder();

const PROBLEMS: readonly (readonly [reason: string, matches: (name: string) => boolean])[] = [
  ['contains control characters in a name.', (name) => CONTROL.test(name)],
  ['contains a name that is not valid Unicode.', (name) => !name.isWellFormed()],
  [
    'contains one of < > : " | ? * \\ in a name, which Windows does not allow.',
    (name) => NOT_ON_WINDOWS.test(name),
  ],
  ['contains a name that ends with a dot or a space, which Windows removes.', (name) => /[. ]$/.test(name)],
  ['contains a name that Windows reserves for devices, such as con or nul.', (name) => RESERVED.test(name)],
  [
    `contains a name of more than ${MAX_NAME_BYTES} bytes.`,
    (name) => encoder.encode(name).length > MAX_NAME_BYTES,
  ],
];
