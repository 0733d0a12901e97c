import lunr from 'lunr';

/** A part of a page, from a heading to the next one. */
export interface Section {
  /** The id of the page. */
  readonly page: string;
  readonly title: string;
  /** Heading and anchor; undefined for the beginning of the page. */
  readonly heading?: string;
  readonly slug?: string;
  readonly text: string;
}

export interface SearchResult {
  readonly section: Section;
  /** The text around the first match, with `true` for the words that match. */
  readonly excerpt: readonly (readonly [text: string, isMatch: boolean])[];
}

export type Search = (words: string) => readonly SearchResult[];

const MAX_RESULTS = 12;
const EXCERPT_LENGTH = 150;
/** Code such as `page[limit]` is several words. */
lunr.tokenizer.separator = /[^\p{L}\p{N}_]+/u;

/** Searches sections for all words, or for any if no section has all of them. The last word may be incomplete. */
export function createSearch(sections: readonly Section[]): Search {
  const index = lunr(function () {
    this.ref('at');
    this.field('heading', { boost: 10 });
    this.field('title', { boost: 6 });
    this.field('text');
    for (const [at, { title, heading, text }] of sections.entries()) {
      this.add({ at, title: heading === undefined ? title : '', heading: heading ?? title, text });
    }
  });

  return (words) => {
    // The index has no stop words.
    const tokens = lunr.tokenizer(words).filter((token) => lunr.stopWordFilter(token) !== undefined);
    const stems = tokens.map((token) => lunr.stemmer(token).toString());
    if (stems.length === 0) return [];
    const { REQUIRED, OPTIONAL } = lunr.Query.presence;
    const all = find(stems, REQUIRED);
    const found = all.length > 0 ? all : find(stems, OPTIONAL);
    return found.slice(0, MAX_RESULTS).flatMap(({ ref, matchData }) => {
      const section = sections[Number(ref)];
      return section ? [{ section, excerpt: excerptOf(section.text, Object.keys(matchData.metadata)) }] : [];
    });
  };

  function find(stems: readonly string[], presence: lunr.Query.presence): readonly lunr.Index.Result[] {
    return index.query((query) => {
      for (const stem of stems) {
        query.term(stem, { presence, usePipeline: false, wildcard: lunr.Query.wildcard.TRAILING });
        query.term(stem, { boost: 5, usePipeline: false });
      }
    });
  }
}

function excerptOf(text: string, stems: readonly string[]): SearchResult['excerpt'] {
  const word = new RegExp(`(?<![\\p{L}\\p{N}_])(?:${stems.join('|')})[\\p{L}\\p{N}_]*`, 'giu');
  const first = Math.max(text.search(word), 0);
  const start = first < EXCERPT_LENGTH / 2 ? 0 : text.lastIndexOf(' ', first - EXCERPT_LENGTH / 4) + 1;
  const shown = text.slice(start, text.indexOf(' ', start + EXCERPT_LENGTH) >>> 0);
  const parts: [string, boolean][] = start > 0 ? [['… ', false]] : [];
  let at = 0;
  for (const match of shown.matchAll(word)) {
    parts.push([shown.slice(at, match.index), false], [match[0], true]);
    at = match.index + match[0].length;
  }
  parts.push([shown.slice(at), false]);
  return start + shown.length < text.length ? [...parts, [' …', false]] : parts;
}
