import { relativeImagePath } from './entities/image-path.ts';
import { IMAGE_TAG, readImageTag } from './entities/image-tag.ts';
import type { BodyImage } from './entities/model.ts';

/** HTML whose images lie where they are served, as far as they are known. */
export function withServedImages(html: string, images: readonly BodyImage[] | undefined): string {
  if (images === undefined) return html;
  const urls = new Map(images.map(({ path, url }) => [path, url]));
  const starts = new RegExp(IMAGE_TAG);
  let served = '';
  let copied = 0;
  for (let found = starts.exec(html); found !== null; found = starts.exec(html)) {
    const tag = readImageTag(html, found.index);
    if (tag === undefined) break;
    starts.lastIndex = tag.end;
    if (tag.src === undefined) continue;
    const relative = relativeImagePath(tag.src.value);
    const url = relative && urls.get(relative.path);
    if (url === undefined) continue;
    served +=
      html.slice(copied, tag.src.start) +
      escapeAttribute(`${url}${relative?.suffix ?? ''}`.replaceAll("'", '%27'));
    copied = tag.src.end;
  }
  return served + html.slice(copied);
}

// Astro leaves relative images to its asset pipeline as an attribute that holds the real ones as JSON.
const IMAGE_ATTRIBUTE = /__ASTRO_IMAGE_="([^"]*)"/g;

/** HTML of Astro's markdown as it is outside of Astro's asset pipeline: images as their author wrote them. */
export function withWrittenImages(html: string): string {
  return html.replace(IMAGE_ATTRIBUTE, (attribute, escaped: string) => {
    const json = escaped
      .replaceAll(/&quot;|&#34;|&#x22;/g, '"')
      .replaceAll('&amp;', '&')
      .replaceAll('&#38;', '&');
    const properties: unknown = JSON.parse(json);
    if (typeof properties !== 'object' || properties === null) return attribute;
    return Object.entries(properties)
      .filter(([name]) => name !== 'index' && name !== 'inferSize')
      .map(([name, value]) => `${name}="${escapeAttribute(String(value))}"`)
      .join(' ');
  });
}

function escapeAttribute(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
}
