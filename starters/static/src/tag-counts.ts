import { entities } from 'astro-jsonapi:content';

/** The tags that recipes have, the most frequent first. */
export async function tagCounts() {
  const { tags } = await entities('recipe').facets({ tags: {} });
  return tags.terms.map(({ value, label, count }) => ({ id: value, title: label, count }));
}
