import { z } from 'zod';
import { VARIABLE } from '../../core/options/fields.ts';
import type { EditingFields, Options } from '../../core/options/options.ts';

/** Option `editing.brand`, which the admin has. */
export interface Brand {
  readonly name: string;
  /** Paths in `public/`. */
  readonly logo?: { readonly light: string; readonly dark: string } | undefined;
}

declare module '../../core/options/options.ts' {
  interface EditingOptions {
    /** Accounts file, relative to the project root. Default: `'.astro-jsonapi/accounts.json'`. */
    readonly accountsFile?: string | undefined;
    /** How a server sends invitations and links for forgotten passwords. It needs Astro's `site`. Default: it sends none. */
    readonly mail?: MailOptions | undefined;
  }
  interface Editing {
    accountsFile: string;
    mail?: MailOption | undefined;
    /** Pages of signing in show it. */
    brand?: Brand | undefined;
  }
}

/** Mail over SMTP, or a signed POST to an address that sends it. */
export type MailOptions = SmtpOptions | MailWebhookOptions;

export interface SmtpOptions {
  /** `env:` and the name of an environment variable with an address such as `smtps://user:password@mail.example.org`. */
  readonly smtp: string;
  /** The sender, such as `'The site <site@example.org>'`. */
  readonly from: string;
}

export interface MailWebhookOptions {
  /** `env:` and the name of an environment variable with an http or https URL. */
  readonly webhook: string;
  /** `env:` and the name of an environment variable with the key of the signature. */
  readonly secret: string;
}

// A literal value would be in the repository and in the build.
const variable = (name: string) => z.string().regex(VARIABLE).describe(`a variable such as '${name}'`);

const mailSchema = z
  .union([
    z.strictObject({
      smtp: variable('env:SMTP_URL'),
      from: z.string().min(3).describe("a sender such as 'The site <site@example.org>'"),
    }),
    z.strictObject({ webhook: variable('env:MAIL_WEBHOOK'), secret: variable('env:MAIL_SECRET') }),
  ])
  .describe("{ smtp: 'env:SMTP_URL', from } or { webhook: 'env:MAIL_WEBHOOK', secret: 'env:MAIL_SECRET' }");

export type MailOption = z.output<typeof mailSchema>;

/** Relative to the project. */
export const DEFAULT_ACCOUNTS_FILE = '.astro-jsonapi/accounts.json';

export const ACCOUNT_OPTIONS = {
  editing: {
    accountsFile: z
      .string()
      .regex(/[^/\\]$/)
      .meta({
        description: `a file, relative to the project or absolute, such as '${DEFAULT_ACCOUNTS_FILE}'`,
        replaces: 'accounts',
      })
      .default(DEFAULT_ACCOUNTS_FILE),
    mail: mailSchema.optional(),
  },
} satisfies { editing: EditingFields<'accountsFile' | 'mail'> };

/** Option `editing.accountsFile`, or its default if editing is off. */
export function accountsFileOption({ editing }: Pick<Options, 'editing'>): string {
  return editing === false ? DEFAULT_ACCOUNTS_FILE : editing.accountsFile;
}
