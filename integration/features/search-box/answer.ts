/** What the box asks for. */
export interface BoxQuery {
  /** The address of the API, such as `/jsonapi`. */
  readonly api: string;
  /** An index of option `indexes`, or `_all`. */
  readonly index: string;
  readonly words: string;
  readonly limit: number;
  readonly langcode: string | null;
  /** Resource types whose fields need not all be sent. */
  readonly types: readonly string[];
  /** A field that is counted, and its chosen values. */
  readonly facet: string | null;
  readonly isReference: boolean;
  readonly chosen: readonly string[];
}

export type Range = readonly [start: number, end: number];

/** A text with its matches. */
export interface Passage {
  readonly text: string;
  readonly ranges: readonly Range[];
}

export interface Entry {
  readonly type: string;
  readonly id: string;
  readonly langcode: string;
  /** The path of its page, without `base` and prefix of its language; null without a page. */
  readonly alias: string | null;
  readonly title: Passage;
  readonly excerpt: Passage | undefined;
  readonly sections: readonly (Passage & { readonly heading: Passage & { readonly slug: string } })[];
}

export interface Term {
  readonly value: string;
  readonly label: string;
  readonly count: number;
  readonly isReference: boolean;
}

export interface Answer {
  readonly entries: readonly Entry[];
  readonly count: number;
  readonly terms: readonly Term[];
  /** The searched words, each with its kind of match, and the words that are shown for it. */
  readonly search: readonly {
    readonly word: string;
    readonly match: string;
    readonly as?: readonly string[];
  }[];
}

/** The address of a tolerant search in a language, among the entities that have a page. */
export function addressOf({ api, index, words, limit, langcode, types, ...filter }: BoxQuery): string {
  const query = new URLSearchParams({
    'filter[fulltext][operator]': 'SEARCH',
    'filter[fulltext][value]': words,
    'filter[fulltext][highlight]': 'true',
    'filter[page][condition][path]': 'path.alias',
    'filter[page][condition][operator]': 'IS NOT NULL',
    'page[limit]': String(limit),
  });
  for (const type of types) query.set(`fields[${type}]`, 'title,langcode,path');
  if (langcode !== null) {
    query.set('langCode', langcode);
    query.set('includeFallback', '1');
  }
  const { facet, isReference, chosen } = filter;
  if (facet !== null && index === ALL) {
    query.set(`facetBy[${facet}][operator]`, 'or');
    query.set(`facetBy[${facet}][limit]`, '12');
  }
  if (facet !== null && chosen.length > 0) {
    query.set('filter[chosen][condition][path]', isReference && index === ALL ? `${facet}.id` : facet);
    query.set('filter[chosen][condition][operator]', 'IN');
    for (const value of chosen) query.append('filter[chosen][condition][value][]', value);
  }
  return `${api}/index/${encodeURIComponent(index)}?${query}`;
}

const ALL = '_all';

/** Reads the document of a search. Servers without highlights leave out `meta.highlights`. */
export function readAnswer(document: SearchDocument, facet: string | null): Answer {
  const { data, meta = {} } = document;
  const highlights = new Map((meta.highlights ?? []).map((each) => [`${each.type}/${each.id}`, each]));
  return {
    entries: data.map(({ type, id, attributes = {} }) => {
      const { title, langcode, path } = attributes;
      const found = highlights.get(`${type}/${id}`);
      const { title: matched } = found?.fields ?? {};
      return {
        type,
        id,
        langcode: langcode ?? '',
        alias: path?.alias ?? null,
        title: matched ?? { text: title ?? id, ranges: [] },
        excerpt: found?.excerpt,
        sections: found?.sections ?? [],
      };
    }),
    count: meta.count ?? data.length,
    terms: facet === null ? [] : termsOf(meta.facets, facet),
    search: meta.search ?? [],
  };
}

function termsOf(facets: Facets, facet: string): readonly Term[] {
  // A named index has a list, as in Drupal.
  if (Array.isArray(facets)) {
    const own = (facets as readonly IndexFacet[]).find(({ id }) => id === facet);
    return (own?.terms ?? []).map(({ values: { value, label, count } }) => {
      return { value: String(value), label, count, isReference: false };
    });
  }
  const own = (facets as Readonly<Record<string, OwnFacet>> | undefined)?.[facet];
  return (own?.terms ?? []).flatMap(({ value, label, type, count }) => {
    if (value === undefined) return [];
    return { value: String(value), label: label ?? String(value), count, isReference: type !== undefined };
  });
}

export interface SearchDocument {
  readonly data: readonly {
    readonly type: string;
    readonly id: string;
    readonly attributes?: {
      readonly title?: string;
      readonly langcode?: string;
      readonly path?: { readonly alias: string | null };
    };
  }[];
  readonly meta?: {
    readonly count?: number;
    readonly facets?: Facets;
    readonly search?: Answer['search'];
    readonly highlights?: readonly {
      readonly type: string;
      readonly id: string;
      readonly fields: Readonly<Record<string, Passage>>;
      readonly excerpt?: Passage;
      readonly sections: Entry['sections'];
    }[];
  };
}

type Facets = Readonly<Record<string, OwnFacet>> | readonly IndexFacet[] | undefined;

interface OwnFacet {
  readonly terms: readonly {
    readonly value?: string | number | boolean;
    readonly label?: string;
    readonly type?: string;
    readonly count: number;
  }[];
}

interface IndexFacet {
  readonly id: string;
  readonly terms: readonly {
    readonly values: {
      readonly value: string | number | boolean;
      readonly label: string;
      readonly count: number;
    };
  }[];
}
