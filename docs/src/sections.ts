import { entities } from 'astro-jsonapi:content';
import type { Section } from './search.ts';

/** The sections of all pages, for the search. */
export async function pageSections(): Promise<readonly Section[]> {
  const pages = await entities('page').sort('id').all();
  return pages.flatMap(({ id, title, body }) => {
    const [start = '', ...texts] = splitAtHeadings(body?.value ?? '');
    const headings = body?.headings ?? [];
    if (texts.length !== headings.length) {
      throw new Error(`${id}.md has ${texts.length} headings, but its HTML has ${headings.length}.`);
    }
    return [
      { page: id, title, text: start },
      ...headings.map(({ text: heading, slug }, at) => ({
        page: id,
        title,
        heading,
        slug,
        text: texts[at] ?? '',
      })),
    ];
  });
}

/** The readable text of a page, split at each heading except the title. */
function splitAtHeadings(markdown: string): readonly string[] {
  const sections: string[][] = [[]];
  let isCode = false;
  for (const line of markdown.replace(/^# .*\n/, '').split('\n')) {
    if (/^ *```/.test(line)) isCode = !isCode;
    else if (!isCode && /^#{1,6} /.test(line)) sections.push([]);
    else sections.at(-1)?.push(isCode ? line : readableText(line));
  }
  return sections.map((lines) => lines.join(' ').replaceAll(/\s+/g, ' ').trim());
}

/** A line without link targets, table borders and emphasis. */
export function readableText(line: string): string {
  return line
    .replaceAll(/!?\[((?:[^\]`]|`[^`]*`)*)\]\([^)]*\)/g, '$1')
    .replaceAll(/^\|[ |:-]+\|$|<!--.*?-->/g, '')
    .replaceAll(/\*\*|`| \| |^\| ?| ?\|$/g, ' ');
}
