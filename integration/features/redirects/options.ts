import { BOOLEAN } from '../../core/options/fields.ts';
import type { OptionFields } from '../../core/options/options.ts';

declare module '../../core/options/options.ts' {
  interface JsonapiOptions {
    /** Serve the redirects in `_redirects.yaml`, and add one if the address of a published entry changes. Default: `true`. */
    readonly redirects?: boolean | undefined;
  }
  interface Options {
    redirects: boolean;
  }
}

export const REDIRECTS_OPTIONS = { redirects: BOOLEAN.default(true) } satisfies OptionFields<'redirects'>;
