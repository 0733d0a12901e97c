import { slugFor } from '../content/encode/slug.ts';
import { createKeyReader, keysOfFile } from '../content/file-key.ts';
import { DEFAULT_OPTIONS, folderOfType, layoutOf } from '../content/layout.ts';
import type { Ledger } from '../content/ledger.ts';
import type { ResourceType } from '../content/model.ts';
import { isUuid } from '../content/resource-type.ts';
import type { EntityStore } from '../engine/store/entity-store.ts';
import type { Reader } from '../read/reader.ts';
import { entityExtensions, idFromPath } from '../source/formats.ts';
import type { StorageDriver } from '../storage/driver.ts';
import { nameProblem } from '../storage/file-name.ts';
import { fileOfKey } from '../storage/key.ts';
import { ConflictError, InvalidEntityError } from '../util/errors.ts';
import type { ErrorPlace } from './writer.ts';

export interface NewFile {
  readonly key: string;
  /** The id to write into the file; undefined if its name implies it. */
  readonly id: string | undefined;
}

export interface NewFileDeps {
  readonly driver: StorageDriver;
  readonly reader: Pick<Reader, 'store' | 'settings'>;
  readonly ledger: Ledger;
  readonly names: TakenNames;
}

/** The names that new files cannot have, in lower case. */
export interface TakenNames {
  /** Ids of entities and names of their files. */
  of(type: string): Set<string>;
  /** Has to be called when an entity of the type is removed. */
  forget(type: string): void;
}

/** Reads the names of a type once, for several new files. */
export function createTakenNames(store: EntityStore): TakenNames {
  const names = new Map<string, Set<string>>();
  return {
    of(type) {
      const existing = names.get(type);
      if (existing !== undefined) return existing;
      const taken = new Set<string>();
      for (const { key, id } of store.entities(type)) {
        const file = fileOfKey(key);
        taken.add(idFromPath(file.slice(file.indexOf('/') + 1)).toLowerCase()).add(id.toLowerCase());
      }
      names.set(type, taken);
      return taken;
    },
    forget: (type) => void names.delete(type),
  };
}

export interface NewEntity {
  readonly id: string | undefined;
  readonly title: string;
  readonly format: 'markdown' | 'mdx';
}

/**
 * The file of a new entity: in the folder of its bundle, with the bundle's extension, named by the id if that is a slug, else
 * by the title. Never uses the name of an existing file or of a removed entity. Throws InvalidEntityError for an id that
 * cannot be a file name, and ConflictError for the id of a file with errors.
 */
export async function placeNewFile(
  type: ResourceType,
  { id, title, format }: NewEntity,
  { driver, reader, ledger, names }: NewFileDeps,
  { pointer }: ErrorPlace,
): Promise<NewFile> {
  const entities = reader.store.entities(type.name);
  const folder = bundleFolder(type, reader);
  const sibling = entities.find(({ body }) => body === null || body.format === format)?.key ?? '';
  const isWithoutBodies = entities.length > 0 && entities.every(({ body }) => body === null);
  const extension = isWithoutBodies ? sibling.slice(sibling.lastIndexOf('.')) : NEW_EXTENSIONS[format];
  const taken = names.of(type.name);
  const isTaken = id !== undefined && taken.has(id);
  if (id !== undefined) taken.add(id.toLowerCase());

  if (id !== undefined && SLUG.test(id) && !isUuid(id) && !isTaken) {
    const problem = nameProblem(`${id}${extension}`);
    const source = { pointer: pointer(['id']) };
    if (problem !== undefined) {
      const detail = `The file of the id '${id}' ${problem} Choose another id.`;
      throw new InvalidEntityError([{ detail, source }]);
    }
    if (await hasFile(driver, pathIn(folder, id))) {
      throw new ConflictError(
        `A file with errors has the id '${id}' already. Correct that file first.`,
        source,
      );
    }
    return { key: keyIn(type, pathIn(folder, id + extension), reader), id: undefined };
  }
  for (;;) {
    const slug = slugFor(title, (each) => taken.has(each));
    // The name of the file is the id, unless the id is written into the file.
    const isRemoved = id === undefined && (await ledger.find(type.name, slug)) !== undefined;
    taken.add(slug);
    if (!isRemoved && !(await hasFile(driver, pathIn(folder, slug))))
      return { key: keyIn(type, pathIn(folder, slug + extension), reader), id };
  }
}

/** The key of a file of this type, which can also be of another collection. */
function keyIn({ name }: ResourceType, key: string, { settings }: Pick<Reader, 'settings'>): string {
  const { languages, layout } = settings;
  const readKey = createKeyReader({ languages, layout: layoutOf(layout) });
  const isOfType = (each: string) => {
    const role = readKey(each);
    return role.role === 'entity' && role.type === name;
  };
  return keysOfFile(readKey, key).find(isOfType) ?? key;
}

/** True if a file of content has this path, with any extension. */
export async function hasFile(driver: StorageDriver, path: string): Promise<boolean> {
  const stats = await Promise.all(entityExtensions().map((extension) => driver.stat(path + extension)));
  return stats.some((file) => file !== undefined);
}

/** The folder of the new files of a bundle: of its first file, else of the options. Empty for the content folder itself. */
export function bundleFolder(
  type: ResourceType,
  { store, settings }: Pick<Reader, 'store' | 'settings'>,
): string {
  const { languages, layout = DEFAULT_OPTIONS } = settings;
  const sibling = store.entities(type.name).find(({ translation }) => translation === undefined);
  const key = sibling?.key ?? '';
  const role = createKeyReader({ languages, layout: layoutOf(layout) })(key);
  if (role.role !== 'entity') return folderOfType(type.name, layout);
  const isBelowLanguage = role.folder === '' ? key.includes('/') : !key.startsWith(`${role.folder}/`);
  const [language = ''] = key.split('/', 1);
  return isBelowLanguage ? pathIn(language, role.folder) : role.folder;
}

/** The path of a file or folder in a folder, which can be empty. */
export function pathIn(folder: string, name: string): string {
  return folder === '' || name === '' ? folder + name : `${folder}/${name}`;
}

const NEW_EXTENSIONS = { markdown: '.md', mdx: '.mdx' } as const;
const SLUG = /^[a-z0-9]+(-[a-z0-9]+)*$/;
