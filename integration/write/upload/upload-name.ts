import { slugFor } from '../../content/encode/slug.ts';
import { InvalidEntityError } from '../../util/errors.ts';

/** The name of a file as it was sent, taken apart. */
export interface UploadName {
  /** As people call it; any text. */
  readonly stem: string;
  /** Lower-case letters and digits, without the dot. */
  readonly extension: string;
}

/**
 * Of a name that a client sends, maybe with the folders it lies in there. Throws a 422 for one without an ending that
 * could tell what it is.
 */
export function readUploadName(sent: string): UploadName {
  const name = sent.slice(Math.max(sent.lastIndexOf('/'), sent.lastIndexOf('\\')) + 1);
  const dot = name.lastIndexOf('.');
  const extension = name.slice(dot + 1).toLowerCase();
  if (dot === -1 || !EXTENSION.test(extension)) {
    throw refuseUpload('The name of a file has to end with its kind, such as `.png` or `.pdf`.');
  }
  return { stem: name.slice(0, dot), extension };
}

const EXTENSION = /^[a-z0-9]{1,10}$/;

/** Gives names that the file may take, one after the other: `harbour.png`, `harbour-2.png`. */
export function createNames({ stem, extension }: UploadName): () => string {
  const taken = new Set<string>();
  return () => {
    const slug = slugFor(stem, (each) => taken.has(each));
    taken.add(slug);
    return `${slug}.${extension}`;
  };
}

/** The error for an upload whose name or content cannot be stored. */
export function refuseUpload(detail: string): InvalidEntityError {
  return new InvalidEntityError([{ detail, source: { header: 'Content-Disposition' } }]);
}
