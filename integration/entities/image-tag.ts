/** The `src` of an HTML `<img>`. Offsets are into the text it was found in. */
export interface ImageTag {
  /** Behind the tag. */
  readonly end: number;
  /** Undefined where the tag has none. */
  readonly src: { readonly start: number; readonly end: number; readonly value: string } | undefined;
}

/** Reads the tag `<img` that begins at `at`; undefined where it does not end. */
export function readImageTag(html: string, at: number): ImageTag | undefined {
  let src: ImageTag['src'];
  let position = at + '<img'.length;
  for (;;) {
    ATTRIBUTE.lastIndex = position;
    const found = ATTRIBUTE.exec(html);
    if (found === null) break;
    position = ATTRIBUTE.lastIndex;
    const { name, double, single, bare } = found.groups ?? {};
    const value = double ?? single ?? bare;
    if (src === undefined && value !== undefined && name?.toLowerCase() === 'src') {
      const end = position - (bare === undefined ? 1 : 0);
      src = { start: end - value.length, end, value: decodeEntities(value) };
    }
  }
  const end = html.indexOf('>', position);
  return end === -1 ? undefined : { end: end + 1, src };
}

/** Where a tag `<img` may begin. */
export const IMAGE_TAG = /<img(?=[\s/])/gi;

const ATTRIBUTE =
  /[\s/]*(?<name>[^\s/>="']+)(?:\s*=\s*(?:"(?<double>[^"]*)"|'(?<single>[^']*)'|(?<bare>[^\s"'>]+)))?/y;

/** Of the character references those that a path is likely to have. */
export function decodeEntities(text: string): string {
  return text.replace(/&(?:amp|quot|apos|lt|gt|#\d{1,7}|#x[\da-f]{1,6});/gi, (entity) => {
    const name = entity.slice(1, -1).toLowerCase();
    if (!name.startsWith('#')) return ENTITIES[name] ?? entity;
    const code = name.startsWith('#x') ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : entity;
  });
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', quot: '"', apos: "'", lt: '<', gt: '>' };
