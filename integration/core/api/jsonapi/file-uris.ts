import { fileId } from '../../content/file-id.ts';
import { uriOf } from '../../content/file-location.ts';
import { FILE_TYPE_NAME, filesInField, isFileRelationship } from '../../content/file-resource.ts';
import { isRecord, type JsonObject } from '../../util/json.ts';
import type { Services } from '../request.ts';
import { mapLinkage, mapRelationships } from './linkage.ts';

/**
 * A document of a change with the URIs of files in place of their ids. An id without a file stays, so that it is a file that
 * does not exist. Whether the actor may use the file is checked with the change.
 */
export async function withFileUris(
  services: Pick<Services, 'store' | 'fileSources'>,
  document: JsonObject,
): Promise<JsonObject> {
  const ids = new Set<string>();
  const uris = new Map<string, string>();
  const mapped = (replace: (identifier: JsonObject) => JsonObject) => {
    const { data = null } = document;
    const own = Array.isArray(data) || (isRecord(data) && data.type === FILE_TYPE_NAME);
    return own ? mapLinkage(data, replace) : mapRelationships(data, replace);
  };
  mapped((identifier) => {
    const { type, id } = identifier;
    if (type === FILE_TYPE_NAME && typeof id === 'string') ids.add(id.toLowerCase());
    return identifier;
  });
  if (ids.size === 0) return document;
  for await (const [id, uri] of knownFiles(services)) {
    if (ids.has(id)) uris.set(id, uri);
    if (uris.size === ids.size) break;
  }
  const data = mapped((identifier) => {
    const uri =
      identifier.type === FILE_TYPE_NAME ? uris.get(String(identifier.id).toLowerCase()) : undefined;
    return uri === undefined ? identifier : { ...identifier, id: uri };
  });
  return { ...document, data };
}

/** The files in fields, and then those that only bodies show or that nothing uses yet. */
async function* knownFiles({
  store,
  fileSources,
}: Pick<Services, 'store' | 'fileSources'>): AsyncGenerator<readonly [id: string, uri: string]> {
  for (const type of store.types.values()) {
    const fields = [...type.fields.values()].filter(isFileRelationship);
    if (fields.length === 0) continue;
    for (const { values } of store.entities(type.name)) {
      for (const { name } of fields) {
        for (const { id, uri } of filesInField(values[name])) yield [id, uri.value];
      }
    }
  }
  for (const source of ['content', 'public'] as const) {
    for (const { key } of await fileSources[source].list()) {
      const uri = uriOf({ source, key });
      yield [fileId(uri), uri];
    }
  }
}
