import type { Body } from '../integration/entities/model.ts';
import { bytesInMemory } from '../integration/storage/stored-bytes.ts';

/** The body of a markdown file without frontmatter. */
export function bodyOf(text: string): Body {
  return {
    file: bytesInMemory(new TextEncoder().encode(text)),
    start: 0,
    format: 'markdown',
    summary: null,
  };
}
