/**
 * Addresses of remotes in all forms of git: `https://user:password@host/path`, `ssh://…`, `user@host:path` and paths of
 * files. People also write passwords with a raw `@`, `:` or `/`, of which git takes a part for the host or the path. So a
 * password ends at the last `@` here. Source: git, "Git URLs".
 */

/** Replaces possible parts of a password. */
const MASK = '…';
/** Parts of a password with this length are removed from messages. */
const PART = 3;

interface Address {
  /** `https://`, with the names of remote helpers (`helper::https://`); empty for the form `user@host:path`. */
  readonly scheme: string;
  readonly user: string;
  readonly password: string;
  /** What follows the last `@`. */
  readonly rest: string;
}

/** Undefined for an address without a user: a path, `host:path`, or `https://host/path`. */
function parseAddress(address: string): Address | undefined {
  const [scheme = ''] = SCHEME.exec(address) ?? [];
  if (/file:\/\/$/i.test(scheme)) return undefined;
  const end = address.lastIndexOf('@');
  if (end < scheme.length) return undefined;
  const [user = '', ...others] = address.slice(scheme.length, end).split(':');
  const password = others.join(':');
  const rest = address.slice(end + 1);
  if (scheme === '' && !isShortForm(user, password, rest)) return undefined;
  return { scheme, user, password, rest };
}

/** Of git. A password can have `://` too, so other names before it are users. */
const SCHEME = /^(?:[\w-]+::)*(?:https?|ftps?|ssh|git|git\+ssh|ssh\+git|file):\/\//i;

/** In `host:a@b`, the `@` belongs to a path, and so it does in `../a@b:c`. In `helper://a@b`, it ends credentials. */
function isShortForm(user: string, password: string, rest: string): boolean {
  return !user.includes('/') && (password === '' || password.startsWith('//') || rest.includes(':'));
}

/** The address as messages may show it. The user of `user@host:path` stays: it is that of SSH. */
export function withoutCredentials(address: string): string {
  const parsed = parseAddress(address);
  if (parsed === undefined) return address;
  const { scheme, user, password, rest } = parsed;
  if (scheme !== '') return scheme + rest;
  return password === '' ? address : `${user}@${rest}`;
}

/** What messages must not show. */
export interface Secrets {
  /** Texts of PART characters in passwords, in lower case. */
  readonly parts: ReadonlySet<string>;
  /** Users of addresses of HTTP, which can be tokens. */
  readonly users: readonly string[];
}

export function secretsOf(addresses: readonly string[]): Secrets {
  const parts = new Set<string>();
  const users = new Set<string>();
  for (const parsed of addresses.map(parseAddress)) {
    if (parsed === undefined) continue;
    for (const each of spellings(parsed.password)) {
      for (let at = 0; at + PART <= each.length; at++) parts.add(each.slice(at, at + PART));
    }
    if (!/https?:\/\/$/i.test(parsed.scheme) || parsed.user.length < PART) continue;
    for (const each of spellings(parsed.user)) users.add(each);
  }
  return { parts, users: [...users] };
}

/** A text as it was written, with and without percent-encoding. */
function spellings(text: string): readonly string[] {
  const all = [text, encodeURI(text.toWellFormed()), encodeURIComponent(text.toWellFormed())];
  try {
    all.push(decodeURIComponent(text));
  } catch {
    // A raw % is not an encoding.
  }
  return [...new Set(all.map(lowerCase))];
}

/** A message without the credentials in its URLs, and without the secrets anywhere, also where git has taken a URL apart. */
export function withoutSecrets(message: string, { parts, users }: Secrets): string {
  const text = withoutUrlCredentials(message);
  const lower = lowerCase(text);
  const hidden = new Array<boolean>(text.length).fill(false);
  for (let at = 0; at + PART <= lower.length; at++) {
    if (parts.has(lower.slice(at, at + PART))) hidden.fill(true, at, at + PART);
  }
  for (const user of users) {
    for (let at = lower.indexOf(user); at !== -1; at = lower.indexOf(user, at + 1)) {
      hidden.fill(true, at, at + user.length);
    }
  }
  let shown = '';
  for (const [at, isHidden] of hidden.entries()) {
    if (!isHidden) shown += text[at];
    else if (hidden[at - 1] !== true) shown += MASK;
  }
  return shown;
}

/** Leaves out the user and the password of each URL in a text. */
function withoutUrlCredentials(text: string): string {
  const [first = '', ...others] = text.split('://');
  return [first, ...others.map(withoutUser)].join('://');
}

/** `rest` follows `://`. The URL ends at a blank or a quote. */
function withoutUser(rest: string): string {
  const end = rest.search(/[\s'"<>]/);
  const url = end === -1 ? rest : rest.slice(0, end);
  return rest.slice(url.lastIndexOf('@') + 1);
}

/** In lower case, with the same number of code units. */
function lowerCase(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : [...text].map(lowerCharacter).join('');
}

function lowerCharacter(character: string): string {
  const lower = character.toLowerCase();
  return lower.length === character.length ? lower : character;
}
