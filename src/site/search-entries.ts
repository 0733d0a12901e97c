import { entities } from 'astro-jsonapi:content';
import { hrefOf } from './links.ts';

/** What the search page knows of one entity. */
export interface SearchEntry {
  readonly kind: string;
  readonly title: string;
  readonly summary: string;
  readonly link: string;
  readonly text: string;
}

/** Everything that has a page, stories first. Small enough to be sent whole. */
export async function searchEntries(): Promise<readonly SearchEntry[]> {
  const [articles, pages, people, tags, events] = await Promise.all([
    entities('article').include('field_author', 'field_tags').sort('title').all(),
    entities('page').sort('title').all(),
    entities('person').sort('title').all(),
    entities('tag').sort('title').all(),
    entities('event').sort('title').all(),
  ]);
  return [
    ...articles.map((story) => ({
      kind: 'Story',
      title: story.title,
      summary: story.body?.summary ?? '',
      link: hrefOf(story),
      text: [
        story.body?.value,
        story.field_author?.title,
        ...story.field_tags.map(({ title }) => title),
      ].join(' '),
    })),
    ...pages.map((page) => ({
      kind: 'Page',
      title: page.title,
      summary: page.body?.summary ?? '',
      link: hrefOf(page),
      text: page.body?.value ?? '',
    })),
    ...people.map((person) => ({
      kind: 'Person',
      title: person.title,
      summary: person.body?.summary ?? '',
      link: hrefOf(person),
      text: person.body?.value ?? '',
    })),
    ...tags.map((tag) => ({
      kind: 'Subject',
      title: tag.title,
      summary: tag.field_teaser,
      link: hrefOf(tag),
      text: tag.body?.value ?? '',
    })),
    ...events.map((outing) => ({
      kind: 'Event',
      title: outing.title,
      summary: outing.field_teaser,
      link: hrefOf(outing),
      text: [outing.body?.value, outing.field_place.name, outing.field_place.country].join(' '),
    })),
  ];
}
