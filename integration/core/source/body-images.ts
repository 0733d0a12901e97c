import { decodeUri } from '../util/text.ts';
import { decodeEntities, MEDIA_TAG, readMediaTag } from './image-tag.ts';

/** An image, video, sound or text track in a Markdown body. */
export interface WrittenImage {
  /** Without the escapes of Markdown and HTML. */
  readonly src: string;
  /** Offset of the address in the body, in UTF-16 units. */
  readonly offset: number;
  /** False for indented text, which may be code. */
  readonly certain: boolean;
}

/** A fast test, because most bodies have no images: for `![`, and for `<i`, `<v` and `<a` in both cases. */
export function mayHoldImages(bytes: Uint8Array): boolean {
  const has = (first: number, seconds: readonly number[]) => {
    for (let at = bytes.indexOf(first); at !== -1; at = bytes.indexOf(first, at + 1)) {
      if (seconds.includes(bytes[at + 1] ?? 0)) return true;
    }
    return false;
  };
  return has(0x21, [0x5b]) || has(0x3c, [0x49, 0x69, 0x56, 0x76, 0x41, 0x61]);
}

/** The number of wiki links in a Markdown body, such as `[[Note]]` and `![[image.png]]`, except those in code and comments. */
export function countWikiLinks(body: string): number {
  return body.includes('[[') ? scanBody(body).wikiLinks : 0;
}

/** Relative paths of Markdown files that a body may link to. A fast test, which also finds some in code. */
export function possibleLinks(body: string): readonly string[] {
  if (!body.includes('.md')) return NO_LINKS;
  const paths = [...body.matchAll(POSSIBLE_LINK)].flatMap(
    ([, src = '']) => relativeImagePath(src)?.path ?? [],
  );
  return paths.length === 0 ? NO_LINKS : [...new Set(paths)];
}

/** Links to a file: offsets of their addresses in the body. Indented links may be code. */
export function linksTo(paths: ReadonlySet<string>, body: string): readonly (readonly [string, number])[] {
  return scanBody(body).links.flatMap(({ src, offset, certain }) => {
    const path = relativeImagePath(src)?.path;
    return certain && path !== undefined && paths.has(path) ? [[path, offset] as const] : [];
  });
}

const NO_LINKS: readonly string[] = [];
/** The address of a link or of its definition. Zola's `@/` starts at the content folder. */
const POSSIBLE_LINK = /[(<:][ \t]?(?!@)([^\s()<>:]+\.mdx?)(?=[#?)>\s]|$)/gi;

/**
 * The images of a Markdown body in order: `![alt](path)`, `![alt][label]` and `<img src="path">`, and the files of `<video>`,
 * `<audio>`, `<source>` and `<track>`, except those in code and comments; and its links. Takes linear time for any body.
 */
export function scanBody(body: string) {
  const images: WrittenImage[] = [];
  const links: WrittenImage[] = [];
  let wikiLinks = 0;
  const labels = new Set<string>();
  const definitions = new Map<string, WrittenImage>();
  const find = createFinder(body);
  const tokens = new RegExp(TOKEN);

  for (let token = tokens.exec(body); token !== null; token = tokens.exec(body)) {
    const { fence, code, raw, comment, label, tag, wiki, mark, link } = token.groups ?? {};
    const { lastIndex } = tokens;
    const certain = !find.indented(token.index);
    if (fence !== undefined) {
      tokens.lastIndex = find.after(closingFence(fence), lastIndex) ?? body.length;
    } else if (code !== undefined) {
      tokens.lastIndex = find.afterCode(code.length, lastIndex) ?? lastIndex;
    } else if (raw !== undefined || comment !== undefined) {
      const end = raw === undefined ? '-->' : `</${raw.toLowerCase()}`;
      tokens.lastIndex = find.after(new RegExp(end, 'gi'), lastIndex) ?? lastIndex;
    } else if (label !== undefined) {
      const name = labelName(label);
      const written = destinationAt(body, lastIndex, DEFINED);
      if (written !== undefined && !definitions.has(name)) definitions.set(name, { ...written, certain });
      if (written !== undefined) links.push({ ...written, certain });
    } else if (tag !== undefined) {
      const media = readMediaTag(body, token.index);
      for (const name of ['src', 'poster']) {
        const src = media?.attributes.get(name);
        if (src !== undefined) images.push({ src: decodeEntities(src.source), offset: src.start, certain });
      }
      tokens.lastIndex = media?.end ?? body.length;
    } else if (wiki !== undefined) {
      if (certain) wikiLinks += 1;
    } else if (link !== undefined) {
      const written = destinationAt(body, lastIndex, INLINE);
      if (written !== undefined) links.push({ ...written, certain });
    } else if (mark !== undefined) {
      const end = altEnd(body, lastIndex);
      const written = end === undefined ? undefined : destinationAt(body, end, INLINE);
      if (written !== undefined) images.push({ ...written, certain });
      else if (end !== undefined) labels.add(labelName(labelAt(body, lastIndex, end)));
    }
  }
  const defined = [...labels].flatMap((label) => definitions.get(label) ?? []);
  return { images: [...images, ...defined].sort((a, b) => a.offset - b.offset), links, wikiLinks };
}

/** The start of an image, of the address of a link, or of code and raw text; also skips escaped characters. */
const TOKEN = new RegExp(
  [
    /\\[^\n]/,
    /^(?:[ \t>]|[-*+][ \t]|\d{1,9}[.)][ \t]){0,40}(?<fence>`{3,}(?=[^`\n]*$)|~{3,})/,
    /(?<code>`+)/,
    /<(?<raw>pre|script|style|textarea)\b/,
    /(?<comment><!--)/,
    // `[^note]:` is a footnote.
    /^[ >]{0,9}\[(?!\^)(?<label>[^[\]\n]{1,200})\]:/,
    new RegExp(`(?<tag>${MEDIA_TAG.source})`),
    // `[[table]]` above `key = value` is TOML, in a shortcode.
    /(?<wiki>!?\[\[(?=[^[\]\n]{1,200}\]\](?!\(|[ \t]{0,9}\n[ \t]{0,9}[\w.-]{1,60} ?=)))/,
    /(?<mark>!\[)/,
    /(?<link>\](?=\())/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gim',
);

const DESTINATION =
  /(?:<(?<pointed>(?:[^<>\n\\]|\\.){0,2000})>|(?<plain>(?:[^\s()<\\]|\\.|\((?:[^\s()\\]|\\.){0,200}\)){1,2000}))/
    .source;
const TITLE = /(?:\s{1,9}(?:"[^"]{0,500}"|'[^']{0,500}'|\([^()]{0,500}\)))?/.source;
const INLINE = new RegExp(`\\(\\s{0,9}${DESTINATION}${TITLE}\\s{0,9}\\)`, 'dy');
const DEFINED = new RegExp(`\\s{0,9}${DESTINATION}`, 'dy');

function destinationAt(body: string, at: number, pattern: RegExp): Destination | undefined {
  pattern.lastIndex = at;
  const { groups, indices } = pattern.exec(body) ?? {};
  const written = groups?.pointed ?? groups?.plain;
  const [start] = indices?.groups?.pointed ?? indices?.groups?.plain ?? [];
  if (written === undefined || start === undefined) return undefined;
  return { src: decodeEntities(written.replace(ESCAPED, '$1')), offset: start };
}

const ESCAPED = /\\([!-/:-@[-`{-~])/g;

/** Limits for the alternative text of an image: UTF-16 units and nested brackets. */
const MAX_ALT_LENGTH = 1000;
const MAX_ALT_DEPTH = 8;

/** The end of the alternative text, after its bracket; undefined if it is not closed. */
function altEnd(body: string, start: number): number | undefined {
  const end = Math.min(body.length, start + MAX_ALT_LENGTH);
  let open = 1;
  for (let at = start; at < end; at += 1) {
    const unit = body[at];
    if (unit === '\\') at += 1;
    else if (unit === '[') open += 1;
    else if (unit === ']') open -= 1;
    if (open === 0) return at + 1;
    if (open > MAX_ALT_DEPTH) return undefined;
  }
  return undefined;
}

/** The label of `![alt][label]`, `![label][]` and `![label]`. */
function labelAt(body: string, start: number, end: number): string {
  LABEL.lastIndex = end;
  return LABEL.exec(body)?.[1] ?? body.slice(start, end - 1);
}

const LABEL = /\[([^[\]]{1,200})\]/y;

function labelName(label: string): string {
  return label.trim().replaceAll(/\s+/g, ' ').toLowerCase();
}

function closingFence(fence: string): RegExp {
  return new RegExp(`^[ \\t>]*${fence[0]}{${fence.length},}[ \\t]*$`, 'gm');
}

/** Longer runs of backticks are text. */
const MAX_CODE_MARK = 32;

/** Searches for closing marks, at most once for each missing one. */
function createFinder(body: string) {
  const missing = new Map<string, number>();
  let line = 0;
  let lineEnd = body.indexOf('\n');

  /** True if the line of an offset is indented like code. Offsets must ascend. */
  function indented(offset: number): boolean {
    while (lineEnd !== -1 && lineEnd < offset) {
      line = lineEnd + 1;
      lineEnd = body.indexOf('\n', line);
    }
    return INDENT.test(body.slice(line, line + 4));
  }

  /** The end of the next match; undefined without one. */
  function after(end: RegExp, from: number): number | undefined {
    if (missing.has(end.source)) return undefined;
    end.lastIndex = from;
    if (end.test(body)) return end.lastIndex;
    missing.set(end.source, body.length);
    return undefined;
  }

  /** The end of inline code in `length` backticks, which must be in the same paragraph. */
  function afterCode(length: number, from: number): number | undefined {
    const mark = '`'.repeat(length);
    if (length > MAX_CODE_MARK || from < (missing.get(mark) ?? 0)) return undefined;
    const end = new RegExp(`(?<!\`)${mark}(?!\`)|\\n[ \\t]*\\n`, 'g');
    end.lastIndex = from;
    const match = end.exec(body);
    if (match?.[0] === mark) return end.lastIndex;
    missing.set(mark, match?.index ?? body.length);
    return undefined;
  }

  return { indented, after, afterCode };
}

const INDENT = /^(?: {4}| {0,3}\t)/;

type Destination = Pick<WrittenImage, 'src' | 'offset'>;

/** The relative path of an image in a body. */
export interface ImagePath {
  /** Without percent-encoding, as the file is named. */
  readonly path: string;
  /** `?…` and `#…` as written. */
  readonly suffix: string;
}

/** Undefined for absolute paths, other sites and data URLs. */
export function relativeImagePath(src: string): ImagePath | undefined {
  const trimmed = src.trim();
  if (NOT_RELATIVE.test(trimmed)) return undefined;
  const end = trimmed.search(/[?#]/);
  const path = end === -1 ? trimmed : trimmed.slice(0, end);
  return { path: decodeUri(path), suffix: trimmed.slice(path.length) };
}

const NOT_RELATIVE = /^(?:$|[/\\?#]|[a-z][a-z\d+.-]*:)/i;
