import type { SharedState } from '../../core/runtime/shared-state.ts';
import type { Allowance } from '../../core/util/allowances.ts';
import { TooManyRequestsError } from '../../core/util/errors.ts';
import { errorMessage } from '../../core/util/text.ts';
import { type Account, foldName, type LinkPurpose } from './account.ts';
import { type AccountStore, LINK_HOURS } from './accounts.ts';
import { addressKey } from './address.ts';
import type { AuditLog } from './audit-log.ts';
import type { Mailer } from './mail.ts';
import type { Texts } from './sign-in/texts.ts';
import { takeAllowance } from './throttle.ts';

/** Requests of one address: 10 at once, then one every 6 minutes. */
const ADDRESS: Allowance = { burst: 10, seconds: 360 };
/** Mails to one account: 3 at once, then one every 20 minutes. */
const ACCOUNT: Allowance = { burst: 3, seconds: 1200 };
/** Accounts with one e-mail address that get a mail. */
const MAX_ACCOUNTS = 5;

export interface RecoveryDeps {
  readonly accounts: AccountStore;
  readonly audit: AuditLog;
  readonly shared: SharedState;
  /** Undefined if the site sends no mail. */
  readonly mailer: Mailer | undefined;
  /** Milliseconds. */
  readonly now: () => number;
  readonly warn: (message: string) => void;
}

/** Links to choose a password, for people who forgot theirs. */
export interface Recovery {
  readonly sendsMail: boolean;
  /**
   * Sends a link to the account with a name or an e-mail address. Resolves before it looks for the account, so that neither
   * the response nor its time reveals if there is one. Throws TooManyRequestsError for an address that asks too often.
   */
  request(name: string, address: string | undefined, texts: Texts): Promise<void>;
  /** Sends a link to an account. Resolves to false if it could not be sent. Never rejects. */
  sendLink(account: Account, purpose: LinkPurpose, secret: string, texts: Texts): Promise<boolean>;
  /** The path of a link, below the base of the site. */
  pathOf(secret: string): string;
}

export function createRecovery({ accounts, audit, shared, mailer, now, warn }: RecoveryDeps): Recovery {
  const pathOf = (secret: string) => `/user/password?token=${secret}`;

  async function sendLink(
    account: Account,
    purpose: LinkPurpose,
    secret: string,
    texts: Texts,
  ): Promise<boolean> {
    const { name, mail } = account;
    if (mailer === undefined || mail === undefined) return false;
    const isSent = await mailer.send({
      to: mail,
      ...mailText(texts, name, purpose, mailer.address(pathOf(secret))),
    });
    if (!isSent) {
      await audit.record({
        event: 'mail failed',
        result: 'failed',
        account: name,
        by: 'link',
        detail: purpose,
      });
    }
    return isSent;
  }

  async function sendAll(name: string, address: string | undefined, texts: Texts): Promise<void> {
    const folded = foldName(name.trim());
    const found = (await accounts.list()).filter(
      (account) => foldName(account.name) === folded || account.mail?.toLowerCase() === folded,
    );
    const able = found.filter(
      ({ mail, password, blocked }) => mail !== undefined && password !== undefined && blocked !== true,
    );
    const entry = { event: 'link requested', address, by: 'form' } as const;
    if (able.length === 0) {
      await audit.record({ ...entry, result: found[0] ? 'no address' : 'unknown account', account: name });
    }
    for (const account of able.slice(0, MAX_ACCOUNTS)) {
      const seconds = await takeAllowance(shared, `mail ${foldName(account.name)}`, ACCOUNT, now());
      const result = seconds > 0 ? 'throttled' : 'succeeded';
      await audit.record({ ...entry, result, account: account.name });
      if (seconds > 0) continue;
      const { secret } = await accounts.addLink(account.name, 'forgotten');
      void sendLink(account, 'forgotten', secret, texts);
    }
  }

  return {
    sendsMail: mailer !== undefined && accounts.readOnly === undefined,
    sendLink,
    pathOf,
    async request(name, address, texts) {
      const seconds = await takeAllowance(shared, `recovery ${addressKey(address)}`, ADDRESS, now());
      if (seconds > 0) {
        throw new TooManyRequestsError('Too many links were requested from here. Try again later.', seconds);
      }
      // After the response.
      setTimeout(() => {
        sendAll(name, address, texts).catch((error: unknown) =>
          warn(`A link was not made: ${errorMessage(error)}`),
        );
      }, 0);
    },
  };
}

function mailText({ text }: Texts, name: string, purpose: LinkPurpose, link: string) {
  const { host } = new URL(link);
  const hours = LINK_HOURS[purpose];
  const count = String(hours > 48 ? hours / 24 : hours);
  const time = text(hours > 48 ? '{count} days' : hours === 1 ? 'one hour' : '{count} hours', { count });
  const isInvitation = purpose === 'invitation';
  return {
    link,
    subject: text(isInvitation ? 'Your account on {host}' : 'A new password for {host}', { host }),
    text: [
      text(
        isInvitation
          ? 'You are invited to {host}. Your account is “{name}”. Choose a password to sign in:'
          : 'This link is for the account “{name}” on {host}. Choose a new password:',
        { host, name },
      ),
      link,
      text('The link works once, for {time}.', { time }),
      ...(isInvitation
        ? []
        : [text('If you did not ask for it, ignore this mail. Your password stays as it is.')]),
      '',
    ].join('\n\n'),
  };
}
