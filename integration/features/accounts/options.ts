import { z } from 'zod';
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
  }
  interface Editing {
    accountsFile: string;
    /** Pages of signing in show it. */
    brand?: Brand | undefined;
  }
}

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
  },
} satisfies { editing: EditingFields<'accountsFile'> };

/** Option `editing.accountsFile`, or its default if editing is off. */
export function accountsFileOption({ editing }: Pick<Options, 'editing'>): string {
  return editing === false ? DEFAULT_ACCOUNTS_FILE : editing.accountsFile;
}
