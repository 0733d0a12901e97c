import type { FileSource } from '../storage/file-source.ts';
import { NO_FILES } from '../storage/no-files.ts';
import { isOutside } from './file-location.ts';

/** The files of the content folder together with the images outside of it, which are never listed. */
export function withOutsideImages(content: FileSource, outside: FileSource = NO_FILES): FileSource {
  const sourceOf = (key: string) => (isOutside(key) ? outside : content);
  return {
    facts: (key) => sourceOf(key).facts(key),
    read: (key) => sourceOf(key).read(key),
    open: (key) => sourceOf(key).open(key),
    stat: (key) => sourceOf(key).stat(key),
    list: content.list,
  };
}
