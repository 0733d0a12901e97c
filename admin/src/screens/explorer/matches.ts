import { objectOf } from '../../api/document.ts';
import { type Excerpt, readExcerpt } from '../../model/excerpt.ts';

/** Why a search has found the resources of a page: what `meta.search` and `meta.highlights` say. */
interface Matches {
  readonly words: readonly SearchedWord[];
  /** In the order of the page. */
  readonly results: readonly MatchedResource[];
}

interface SearchedWord {
  readonly word: string;
  readonly match: string;
  readonly as: readonly string[];
}

interface MatchedResource {
  readonly type: string;
  readonly title: string;
  readonly self: string;
  readonly fields: readonly { readonly name: string; readonly excerpt: Excerpt }[];
}

/** The matches of a document that has `meta.highlights`. */
export function readMatches(document: unknown): Matches {
  const { data, meta } = objectOf(document);
  const { search, highlights } = objectOf(meta);
  return {
    words: listOf(search).map((each) => {
      const { word, match, as } = objectOf(each);
      return { word: String(word), match: String(match), as: listOf(as).map(String) };
    }),
    results: listOf(highlights).map((highlight, at) => {
      const { attributes, links } = objectOf(listOf(data)[at]);
      const { type, id, fields } = objectOf(highlight);
      const { self } = objectOf(links);
      return {
        type: String(type),
        title: String(objectOf(attributes).title || id),
        self: String(objectOf(self).href ?? self ?? ''),
        fields: Object.entries(objectOf(fields)).map(([name, passage]) => ({
          name,
          excerpt: readExcerpt(passage),
        })),
      };
    }),
  };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
