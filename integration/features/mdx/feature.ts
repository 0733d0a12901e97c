import type { Feature } from '../../core/runtime/site.ts';
import { mdxText } from './mdx-text.ts';

/** The text of MDX, for full text and for bodies that are rendered without their components. */
export const mdx: Feature = {
  name: 'mdx',
  bodyFormats: { mdx: mdxText },
};
