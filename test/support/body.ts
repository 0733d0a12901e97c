import type { Body } from '../../integration/core/content/model.ts';
import { bytesInMemory } from '../../integration/core/storage/stored-bytes.ts';

/** The body of a markdown file without frontmatter. */
export function createBody(text: string): Body {
  const bytes = new TextEncoder().encode(text);
  return {
    file: bytesInMemory(bytes),
    start: 0,
    end: bytes.length,
    format: 'markdown',
    summary: null,
  };
}
