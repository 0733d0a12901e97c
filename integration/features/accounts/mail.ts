import { optionValue, variableIn } from '../../core/options/fields.ts';
import { SIGNING_SECRET, signedHeaders } from '../../core/runtime/signed-hook.ts';
import type { Site } from '../../core/runtime/site.ts';
import { randomId } from '../../core/util/secret.ts';
import { errorMessage } from '../../core/util/text.ts';
import type { MailOption } from './options.ts';

export interface Mail {
  /** An e-mail address. */
  readonly to: string;
  readonly subject: string;
  /** Contains the link. */
  readonly text: string;
  readonly link: string;
}

/** Sends mails in the background. */
export interface Mailer {
  /** Resolves to false if the mail could not be sent, after three attempts. Never rejects. */
  send(mail: Mail): Promise<boolean>;
  /** An address of the site, for a path below its base. It never depends on a request, which could name another host. */
  address(path: string): string;
}

export interface MailerDeps {
  readonly option: MailOption;
  readonly environment: NonNullable<Site['environment']>;
  readonly settings: Pick<Site['settings'], 'site' | 'base' | 'trailingSlash'>;
  readonly warn: (message: string) => void;
  readonly fetch?: typeof globalThis.fetch;
  /** Milliseconds before the second attempt and the third one. */
  readonly delays?: readonly number[];
}

const DELAYS = [2000, 30_000];
/** Mails that wait or are on their way. */
const MAX_MAILS = 100;
const TIMEOUT_MS = 15_000;

/** Undefined if the site's address or a variable is missing, which is logged. */
export function createMailer(deps: MailerDeps): Mailer | undefined {
  const { option, environment, settings, warn, fetch = globalThis.fetch, delays = DELAYS } = deps;
  const { site, base, trailingSlash } = settings;
  if (site === undefined) {
    warn(
      'Option editing.mail needs `site` in astro.config, which links in mails begin with. No mail is sent.',
    );
    return undefined;
  }
  const named = 'smtp' in option ? [option.smtp] : [option.webhook, option.secret];
  const [target = '', secret = ''] = named.map((value) => optionValue(value, environment));
  const missing = named.find((value) => optionValue(value, environment) === undefined);
  if (missing !== undefined) {
    warn(`Option editing.mail: the environment variable ${variableIn(missing)} is not set. No mail is sent.`);
    return undefined;
  }
  if ('webhook' in option && !SIGNING_SECRET.test(secret)) {
    warn(
      'Option editing.mail: the secret must be whsec_ and at least 24 bytes in base64, such as from: echo "whsec_$(openssl rand -base64 32)". No mail is sent.',
    );
    return undefined;
  }
  const deliver = 'smtp' in option ? bySmtp(target, option.from) : byWebhook(target, secret, fetch);
  let count = 0;

  async function attempt(mail: Mail): Promise<boolean> {
    for (const delay of [...delays, undefined]) {
      try {
        await deliver(mail);
        return true;
      } catch (error) {
        // Messages can contain the address, which has a password.
        const reason = errorMessage(error).replaceAll(target, '…');
        warn(`A mail was not sent: ${reason}${delay === undefined ? '' : ' The server tries again.'}`);
        if (delay !== undefined) await new Promise((resolve) => setTimeout(resolve, delay).unref());
      }
    }
    return false;
  }

  return {
    async send(mail) {
      if (count >= MAX_MAILS) {
        warn('A mail was not sent, because too many others wait.');
        return false;
      }
      count += 1;
      try {
        return await attempt(mail);
      } finally {
        count -= 1;
      }
    },
    address(path) {
      const { origin } = new URL(site);
      return origin + base + (trailingSlash === 'always' ? path.replace('?', '/?') : path);
    },
  };
}

type Deliver = (mail: Mail) => Promise<void>;

function bySmtp(url: string, from: string): Deliver {
  return async ({ to, subject, text }) => {
    const { createTransport } = await import('nodemailer');
    await createTransport(url, { from }).sendMail({ to, subject, text });
  };
}

/** A POST that is signed like those of option `webhooks`. */
function byWebhook(url: string, secret: string, fetch: typeof globalThis.fetch): Deliver {
  return async (mail) => {
    const body = JSON.stringify({ type: 'mail.requested', timestamp: new Date().toISOString(), data: mail });
    const headers = {
      'content-type': 'application/json',
      ...signedHeaders(secret, `msg_${randomId(16)}`, body),
    };
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
    await response.body?.cancel();
    if (!response.ok) throw new Error(`The webhook responded with ${response.status}.`);
  };
}
