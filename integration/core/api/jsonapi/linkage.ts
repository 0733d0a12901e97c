import { isRecord, type JsonObject, type JsonValue } from '../../util/json.ts';
import { escaped } from '../../write/request-json.ts';

type Replace = (identifier: JsonObject, path: string) => JsonValue;

/** Replaces resource identifiers. `path` is a JSON pointer that starts at `data`. */
export function mapLinkage(data: JsonValue, replace: Replace, path = ''): JsonValue {
  if (Array.isArray(data))
    return data.map((item: JsonValue, at) => mapLinkage(item, replace, `${path}/${at}`));
  return isRecord(data) ? replace(data, path) : data;
}

/** Replaces the resource identifiers in the relationships of a resource. */
export function mapRelationships(data: JsonValue, replace: Replace): JsonValue {
  if (!isRecord(data) || !isRecord(data.relationships)) return data;
  const mapped = Object.entries(data.relationships).map(([name, relationship]): [string, JsonValue] => {
    if (!isRecord(relationship) || relationship.data === undefined) return [name, relationship];
    const linkage = mapLinkage(relationship.data, replace, `/relationships/${escaped(name)}/data`);
    return [name, { ...relationship, data: linkage }];
  });
  return { ...data, relationships: Object.fromEntries(mapped) };
}
