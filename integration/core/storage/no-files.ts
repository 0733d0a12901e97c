import type { FileSource } from './file-source.ts';

/** An empty source. */
export const NO_FILES: FileSource = {
  facts: async () => undefined,
  read: async () => undefined,
  open: async () => undefined,
  list: async () => [],
  stat: async () => undefined,
};
