import type { Reader } from '../read/reader.ts';
import { digestText } from '../util/revision.ts';

/**
 * A key of 16 hexadecimal digits for answers of `entities()` and `jsonapi()`: the same while they are, another one when
 * anything in them is another, what they include and the titles of what they refer to included. Made for `cacheKey` of
 * `getStaticPaths`.
 */
export function cacheKey(...answers: readonly unknown[]): string {
  return digestText(JSON.stringify(answers));
}

/**
 * Reader that render no markdown: in place of its HTML stands all that the HTML is made of. MDX is made of components
 * too, so that it is rendered.
 */
export function withoutRendering(services: Reader): Reader {
  return {
    ...services,
    async renderBody(entity) {
      const { key, revision, values, body } = entity;
      return body?.format === 'mdx' ? services.renderBody(entity) : JSON.stringify([key, revision, values]);
    },
  };
}
