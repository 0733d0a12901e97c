import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import { locationsOf, pathOfKey, urlOf } from '../../../core/content/file-location.ts';
import type { AstroProject, FeatureTooling } from '../../../core/runtime/site.ts';
import { relativeImagePath, scanBody } from '../../../core/source/body-images.ts';
import { splitMarkdown } from '../../../core/source/frontmatter.ts';
import { MEDIA_TAG } from '../../../core/source/image-tag.ts';

/**
 * Renders Markdown for pages with the URLs that serve the files of tags such as `<video>`. Astro imports the images of Markdown
 * only, and the address of a page is not that of its file.
 */
export const servingProcessor: NonNullable<FeatureTooling['processor']> = (project, processor) => ({
  ...processor,
  async createRenderer(settings) {
    const renderer = await processor.createRenderer(settings);
    if ('forApi' in settings) return renderer;
    return {
      async render(text, options) {
        const { fileURL } = options ?? {};
        return renderer.render(fileURL ? pageText(project, text, fileURLToPath(fileURL)) : text, options);
      },
    };
  },
});

/** Compiles MDX with these URLs. */
export function servedMdx(project: AstroProject): Plugin {
  return {
    name: 'astro-jsonapi:served-media',
    enforce: 'pre',
    transform: {
      // Before @astrojs/mdx, wherever the config has it.
      order: 'pre',
      filter: { id: /\.mdx$/ },
      handler(text, id) {
        const code = pageText(project, text, path.normalize(id));
        return code === text ? undefined : { code, map: null };
      },
    },
  };
}

/** The text of a file of the content. */
function pageText(project: AstroProject, text: string, file: string): string {
  if (text.search(MEDIA_TAG) === -1) return text;
  const { contentDir, base } = project.settings();
  const from = path.relative(contentDir, file).replaceAll('\\', '/');
  if (from.startsWith('../') || path.isAbsolute(from)) return text;
  return withServedMedia(text, (src) => {
    const [location] = locationsOf(from, src);
    const isBeside =
      location?.source === 'content' && existsSync(path.join(contentDir, pathOfKey(location.key)));
    return isBeside ? urlOf(location, base) : undefined;
  });
}

/** A Markdown file with the URLs of files in its tags. Components get the addresses that their author wrote. */
export function withServedMedia(text: string, urlAt: (path: string) => string | undefined): string {
  const body = text.slice(splitMarkdown(text).bodyStart);
  const tags = body.matchAll(MEDIA_TAG);
  let next = tags.next().value;
  let tag = '';
  let served = text.slice(0, text.length - body.length);
  let copied = 0;
  for (const { src, offset } of scanBody(body).images) {
    for (; next !== undefined && next.index < offset; next = tags.next().value) [tag] = next;
    VALUE.lastIndex = offset;
    const [value] = VALUE.exec(body) ?? [];
    const { path = '', suffix = '' } = relativeImagePath(src) ?? {};
    if (path === '' || value === undefined || tag !== tag.toLowerCase()) continue;
    const url = urlAt(path);
    if (url === undefined) continue;
    served += body.slice(copied, offset) + escapeAttribute(url + suffix);
    copied = offset + value.length;
  }
  return served + body.slice(copied);
}

/** The value of an attribute. The addresses of Markdown images follow another character. */
const VALUE = /(?<=")[^"]*|(?<=')[^']*|(?<==)[^\s"'>{][^\s"'>]*/y;

function escapeAttribute(value: string): string {
  return value.replaceAll(/[\s"'<>&]/g, (character) => `&#${character.charCodeAt(0)};`);
}
