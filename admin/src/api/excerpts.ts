import { textOf } from '../model/document.ts';
import { type Excerpt, readExcerpt } from '../model/excerpt.ts';
import { keyOf } from '../model/reference.ts';
import { type Resource, request } from './content.ts';
import { objectOf } from './document.ts';
import { site } from './site.svelte.ts';

/** The excerpts of those entries whose texts, not only titles, have the words, by key. Throws RequestError, or what `signal` throws. */
export async function readExcerpts(
  words: string,
  entries: readonly Resource[],
  language: string,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Excerpt>> {
  if (!site.schema.writes || entries.length === 0 || !/[\p{L}\p{N}]/u.test(words)) return new Map();
  const query = new URLSearchParams({ searchWords: words, entryIds: entries.map(keyOf).join(',') });
  if (language !== '') query.set('langCode', language);
  const { document } = await request(`/_excerpts?${query}`, { signal });
  const { data } = objectOf(document);
  return new Map(
    (Array.isArray(data) ? data : []).map((each) => {
      const { type, id, meta } = objectOf(each);
      return [keyOf({ type: textOf(type), id: textOf(id) }), readExcerpt(meta)] as const;
    }),
  );
}
