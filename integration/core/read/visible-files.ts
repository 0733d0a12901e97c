import { fileId } from '../content/file-id.ts';
import { fileAt, urlOf } from '../content/file-location.ts';
import { type FileValue, fileEntity, filesInField, isFileRelationship } from '../content/file-resource.ts';
import type { Entity, ResourceType } from '../content/model.ts';
import { EMPTY_FILTER } from '../engine/ast.ts';
import type { QueryAccess } from '../engine/engine.ts';
import { mediaTypeOf } from '../storage/file-source.ts';
import { lastSegment } from '../storage/key.ts';
import { filesOf } from './content-files.ts';
import type { Reader } from './reader.ts';
import { visibleFields } from './sparse-fields.ts';

/** The resources of the files that visible entities show in any language, in fields, objects and bodies. */
export async function visibleFiles(services: Reader, access: QueryAccess): Promise<readonly Entity[]> {
  const files = new Map<string, Entity>();
  const others = new Set<string>();
  for (const type of services.store.types.values()) {
    const fields = visibleFields(type, access);
    const shown = new Set(fields.map(({ name }) => name));
    const resources = fields.filter(isFileRelationship);
    for (const entity of await visibleEntities(services, access, type)) {
      for (const { name } of resources) {
        for (const value of filesInField(entity.values[name])) {
          if (!files.has(value.id)) files.set(value.id, fileEntity(value));
        }
      }
      for (const [name, uris] of filesOf(type, entity)) {
        if (shown.has(name)) for (const uri of uris) others.add(uri);
      }
    }
  }
  for (const uri of others) {
    const id = fileId(uri);
    if (!files.has(id)) files.set(id, otherFile(services, uri, null, true));
  }
  return [...files.values()];
}

/** The resource of a file that is not the value of a field. Objects and bodies do not have the size of a file. */
export function otherFile(
  { settings }: Pick<Reader, 'settings'>,
  uri: string,
  filesize: number | null,
  isUsed: boolean,
): Entity {
  // Files have no language, so their addresses have no prefix of one.
  const { base, siteBase = base } = settings;
  const location = fileAt(uri);
  const filename = lastSegment(location?.key ?? uri);
  const value: FileValue = {
    id: fileId(uri),
    filename,
    uri: { value: uri, url: location === undefined ? uri : urlOf(location, siteBase) },
    filemime: mediaTypeOf(filename),
    filesize,
  };
  return fileEntity(value, isUsed);
}

/** The entities of a type that the actor may see, each in all languages. */
async function visibleEntities(
  { engine, settings }: Reader,
  access: QueryAccess,
  type: ResourceType,
): Promise<readonly Entity[]> {
  const query = { filter: EMPTY_FILTER, sort: [], page: { offset: 0, limit: Number.POSITIVE_INFINITY } };
  const languages = settings.languages?.all.map(({ code }) => [code]) ?? [[]];
  const entities = new Set<Entity>();
  for (const each of languages) {
    const result = await engine.run(type, query, { ...access, languages: each, strict: false });
    for (const entity of result.entities) entities.add(entity);
  }
  return [...entities];
}
