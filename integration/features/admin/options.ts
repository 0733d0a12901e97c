import { z } from 'zod';
import type { OptionFields } from '../../core/options/options.ts';

declare module '../../core/options/options.ts' {
  interface JsonapiOptions {
    /** Query explorer at `/jsonapi-explorer`: in `astro dev` only, always, or never. Default: `'dev'`. */
    readonly explorer?: 'dev' | boolean | undefined;
  }
  interface Options {
    explorer: 'dev' | boolean;
  }
}

export const ADMIN_OPTIONS = {
  explorer: z
    .union([z.literal('dev'), z.boolean()])
    .describe("'dev' (in `astro dev` only), true (in production too) or false")
    .default('dev'),
} satisfies OptionFields<'explorer'>;
