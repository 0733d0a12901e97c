import type { Entity } from '../content/model.ts';
import { EMPTY_FILTER } from '../engine/ast.ts';
import type { SerializedBody } from '../read/compose.ts';
import type { StaticDocument } from './request.ts';

/** The query of all entities of a type. */
export const EVERYTHING = {
  filter: EMPTY_FILTER,
  sort: [],
  page: { offset: 0, limit: Number.POSITIVE_INFINITY },
};

/** A file with a document, which is made when it is written. */
export function staticDocument(
  path: string,
  write: () => SerializedBody | Promise<SerializedBody>,
): StaticDocument {
  return { path, write: async () => (await write()).bytes };
}

/** The file of an entity's document below `stem`. Throws if the id cannot be a file name. */
export function entityFilePath(stem: string, entity: Entity): string {
  const bad = entity.id.split('/').some((part) => part === '' || part === '.' || part === '..');
  if (bad || /[\\\0]/.test(entity.id)) {
    throw new Error(
      `The id '${entity.id}' of ${entity.key} cannot be a file name. Give the file another id in its frontmatter.`,
    );
  }
  return `${stem}/${entity.id}.json`;
}

/** An empty list has one page. */
export function pageCount(entities: readonly Entity[], limit: number): number {
  return Math.max(1, Math.ceil(entities.length / limit));
}
