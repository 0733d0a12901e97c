import { entities } from 'astro-jsonapi:content';
import type { Language } from './languages.ts';
import { hrefOf } from './links.ts';

/** What the search page shows of one entity. */
export interface SearchEntry {
  /** Type and id, as in the API. */
  readonly key: string;
  readonly kind: 'article' | 'page' | 'person' | 'tag' | 'event';
  readonly title: string;
  readonly summary: string;
  readonly link: string;
  readonly langcode: string;
}

/** Everything that has a page, stories first; in English without a translation. */
export async function searchEntries(lang: Language): Promise<readonly SearchEntry[]> {
  const options = { lang, fallback: true } as const;
  const [articles, pages, people, tags, events] = await Promise.all([
    entities('article', options).sort('title').all(),
    entities('page', options).sort('title').all(),
    entities('person', options).sort('title').all(),
    entities('tag', options).sort('title').all(),
    entities('event', options).sort('title').all(),
  ]);
  return [
    ...articles.map((story) => entry(story, story.body?.summary)),
    ...pages.map((page) => entry(page, page.body?.summary)),
    ...people.map((person) => entry(person, person.body?.summary)),
    ...tags.map((tag) => entry(tag, tag.field_teaser)),
    ...events.map((outing) => entry(outing, outing.field_teaser)),
  ];
}

type Titled = Parameters<typeof hrefOf>[0] & { readonly type: SearchEntry['kind']; readonly title: string };

function entry(entity: Titled, summary: string | null | undefined): SearchEntry {
  const { type, id, title, langcode } = entity;
  return {
    key: `node--${type}/${id}`,
    kind: type,
    title,
    summary: summary ?? '',
    link: hrefOf(entity),
    langcode,
  };
}
