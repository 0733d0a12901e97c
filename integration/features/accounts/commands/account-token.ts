import { defineCommand, type Flags, UsageError } from '../../../core/runtime/command.ts';
import { MAX_TOKEN_MS, SCOPES, TOKEN_DAYS } from '../account.ts';
import { ACCOUNT_FLAGS, NAME, openAccounts } from './open-accounts.ts';

const CREDENTIAL_FLAGS = {
  scope: { value: 'scope', choices: SCOPES, help: 'Specify the scope: read (default) or write.' },
  label: { value: 'text', help: 'Specify a label for account list.' },
  ...ACCOUNT_FLAGS,
} as const satisfies Flags;

export const token = defineCommand({
  name: 'account token',
  summary: 'Create a token for a program, and print it once.',
  argument: NAME,
  flags: {
    expires: {
      value: 'time',
      read: (time) => readExpiry(time, Date.now()),
      help: 'Specify when it expires: 90d (default), 12h, 8w, a date, or never.',
    },
    revoke: { value: 'id', help: 'Revoke the token with this id instead. account list prints ids.' },
    ...CREDENTIAL_FLAGS,
  },
  details: ['Programs send the token with each request: Authorization: Bearer <token>'],
  examples: [
    [
      'npx astro-jsonapi account token deploy --scope write --expires 90d --label ci',
      'Create a token that can write',
    ],
    ['npx astro-jsonapi account token deploy --revoke hV3nXw0q', 'Revoke a token'],
  ],
  async run({ argument, flags, terminal, cli }) {
    const { revoke, scope = 'read', label = '' } = flags;
    const { accounts } = await openAccounts(flags, { terminal, cli });
    if (revoke !== undefined) {
      await accounts.removeToken(argument, revoke);
      terminal.print(`Token ${revoke} revoked.`);
      return 0;
    }
    const expires = flags.expires === undefined ? readExpiry(`${TOKEN_DAYS}d`, Date.now()) : flags.expires;
    const { secret, token } = await accounts.addToken(argument, { label, scope, expires });
    terminal.report(
      `Token of ${argument} with scope ${scope}, ${describeExpiry(token.expires)}. It is printed only once. Its id is ${token.id}.`,
    );
    terminal.print(secret);
    return 0;
  },
});

export const client = defineCommand({
  name: 'account client',
  summary: 'Create a client id and secret for /oauth/token.',
  argument: { name: '<name>', help: 'The account that the client acts as.' },
  flags: {
    revoke: { value: 'id', help: 'Revoke the client with this id, and its tokens, instead.' },
    ...CREDENTIAL_FLAGS,
  },
  details: ['For OAuth 2 client credentials, as in next-drupal, drupal-state and @drupal-api-client.'],
  examples: [
    ['npx astro-jsonapi account client frontend --label next', 'Create a client for a front end'],
    [
      'npx astro-jsonapi account client frontend --revoke 1f0c9a52-6f0b-4c36-9d5e-8a4f0f7f2c11',
      'Revoke a client',
    ],
  ],
  async run({ argument, flags, terminal, cli }) {
    const { revoke, scope = 'read', label = '' } = flags;
    const { accounts } = await openAccounts(flags, { terminal, cli });
    if (revoke !== undefined) {
      await accounts.removeClient(argument, revoke);
      terminal.print(`Client ${revoke} revoked.`);
      return 0;
    }
    const { secret, client } = await accounts.addClient(argument, { label, scope });
    terminal.report(`Client of ${argument} with scope ${scope}. Its secret is printed only once.`);
    terminal.print(`client_id=${client.id}\nclient_secret=${secret}`);
    return 0;
  },
});

const UNIT_HOURS: Readonly<Record<string, number>> = { h: 1, d: 24, w: 24 * 7 };
const HOUR_MS = 3_600_000;

/** `90d`, `12h`, `8w`, a date such as `2027-01-31` (until its end in UTC), or `never` (null). Throws UsageError. */
export function readExpiry(time: string, now: number): Date | null {
  if (time === 'never') return null;
  const [, count, unit = ''] = /^(\d{1,6})([hdw])$/.exec(time) ?? [];
  const hours =
    count === undefined ? (endOfDay(time) - now) / HOUR_MS : Number(count) * (UNIT_HOURS[unit] ?? 0);
  if (hours > 0 && hours * HOUR_MS <= MAX_TOKEN_MS) return new Date(now + hours * HOUR_MS);
  throw new UsageError(
    `--expires cannot be \`${time}\`. Valid: a time in the next ten years, such as 12h, 90d, 8w or 2030-01-31; or never.`,
  );
}

/** Of an ISO date-time, or of null for a token that does not expire. */
export function describeExpiry(expires: string | null): string {
  return expires === null ? 'without expiry' : `valid until ${expires.slice(0, 16).replace('T', ' ')} UTC`;
}

/** Milliseconds since the Unix epoch; NaN if the text is not a date. */
function endOfDay(date: string): number {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date)) return Number.NaN;
  const start = new Date(`${date}T00:00:00Z`);
  const exists = !Number.isNaN(start.getTime()) && start.toISOString().startsWith(date);
  return exists ? start.getTime() + 24 * HOUR_MS : Number.NaN;
}
