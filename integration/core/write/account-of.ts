import type { FieldDefinition } from '../content/model.ts';
import { isOwner, USER_TYPE_NAME } from '../content/owner.ts';
import { isUuid } from '../content/resource-type.ts';
import { userId } from '../content/user-id.ts';
import type { Reader } from '../read/reader.ts';
import { idFromPath } from '../source/formats.ts';
import type { JsonValue } from '../util/json.ts';

/**
 * The name of the account that a sent owner means: a name, or the id of a user. The name is that of the file of the user, or
 * one that content has. An id without a name stays.
 */
export function accountOf(sent: JsonValue, { store }: Pick<Reader, 'store'>): JsonValue {
  if (typeof sent !== 'string' || !isUuid(sent)) return sent;
  const isNameOf = (name: string) => userId(name) === sent;
  const path = idFromPath(store.get(USER_TYPE_NAME, sent)?.key ?? '').split('/');
  const named = path.map((_, at) => path.slice(at).join('/')).find(isNameOf);
  if (named !== undefined) return named;
  const names = new Set<string>();
  for (const { name, fields } of store.types.values()) {
    if (![...fields.values()].some((field: FieldDefinition) => isOwner(field))) continue;
    for (const { values } of store.entities(name)) if (typeof values.uid === 'string') names.add(values.uid);
  }
  return [...names].find(isNameOf) ?? sent;
}
