import { slugFor } from '../content/encode/slug.ts';
import type { Ledger } from '../content/ledger.ts';
import type { ResourceType } from '../content/model.ts';
import { idFromKey, shortTypeName } from '../content/resource-type.ts';
import type { EntityStore } from '../engine/store/entity-store.ts';
import type { StorageDriver } from '../storage/driver.ts';
import { nameProblem } from '../storage/file-name.ts';
import { ConflictError, InvalidEntityError } from '../util/errors.ts';
import type { EntityInput } from './writer.ts';

export interface NewFile {
  readonly key: string;
  /** To be written in the file, where its place does not say it. */
  readonly id: string | undefined;
}

export interface NewFileDeps {
  readonly driver: StorageDriver;
  readonly store: EntityStore;
  readonly ledger: Ledger;
}

/**
 * Where a new entity goes: beside the others of its bundle, in a file of their kind, named by its id where that is a
 * slug, else by its title. No file and no id that is or was there is used. Throws a 422 for an id that is a slug, but not
 * the name of a file on every system, and a 409 for the id of a file with errors.
 */
export async function placeNewFile(
  type: ResourceType,
  {
    id,
    title,
    format,
  }: { readonly id: string | undefined; readonly title: string; readonly format: 'markdown' | 'mdx' },
  { driver, store, ledger }: NewFileDeps,
  input: Pick<EntityInput, 'pointer'>,
): Promise<NewFile> {
  const entities = store.entities(type.name);
  const sibling = entities.find(({ body }) => body === null || body.format === format);
  const folder = entities[0]?.key.split('/', 1)[0] ?? shortTypeName(type.name);
  const extension =
    entities.length > 0 && entities.every(({ body }) => body === null)
      ? extensionOf(sibling?.key)
      : EXTENSIONS[format];
  const taken = new Set<string>();
  for (const { key, id: other } of entities) taken.add(idFromKey(key).toLowerCase()).add(other.toLowerCase());
  const isFree = async (slug: string): Promise<boolean> => {
    // Files with errors are no entities, and an id that was removed is not given to something else.
    const keys = EXTENSIONS_OF_CONTENT.map((each) => `${folder}/${slug}${each}`);
    const files = await Promise.all(keys.map((key) => driver.stat(key)));
    return (
      files.every((file) => file === undefined) &&
      (id !== undefined || (await ledger.find(type.name, slug)) === undefined)
    );
  };
  const asked = id !== undefined && SLUG.test(id) && !UUID.test(id) && !taken.has(id) ? id : undefined;
  const problem = asked === undefined ? undefined : nameProblem(`${asked}${extension}`);
  if (problem !== undefined) {
    const detail = `The file of the id '${asked}' ${problem} Choose another id.`;
    throw new InvalidEntityError([{ detail, source: { pointer: input.pointer(['id']) } }]);
  }
  if (asked !== undefined) {
    if (await isFree(asked)) return { key: `${folder}/${asked}${extension}`, id: undefined };
    throw new ConflictError(`A file with errors has the id '${asked}' already. Correct that file first.`, {
      pointer: input.pointer(['id']),
    });
  }
  for (;;) {
    const slug = slugFor(title, (each) => taken.has(each));
    if (await isFree(slug)) return { key: `${folder}/${slug}${extension}`, id };
    taken.add(slug);
  }
}

const EXTENSIONS_OF_CONTENT = ['.md', '.mdx', '.markdown', '.json', '.yaml', '.yml'] as const;
const EXTENSIONS = { markdown: '.md', mdx: '.mdx' } as const;
const SLUG = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function extensionOf(key = ''): string {
  return key.slice(key.lastIndexOf('.'));
}
