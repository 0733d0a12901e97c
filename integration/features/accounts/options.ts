import { z } from 'zod';
import type { EditingFields, Options } from '../../core/options/options.ts';

declare module '../../core/options/options.ts' {
  interface EditingOptions {
    /** Accounts file, relative to the project root. Default: `'.astro-jsonapi/accounts.json'`. */
    readonly accountsFile?: string | undefined;
  }
  interface Editing {
    accountsFile: string;
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
