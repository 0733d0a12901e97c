import { z } from 'zod';
import { VARIABLE } from '../../core/options/fields.ts';
import type { OptionFields } from '../../core/options/options.ts';

declare module '../../core/options/options.ts' {
  interface JsonapiOptions {
    /** Addresses that a server calls after changes, such as deploy hooks. Default: `[]`. */
    readonly webhooks?: readonly WebhookOptions[] | undefined;
  }
  interface Options {
    webhooks: readonly Webhook[];
  }
}

export interface WebhookOptions {
  /** An http or https URL, or `env:` and the name of an environment variable of the server. */
  readonly url: string;
  /** `env:` and the name of an environment variable of the server, such as `'env:WEBHOOK_SECRET'`. Default: none. */
  readonly secret?: string | undefined;
  /** A POST of JSON, or the GET of next-drupal for each path. Default: `'json'`. */
  readonly format?: 'json' | 'next-drupal' | undefined;
  /** What visitors notice: new, changed or removed content. Default: `['create', 'update', 'delete']`. */
  readonly events?: readonly WebhookEvent[] | undefined;
}

export const WEBHOOK_EVENTS = ['create', 'update', 'delete'] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

const webhookSchema = z
  .strictObject({
    url: z
      .string()
      .refine((url) => VARIABLE.test(url) || (/^https?:\/\//.test(url) && URL.canParse(url)))
      .describe("an http or https URL, or a variable such as 'env:DEPLOY_HOOK'"),
    // A literal secret would be in the repository and in the build.
    secret: z.string().regex(VARIABLE).describe("a variable such as 'env:WEBHOOK_SECRET'").optional(),
    format: z.enum(['json', 'next-drupal']).describe("'json' or 'next-drupal'").default('json'),
    events: z
      .array(z.enum(WEBHOOK_EVENTS))
      .min(1)
      .describe("a list of 'create', 'update' and 'delete'")
      .default([...WEBHOOK_EVENTS]),
  })
  .describe('{ url, secret, format, events }');

export type Webhook = z.output<typeof webhookSchema>;

export const WEBHOOK_OPTIONS = {
  webhooks: z
    .array(webhookSchema)
    .meta({ description: "a list such as [{ url: 'env:DEPLOY_HOOK' }]", secret: true })
    .default([]),
} satisfies OptionFields<'webhooks'>;
