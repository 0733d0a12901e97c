import { getLiveCollection } from 'astro:content';
import { include } from './drupal.ts';

const PAGE_SIZE = 10;

export type ArticlePage = Awaited<ReturnType<typeof articlePage>>;

/** The page of articles that `?page=` asks for, newest first; with `tag`, only those with this term. */
export async function articlePage({ searchParams }: URL, tag?: string) {
  const number = Math.max(1, Math.trunc(Number(searchParams.get('page'))) || 1);
  // One article more than a page shows is the sign of a next page.
  const { entries = [], error } = await getLiveCollection('article', {
    filter: { status: 1, ...(tag !== undefined && { 'field_tags.id': tag }) },
    sort: '-created',
    include,
    page: { limit: PAGE_SIZE + 1, offset: (number - 1) * PAGE_SIZE },
  });
  return {
    articles: entries.slice(0, PAGE_SIZE),
    newer: number > 1 ? `?page=${number - 1}` : undefined,
    older: entries.length > PAGE_SIZE ? `?page=${number + 1}` : undefined,
    problem: error?.message,
  };
}
