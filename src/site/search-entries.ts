import { entities } from 'astro-jsonapi:content';
import { hrefOf } from './links.ts';

/** What the search page shows of one entity. */
export interface SearchEntry {
  /** Type and id, as in the API. */
  readonly key: string;
  readonly kind: string;
  readonly title: string;
  readonly summary: string;
  readonly link: string;
}

/** Everything that has a page, stories first. */
export async function searchEntries(): Promise<readonly SearchEntry[]> {
  const [articles, pages, people, tags, events] = await Promise.all([
    entities('article').sort('title').all(),
    entities('page').sort('title').all(),
    entities('person').sort('title').all(),
    entities('tag').sort('title').all(),
    entities('event').sort('title').all(),
  ]);
  return [
    ...articles.map((story) => entry('Story', story, story.body?.summary)),
    ...pages.map((page) => entry('Page', page, page.body?.summary)),
    ...people.map((person) => entry('Person', person, person.body?.summary)),
    ...tags.map((tag) => entry('Subject', tag, tag.field_teaser)),
    ...events.map((outing) => entry('Event', outing, outing.field_teaser)),
  ];
}

type Titled = Parameters<typeof hrefOf>[0] & { readonly title: string };

function entry(kind: string, entity: Titled, summary: string | null | undefined): SearchEntry {
  const key = `node--${entity.type}/${entity.id}`;
  return { key, kind, title: entity.title, summary: summary ?? '', link: hrefOf(entity) };
}
