/** `article` → `node--article`; a full name stays. Undefined for invalid names. */
export function resourceTypeName(name: string): string | undefined {
  const at = name.indexOf('--');
  const [entityType, bundle] = at === -1 ? ['node', name] : [name.slice(0, at), name.slice(at + 2)];
  return NAME.test(entityType) && NAME.test(bundle) ? `${entityType}--${bundle}` : undefined;
}

/** `node--article` → `node` and `article`. */
export function splitResourceType(type: string): { readonly entityType: string; readonly bundle: string } {
  const at = type.indexOf('--');
  return { entityType: type.slice(0, at), bundle: type.slice(at + 2) };
}

/** The name that authors use: `article` for `node--article`, other types in full. */
export function shortTypeName(type: string): string {
  return type.startsWith('node--') ? type.slice('node--'.length) : type;
}

/** A bundle's option, under its full or its short name. */
export function optionFor<T>(byBundle: Readonly<Record<string, T>>, type: string): T | undefined {
  const key = [type, shortTypeName(type)].find((each) => Object.hasOwn(byBundle, each));
  return key === undefined ? undefined : byBundle[key];
}

/** Option `bundles.<bundle>.fields`: other public names, and `false` for fields that are not in the API, by public name. */
export type FieldOptions = Readonly<Record<string, string | false>>;

/**
 * The public name of a frontmatter key: the one of the option, else the key itself if JSON:API allows it, else `field_` and
 * the key with `_` for every invalid character. Source: JSON:API 1.1, "Fields" and "Member Names".
 */
export function publicName(key: string, options: FieldOptions = {}): string {
  const name = isFieldName(key) ? key : `field_${key.replace(NOT_MEMBER_CHARACTER, '_')}`;
  return (Object.hasOwn(options, name) && options[name]) || name;
}

/** True if JSON:API allows the name for a field. */
export function isFieldName(name: string): boolean {
  return !RESERVED_FIELDS.has(name) && MEMBER_NAME.test(name);
}

/** Members of the resource object, and the body, which is not in the frontmatter. */
const RESERVED_FIELDS: ReadonlySet<string> = new Set(['type', 'id', 'links', 'relationships', 'body']);
const MEMBER_NAME = /^[a-z0-9\u0080-\u{10ffff}][\w\u0080-\u{10ffff}-]*$/iu;
const NOT_MEMBER_CHARACTER = /[^\w\u0080-\u{10ffff}-]/gu;

/** Spellings under which an id may be stored: UUIDs match in any case, as in Drupal. */
export function idSpellings(id: string): readonly string[] {
  return isUuid(id) ? [id, id.toLowerCase(), id.toUpperCase()] : [id];
}

export function isUuid(id: string): boolean {
  return UUID.test(id);
}

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

const NAME = /^[a-z0-9_][a-z0-9_-]*$/i;
