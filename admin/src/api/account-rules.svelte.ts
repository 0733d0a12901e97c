/** What the server can do with accounts, from the last response about them. */
class AccountRules {
  sendsMail = $state(false);
  /** Why accounts cannot be changed, and what to do instead; empty if they can. */
  readOnly = $state('');

  follow({ mail, readOnly }: Readonly<Record<string, unknown>>): void {
    this.sendsMail = mail === true;
    this.readOnly = typeof readOnly === 'string' ? readOnly : '';
  }
}

export const accountRules = new AccountRules();
