/** Who has made a commit. */
export interface Person {
  readonly name: string;
  readonly mail: string;
}

/**
 * An account as git names people. Without an address of its own it gets one that leads nowhere:
 * `jane@users.noreply.invalid` (RFC 2606 keeps `.invalid` for that).
 */
export function personOf(
  account: string,
  { displayName, mail }: { readonly displayName?: string | undefined; readonly mail?: string | undefined },
): Person {
  const shown = cleaned(displayName ?? '');
  const local = account
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/[^A-Za-z0-9._+-]+/g, '-')
    .replace(/^[-.]+|(?<![-.])[-.]+$/g, '');
  return {
    // Git drops what is no letter or digit from the ends of a name, and refuses one of which nothing is left.
    name: /[\p{L}\p{N}]/u.test(shown) ? shown : cleaned(account),
    mail: mail === undefined ? `${local === '' ? 'account' : local}@users.noreply.invalid` : cleaned(mail),
  };
}

function cleaned(text: string): string {
  return text
    .replace(/[\p{Cc}<>]+/gu, ' ')
    .replace(/ +/g, ' ')
    .trim();
}
