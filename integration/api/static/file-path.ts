import type { Entity } from '../../content/model.ts';

/** The file of an entity's document below `stem`. Throws if the id cannot be a file name. */
export function filePath(stem: string, entity: Entity): string {
  const bad = entity.id.split('/').some((part) => part === '' || part === '.' || part === '..');
  if (bad || /[\\\0]/.test(entity.id)) {
    throw new Error(
      `The id '${entity.id}' of ${entity.key} cannot be a file name. Give the file another id in its frontmatter.`,
    );
  }
  return `${stem}/${entity.id}.json`;
}

/** Registers paths. The returned function throws for a path that is registered, or would be both a file and a folder. */
export function createPathRegister(): (path: string) => void {
  const files = new Set<string>();
  const folders = new Set<string>();
  return (path) => {
    if (files.has(path)) throw clash(path, 'two documents have this path');
    if (folders.has(path)) throw clash(path, 'it would be a file and a folder');
    files.add(path);
    for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
      const folder = path.slice(0, slash);
      if (folders.has(folder)) break;
      if (files.has(folder)) throw clash(folder, 'it would be a file and a folder');
      folders.add(folder);
    }
  };
}

function clash(path: string, reason: string): Error {
  return new Error(
    `'${path}' cannot be written: ${reason}. Change an id, a bundle name, a plural in option bundles or the name of a listed query.`,
  );
}
