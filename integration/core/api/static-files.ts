import { type Entity, languageOf } from '../content/model.ts';
import { EMPTY_FILTER } from '../engine/ast.ts';
import type { SerializedBody } from '../read/compose.ts';
import { entityFileEnd } from '../read/links.ts';
import type { DocumentContext } from '../read/reader.ts';
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

/** The entities that have files. Those without a translation in the language of the documents have them elsewhere. */
export function entitiesWithFiles(
  { services: { settings }, access: { languages = [] } }: Pick<DocumentContext, 'services' | 'access'>,
  entities: readonly Entity[],
): readonly Entity[] {
  if (entityFileEnd(settings) === '') return [];
  if (settings.siteBase === undefined) return entities;
  return entities.filter((entity) => languageOf(entity) === languages[0]);
}

/** An empty list has one page. */
export function pageCount(entities: readonly Entity[], limit: number): number {
  return Math.max(1, Math.ceil(entities.length / limit));
}
