/** Author or committer of a commit. */
export interface Person {
  readonly name: string;
  readonly mail: string;
}

/**
 * An account as a git author. Without a mail address of its own, it gets one that cannot receive mail:
 * `jane@users.noreply.invalid` (RFC 2606 reserves `.invalid`).
 */
export function personOf(
  account: string,
  { displayName, mail }: { readonly displayName?: string | undefined; readonly mail?: string | undefined },
): Person {
  const name = clean(displayName ?? '');
  const local = account
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/[^A-Za-z0-9._+-]+/g, '-')
    .replace(/^[-.]+|(?<![-.])[-.]+$/g, '');
  return {
    // Git strips punctuation from both ends of a name, and refuses a name of which nothing is left.
    name: /[\p{L}\p{N}]/u.test(name) ? name : clean(account),
    mail: mail === undefined ? `${local === '' ? 'account' : local}@users.noreply.invalid` : clean(mail),
  };
}

function clean(text: string): string {
  return text
    .replace(/[\p{Cc}<>]+/gu, ' ')
    .replace(/ +/g, ' ')
    .trim();
}
