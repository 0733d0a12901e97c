/** An HTML tag that can show a file, such as `<img>`. Offsets refer to the text around it. */
export interface MediaTag {
  /** After the tag. */
  readonly end: number;
  /** The first attribute of each name with a value, by lower-case name. */
  readonly attributes: ReadonlyMap<string, TagAttribute>;
}

export interface TagAttribute {
  /** Offset of its name. */
  readonly nameStart: number;
  /** The value, without quotes. */
  readonly start: number;
  readonly end: number;
  /** As written, with entities. */
  readonly source: string;
}

/** Reads the tag of `MEDIA_TAG` that begins at `at`, as browsers read it. Undefined if it does not end. */
export function readMediaTag(html: string, at: number): MediaTag | undefined {
  const attributes = new Map<string, TagAttribute>();
  let position = at + html.slice(at, at + '<source '.length).search(/[\s/]/);
  for (;;) {
    ATTRIBUTE.lastIndex = position;
    const { groups, indices } = ATTRIBUTE.exec(html) ?? {};
    if (groups?.name === undefined || indices?.groups === undefined) break;
    position = ATTRIBUTE.lastIndex;
    if (groups.open !== undefined) break;
    const source = groups.double ?? groups.single ?? groups.bare;
    const [start, end] = indices.groups.double ?? indices.groups.single ?? indices.groups.bare ?? [];
    const name = groups.name.toLowerCase();
    if (source === undefined || start === undefined || end === undefined || attributes.has(name)) continue;
    attributes.set(name, { nameStart: indices.groups.name?.[0] ?? start, start, end, source });
  }
  const end = html.indexOf('>', position);
  return end === -1 ? undefined : { end: end + 1, attributes };
}

/** The start of a tag that can show a file. */
export const MEDIA_TAG = /<(?:img|video|audio|source|track)(?=[\s/])/gi;
export const IMAGE_TAG = /<img(?=[\s/])/gi;

// Source: HTML, "Before attribute name state" and the states after it. `open` is a quote that does not end.
const ATTRIBUTE =
  /[\t\n\f\r /]*(?<name>[^\t\n\f\r />][^\t\n\f\r />=]*)(?:[\t\n\f\r ]*=[\t\n\f\r ]*(?:"(?<double>[^"]*)"|'(?<single>[^']*)'|(?<open>["'])|(?<bare>[^\t\n\f\r >]+)))?/dy;

/**
 * The attribute that Astro's Markdown leaves on an `<img>` for its asset pipeline. Astro replaces it everywhere in the
 * HTML of a page.
 */
export const IMAGE_TOKEN = '__ASTRO_IMAGE_';

/** True if the text has Astro's image token, in any letter case. */
export function hasImageToken(text: string): boolean {
  return text.length >= IMAGE_TOKEN.length && text.toUpperCase().includes(IMAGE_TOKEN);
}

/** Decodes the character references that a path is likely to have. */
export function decodeEntities(text: string): string {
  return text.replace(/&(?:amp|quot|apos|lt|gt|lowbar|#\d{1,7}|#x[\da-f]{1,6});/gi, (entity) => {
    const name = entity.slice(1, -1).toLowerCase();
    if (!name.startsWith('#')) return ENTITIES[name] ?? entity;
    const code = name.startsWith('#x') ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : entity;
  });
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  quot: '"',
  apos: "'",
  lt: '<',
  gt: '>',
  lowbar: '_',
};
