import { entities } from 'astro-jsonapi:content';
import type { EntityOf } from 'astro-jsonapi/types';

const PAGE_SIZE = 4;

/** The posts for a list, newest first. Signed-in editors also see drafts. */
export function posts({ jsonapi }: Pick<App.Locals, 'jsonapi'>) {
  return entities('post', { as: jsonapi.actor })
    .sort('-date')
    .fields('title', 'path', 'status', 'description', 'date', 'tags', 'cover');
}

type Posts = ReturnType<typeof posts>;
export type PostInList = EntityOf<Posts>;

/** The page of a list that `?page=` asks for, or undefined if there is no such page. */
export async function requestedPage(query: Posts, { searchParams }: URL) {
  const pages = await query.paginate({ size: PAGE_SIZE });
  return pages[Number(searchParams.get('page') ?? 1) - 1];
}

/** Writes a day for readers. A day has no time zone, so it is read and written in UTC. */
export function dateText(day: string): string {
  return new Date(day).toLocaleDateString('en', { dateStyle: 'long', timeZone: 'UTC' });
}
