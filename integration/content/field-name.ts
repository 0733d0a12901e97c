/**
 * The public name of a frontmatter key: the key itself where JSON:API allows it as a field, else `field_` and the key
 * with every other character as `_`. Source: JSON:API 1.1, "Fields" and "Member Names".
 */
export function publicName(key: string): string {
  if (!RESERVED.has(key) && MEMBER_NAME.test(key)) {
    return key;
  }
  return `field_${key.replace(OTHER_CHARACTER, '_')}`;
}

/** Taken by the resource object itself, or by the body, which is not written in frontmatter. */
const RESERVED: ReadonlySet<string> = new Set(['type', 'id', 'links', 'relationships', 'body']);
const MEMBER_NAME = /^[a-z0-9\u0080-\u{10ffff}][\w\u0080-\u{10ffff}-]*$/iu;
const OTHER_CHARACTER = /[^\w\u0080-\u{10ffff}-]/gu;
