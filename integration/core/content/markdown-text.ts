import { mdxText } from '../source/mdx-text.ts';
import { type Body, bodyText } from './model.ts';

/** The Markdown of a body: its text, without the code of MDX. */
export function markdownText(body: Body): string {
  const text = bodyText(body);
  return body.format === 'mdx' ? mdxText(text) : text;
}
