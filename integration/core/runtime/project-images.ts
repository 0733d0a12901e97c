import { realpathSync } from 'node:fs';
import path from 'node:path';
import { isOutside, isServable, pathOfKey } from '../content/file-location.ts';
import { layoutOf } from '../content/layout.ts';
import { createFsDriver } from '../storage/drivers/fs.ts';
import { isInside, keyOf, undefinedIfUnreadable } from '../storage/drivers/fs-paths.ts';
import { createFileSource, type FileSource } from '../storage/file-source.ts';

/**
 * The images of a project outside of its content folder, such as `src/assets/x.png`. Links that lead out of the project, or
 * into the content folder, where files can be private, are not followed.
 */
export function projectImages(root: string, contentDir: string): FileSource {
  const files = createFileSource(createFsDriver(root));

  /** The path below the project; empty for other files. */
  function keyInProject(key: string): string {
    if (!isOutside(key) || !isServable({ source: 'content', key }, layoutOf())) return '';
    const file = path.resolve(contentDir, pathOfKey(key));
    const [real, realContent] = [file, contentDir].map((each) =>
      undefinedIfUnreadable(() => realpathSync.native(each)),
    );
    const isPrivate = real === undefined || realContent === undefined || isInside(realContent, real);
    return isPrivate ? '' : (keyOf(root, file) ?? '');
  }

  return {
    facts: (key) => files.facts(keyInProject(key)),
    read: (key) => files.read(keyInProject(key)),
    open: (key) => files.open(keyInProject(key)),
    async stat(key) {
      const stored = await files.stat(keyInProject(key));
      return stored && { ...stored, key };
    },
    list: async () => [],
  };
}
