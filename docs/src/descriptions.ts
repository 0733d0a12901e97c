import { defineRouteMiddleware } from '@astrojs/starlight/route-data';

/** Characters that search engines show. */
const MAX_LENGTH = 160;

/** Describes each page by its first paragraph, unless its frontmatter does. */
export const onRequest = defineRouteMiddleware(({ locals }) => {
  const { entry, head } = locals.starlightRoute;
  const paragraph = /^(?!#)\S(?:.|\n(?!\n))*/m.exec(entry.body ?? '')?.[0];
  if (entry.data.description !== undefined || paragraph === undefined) return;
  const description = shorten(readableText(paragraph).replaceAll(/\s+/g, ' ').trim());
  for (const { tag, attrs } of head) {
    const name = attrs?.name ?? attrs?.property;
    if (tag === 'meta' && (name === 'description' || name === 'og:description')) attrs!.content = description;
  }
});

/** Ends at a word. */
function shorten(text: string): string {
  if (text.length <= MAX_LENGTH) return text;
  return `${text.slice(0, text.lastIndexOf(' ', MAX_LENGTH))} …`;
}

/** A line without link targets, table borders and emphasis. */
function readableText(line: string): string {
  return line
    .replaceAll(/!?\[((?:[^\]`]|`[^`]*`)*)\]\([^)]*\)/g, '$1')
    .replaceAll(/^\|[ |:-]+\|$|<!--.*?-->/g, '')
    .replaceAll(/\*\*|`| \| |^\| ?| ?\|$/g, ' ');
}
