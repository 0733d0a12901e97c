import { bodyText, type Entity, type FieldValue, type ResourceType } from '../../core/content/model.ts';
import { filesIn, filesOf } from '../../core/read/content-files.ts';
import { relativeImagePath, scanBody, type WrittenImage } from '../../core/source/body-images.ts';
import { decodeEntities, readMediaTag } from '../../core/source/image-tag.ts';

/** A text that an entity has for an image. */
export interface AltText {
  readonly uri: string;
  readonly field: string;
  /** Not empty. */
  readonly alt: string;
}

/** The alternative texts of the images of an entity, in its fields and its body. */
export function altTextsOf(type: ResourceType, entity: Entity): readonly AltText[] {
  const present = cached.get(entity);
  if (present !== undefined) return present;
  const texts = [...fieldTexts(type, entity), ...bodyTexts(entity)].filter(({ alt }) => alt !== '');
  cached.set(entity, texts);
  return texts;
}

/** Entities do not change. */
const cached = new WeakMap<Entity, readonly AltText[]>();

function* fieldTexts(type: ResourceType, entity: Entity): Generator<AltText, void, undefined> {
  for (const [name] of filesOf(type, entity)) {
    const field = type.fields.get(name);
    const value = entity.values[name];
    if (field === undefined || value === undefined) continue;
    for (const { uri, path } of filesIn(value, field)) yield { uri, field: name, alt: altAt(value, path) };
  }
}

function altAt(value: FieldValue, path: readonly (string | number)[]): string {
  const step = (part: unknown, name: string | number): unknown =>
    (part as Record<string | number, unknown>)[name];
  const alt = step(path.reduce(step, value), 'alt');
  return typeof alt === 'string' ? alt.trim() : '';
}

function* bodyTexts({ body, images = [] }: Entity): Generator<AltText, void, undefined> {
  if (body === null || images.length === 0) return;
  const uris = new Map(images.map(({ path, uri }) => [path, uri]));
  const text = bodyText(body);
  for (const image of scanBody(text).images) {
    const uri = uris.get(relativeImagePath(image.src)?.path ?? '');
    if (uri !== undefined) yield { uri, field: 'body', alt: altBefore(text, image) };
  }
}

/** The text of `![text](address)` or of `<img alt="text" src="address">`; empty for an image with a label. */
function altBefore(text: string, { offset }: Pick<WrittenImage, 'offset'>): string {
  const before = text.slice(Math.max(0, offset - MAX_BEFORE), offset);
  const end = MARK_END.exec(before)?.index;
  if (end !== undefined) return markdownAlt(before, end);
  const tag = Math.max(...['<img', '<video'].map((start) => before.toLowerCase().lastIndexOf(start)));
  const { attributes } = (tag !== -1 && readMediaTag(text, offset - before.length + tag)) || {};
  return attributes?.get('src')?.start === offset
    ? decodeEntities(attributes.get('alt')?.source ?? '').trim()
    : '';
}

/** UTF-16 units, more than the longest text that is an image. */
const MAX_BEFORE = 1100;
const MARK_END = /\]\(\s{0,9}<?$/;

function markdownAlt(before: string, end: number): string {
  let open = 1;
  for (let at = end - 1; at > 0; at -= 1) {
    if (isEscaped(before, at)) continue;
    if (before[at] === ']') open += 1;
    else if (before[at] === '[') open -= 1;
    if (open > 0) continue;
    return before[at - 1] === '!'
      ? before
          .slice(at + 1, end)
          .replace(ESCAPED, '$1')
          .trim()
      : '';
  }
  return '';
}

function isEscaped(text: string, at: number): boolean {
  let start = at;
  while (start > 0 && text[start - 1] === '\\') start -= 1;
  return (at - start) % 2 === 1;
}

const ESCAPED = /\\([!-/:-@[-`{-~])/g;
