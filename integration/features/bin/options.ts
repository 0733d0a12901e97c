import { BOOLEAN } from '../../core/options/fields.ts';
import type { EditingFields, Options } from '../../core/options/options.ts';

declare module '../../core/options/options.ts' {
  interface EditingOptions {
    /** Keep the files of deleted entries in `.bin/`, so that they can be restored. Default: `true`. */
    readonly bin?: boolean | undefined;
  }
  interface Editing {
    bin: boolean;
  }
}

export const BIN_OPTIONS = { editing: { bin: BOOLEAN.default(true) } } satisfies {
  editing: EditingFields<'bin'>;
};

export function hasBin({ editing }: Pick<Options, 'editing'>): boolean {
  return editing === false || editing.bin;
}
