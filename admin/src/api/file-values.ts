import { type JsonObject, objectOf } from './document.ts';
import type { Bundle } from './schema.ts';

/** The field with the owner, which forms show as the name of an account. */
const OWNER = 'uid';

/** The query that makes responses contain the files of a bundle's fields; empty without such fields. */
export function fileQuery({ fields }: Pick<Bundle, 'fields'>): Readonly<Record<string, string>> {
  const names = fields.filter(({ areResources }) => areResources === true);
  return names.length === 0 ? {} : { include: names.map(({ name }) => name).join() };
}

/**
 * The files in relationships as the values of forms, `{uri, alt}`, by field, and the name of the owner's account. `included` has the files, because an identifier
 * does not have the address.
 */
export function fileValues(relationships: unknown, included: unknown): JsonObject {
  const files = new Map(
    (Array.isArray(included) ? included : []).map(objectOf).map(({ id, attributes }) => [id, attributes]),
  );
  const formValue = (identifier: unknown) => {
    const { id, meta } = objectOf(identifier);
    if (id === 'missing') return null;
    const { alt, description = null } = objectOf(meta);
    return { uri: objectOf(files.get(id)).uri, alt: alt ?? description };
  };
  const isFile = (item: unknown) => objectOf(item).type === 'file--file';
  const values = Object.entries(objectOf(relationships)).flatMap(
    ([name, relationship]): [string, unknown][] => {
      const { data } = objectOf(relationship);
      if (name === OWNER) return [[name, objectOf(objectOf(data).meta).name ?? null]];
      if (!(Array.isArray(data) ? data.some(isFile) : isFile(data))) return [];
      return [
        [name, Array.isArray(data) ? data.map(formValue).filter((value) => value !== null) : formValue(data)],
      ];
    },
  );
  return Object.fromEntries(values);
}
