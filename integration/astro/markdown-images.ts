import type { BodyImage } from '../core/content/model.ts';
import { relativeImagePath } from '../core/source/body-images.ts';
import type { MediaTag } from '../core/source/image-tag.ts';
import { decodeEntities, IMAGE_TAG, IMAGE_TOKEN, MEDIA_TAG, readMediaTag } from '../core/source/image-tag.ts';

/** Replaces the relative URLs of `images` with those at which they are served. */
export function withServedImages(html: string, images: readonly BodyImage[] | undefined): string {
  if (images === undefined) return html;
  const urls = new Map(images.map(({ path, url }) => [path, url]));
  return replaceIn(html, MEDIA_TAG, ({ attributes }) => {
    const edits = ['src', 'poster'].flatMap((name): readonly Edit[] => {
      const { source, start, end } = attributes.get(name) ?? { source: '', start: 0, end: 0 };
      const { path = '', suffix } = relativeImagePath(decodeEntities(source)) ?? {};
      const url = urls.get(path);
      return url === undefined ? [] : [{ start, end, text: escapeAttribute(encodeSpaces(url + suffix)) }];
    });
    return edits.sort((one, other) => one.start - other.start);
  });
}

/**
 * HTML with served images, as Astro's content layer can render it: images that Astro has imported get their token again.
 * `imported` has their paths.
 */
export function withImportedImages(
  html: string,
  images: readonly BodyImage[] = [],
  imported: readonly string[] = [],
): { readonly html: string; readonly imagePaths: readonly string[] } {
  const paths = new Map(images.map(({ path, url }) => [encodeSpaces(url), path]));
  const imagePaths = new Set<string>();
  const marked = replaceIn(html, IMAGE_TAG, ({ attributes }) => {
    const all = [...attributes].map(([name, { source }]) => [name, decodeEntities(source)] as const);
    const { src: url = '', ...others } = Object.fromEntries(all);
    const src = paths.get(url);
    const [first, last] = [[...attributes.values()][0], [...attributes.values()].at(-1)];
    if (src === undefined || !imported.includes(src) || html[(last?.start ?? 0) - 1] !== '"') return [];
    imagePaths.add(src);
    const text = `${IMAGE_TOKEN}="${escapeAttribute(inJson({ src, ...others, index: 0 }))}"`;
    return [{ start: first?.nameStart ?? 0, end: (last?.end ?? 0) + 1, text }];
  });
  return { html: marked, imagePaths: [...imagePaths] };
}

/** HTML of Astro's Markdown as it is outside of Astro's asset pipeline: images as their author wrote them. */
export function withWrittenImages(html: string): string {
  if (!html.includes(IMAGE_TOKEN)) return html;
  return replaceIn(html, IMAGE_TAG, (tag) => {
    const mark = imageMark(html, tag);
    const attributes = Object.entries(mark?.image ?? {})
      .filter(([name]) => name !== 'index' && name !== 'inferSize')
      .map(([name, value]) => `${name}="${escapeAttribute(String(value))}"`);
    return mark ? [{ ...mark, text: attributes.join(' ') }] : [];
  });
}

/**
 * HTML that Astro's content layer can render. Astro replaces the image token wherever it stands, and ends the build if it
 * cannot. So the token stays only on an `<img>` whose image is in `paths`, which are the images that the renderer read in the
 * Markdown. Elsewhere its last `_` becomes an entity, which browsers show as the same text.
 */
export function withAstroImages(html: string, paths: readonly string[] = []): string {
  if (!html.includes(IMAGE_TOKEN)) return html;
  const rendered = new Set<unknown>(paths);
  return replaceIn(
    html,
    IMAGE_TAG,
    (tag) => {
      const mark = imageMark(html, tag);
      if (mark?.image === undefined || !rendered.has(mark.image.src)) return [];
      // Written again, because Astro decodes other entities than this function.
      return [{ ...mark, text: `${IMAGE_TOKEN}="${escapeAttribute(inJson(mark.image))}"` }];
    },
    (text) => text.replaceAll(`${IMAGE_TOKEN}=`, `${IMAGE_TOKEN.slice(0, -1)}&#95;=`),
  );
}

/** The replacement of a part of the HTML. */
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The HTML with edits of the tags with a start. `copy` changes the parts between the edits. */
function replaceIn(
  html: string,
  start: RegExp,
  editsOf: (tag: MediaTag) => readonly Edit[],
  copy: (text: string) => string = (text) => text,
): string {
  const starts = new RegExp(start);
  let replaced = '';
  let copied = 0;
  for (let match = starts.exec(html); match !== null; match = starts.exec(html)) {
    const tag = readMediaTag(html, match.index);
    if (tag === undefined) break;
    starts.lastIndex = tag.end;
    for (const edit of editsOf(tag)) {
      replaced += copy(html.slice(copied, edit.start)) + edit.text;
      copied = edit.end;
    }
  }
  return replaced + copy(html.slice(copied));
}

/** Astro's image token on a tag: the offsets of its attribute, and the attributes of the image if they can be read. */
function imageMark(html: string, { attributes }: MediaTag): ImageMark | undefined {
  const attribute = attributes.get(IMAGE_TOKEN.toLowerCase());
  if (attribute === undefined) return undefined;
  const { nameStart, start, end, source } = attribute;
  if (html.slice(nameStart, start) !== `${IMAGE_TOKEN}="`) return undefined;
  return { start: nameStart, end: end + 1, image: readImage(decodeEntities(source)) };
}

interface ImageMark extends Omit<Edit, 'text'> {
  readonly image: Readonly<Record<string, unknown>> | undefined;
}

function readImage(json: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const image: unknown = JSON.parse(json);
    if (typeof image !== 'object' || image === null || Array.isArray(image)) return undefined;
    return Object.keys(image).every((name) => ATTRIBUTE_NAME.test(name)) ? { ...image } : undefined;
  } catch {
    return undefined;
  }
}

const ATTRIBUTE_NAME = /^[a-z_][\w.:-]*$/i;

/** Safe in quotes of both kinds, and without quotes if the value has no spaces. */
function escapeAttribute(value: string): string {
  return value.replaceAll(/[&"'<>`]/g, (character) => ESCAPES[character] ?? character);
}

// Astro decodes the first three of these only.
const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '"': '&quot;',
  "'": '&#x27;',
  '<': '&lt;',
  '>': '&gt;',
  '`': '&#x60;',
};

function inJson(image: object): string {
  return JSON.stringify(image).replaceAll(
    /[<>`]/g,
    (character) => `\\u00${character.charCodeAt(0).toString(16)}`,
  );
}

function encodeSpaces(url: string): string {
  return url.replaceAll(/\s/g, encodeURIComponent);
}
