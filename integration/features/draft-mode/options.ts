import { z } from 'zod';
import { VARIABLE } from '../../core/options/fields.ts';
import type { OptionFields } from '../../core/options/options.ts';

declare module '../../core/options/options.ts' {
  interface JsonapiOptions {
    /** The draft mode of a front end that uses next-drupal. Default: none. */
    readonly draftMode?: DraftModeOptions | undefined;
  }
  interface Options {
    draftMode?: DraftModeOptions | undefined;
  }
}

export interface DraftModeOptions {
  /** The address of the front end that starts draft mode, such as `https://front.example/api/draft`. */
  readonly url: string;
  /** `env:` and the name of an environment variable of the server, such as `'env:DRAFT_SECRET'`. */
  readonly secret: string;
}

export const DRAFT_MODE_OPTIONS = {
  draftMode: z
    .strictObject({
      url: z
        .string()
        .refine((url) => /^https?:\/\//.test(url) && URL.canParse(url))
        .describe("an http or https URL, such as 'https://front.example/api/draft'"),
      // A literal secret would be in the repository and in the build.
      secret: z.string().regex(VARIABLE).describe("a variable such as 'env:DRAFT_SECRET'"),
    })
    .describe("{ url: 'https://front.example/api/draft', secret: 'env:DRAFT_SECRET' }")
    .optional(),
} satisfies OptionFields<'draftMode'>;
