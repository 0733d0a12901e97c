import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

export const ROOT = path.resolve(import.meta.dirname, '../..');

/** The pages of `docs/`, relative to the project. */
export const DOC_PAGES = readdirSync(path.join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md') && !name.startsWith('.'))
  .map((name) => path.join('docs', name))
  .sort();

export interface CodeBlock {
  /** `docs/http.md:12`, the line of the fence. */
  readonly at: string;
  /** The words after the fence, such as `js` or `ts error`. */
  readonly info: string;
  readonly code: string;
}

export function readPage(page: string): string {
  return readFileSync(path.join(ROOT, page), 'utf8');
}

/** The fenced code of a page. */
export function codeBlocks(page: string): readonly CodeBlock[] {
  const text = readPage(page);
  return [...text.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)].map(({ 1: info = '', 2: code = '', index }) => ({
    at: `${page}:${text.slice(0, index).split('\n').length}`,
    info,
    code,
  }));
}

/** A page without code. */
export function proseOf(page: string): string {
  return readPage(page).replaceAll(/^```.*\n[\s\S]*?^```$/gm, '');
}
