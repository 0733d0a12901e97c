import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** A Markdown file of another site. */
export interface RealPage {
  readonly id: string;
  readonly title: string;
  /** What follows the frontmatter. */
  readonly text: string;
}

/** The Markdown files of a folder and the folders in it, as far as they have a title. */
export function readPages(folder: string): readonly RealPage[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.mdx?$/.test(name),
  );
  return names.flatMap((name) => {
    const source = readFileSync(path.join(folder, name), 'utf8');
    const [, front = '', text = ''] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(source) ?? [];
    const title = /^title: *(.+)$/m.exec(front)?.[1]?.replace(/^["']|["']$/g, '');
    return title === undefined
      ? []
      : [{ id: name.replace(/\.mdx?$/, '').replaceAll(/[\\/]/g, '-'), title, text }];
  });
}

/** Files of bundle `page`, by key. */
export function markdownOf(pages: readonly RealPage[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    pages.map(({ id, title, text }) => [
      `page/${id}.md`,
      `---\ntitle: ${JSON.stringify(title)}\n---\n${text}`,
    ]),
  );
}
