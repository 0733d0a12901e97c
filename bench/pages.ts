import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createRandom } from '../test/support/random.ts';

/**
 * Makes pages from the words of Markdown files, the same ones in each run. Each has a title of 3 to 7 words and a text of 60, and one
 * in twenty is not published. Without a folder, the words are those of this project's documentation.
 */
export function makePages(
  count: number,
  folder = path.resolve(import.meta.dirname, '../docs'),
): {
  readonly files: Readonly<Record<string, string>>;
  readonly titles: readonly string[];
  readonly words: number;
} {
  if (!existsSync(folder)) throw new Error(`There is no folder ${folder}. Name one with Markdown files.`);
  const words = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.includes('node_modules'))
    .flatMap((name) => readFileSync(path.join(folder, name), 'utf8').match(/[A-Za-z]{2,}/g) ?? []);
  const next = createRandom(42);
  const random = (below: number) => Math.floor(next() * below);
  const passage = (length: number) => {
    const at = random(words.length - length);
    return words.slice(at, at + length).join(' ');
  };
  const titles = Array.from({ length: count }, () => passage(3 + random(5)));
  const files = titles.map((title, i) => [
    `page/p${i}.md`,
    `---\ntitle: "${title}"\nstatus: ${i % 20 !== 0}\n---\n${passage(60)}\n`,
  ]);
  return { files: Object.fromEntries(files), titles, words: words.length };
}
