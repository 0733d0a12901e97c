import { objectOf } from '../api/document.ts';

/** The places of the words of a search in an entry: stretches of a text, each second one a match. */
export type Excerpt = readonly string[];

/** A passage of the API. Source: `Passage` in `core/read/document-types.ts`. */
export function readExcerpt(passage: unknown): Excerpt {
  const { text, ranges } = objectOf(passage);
  const whole = String(text ?? '');
  const bounds = (Array.isArray(ranges) ? ranges : []).flat().map(Number);
  return [0, ...bounds].map((start, at) => whole.slice(start, bounds[at] ?? whole.length));
}
