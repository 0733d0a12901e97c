import type { DataPath } from '../diagnostic.ts';

/** A change that no file can hold; `message` is a sentence for whoever asked for it. */
export class UnwritableChangeError extends Error {
  override readonly name = 'UnwritableChangeError';
  /** Public name of the field, and what in it; empty for the file as a whole. */
  readonly path: DataPath;

  constructor(path: DataPath, message: string) {
    super(message);
    this.path = path;
  }
}
