import { entities } from 'astro-jsonapi:content';
import rss from '@astrojs/rss';
import type { APIRoute } from 'astro';

const ITEMS = 20;

/** The newest posts as RSS. */
export const GET: APIRoute = async ({ site, url }) => {
  const posts = await entities('post').sort('-date').limit(ITEMS).all();
  return rss({
    title: 'Workbench',
    description: 'Notes on things that can be repaired.',
    site: site ?? url.origin,
    items: posts.map(({ title, path, date, description }) => ({
      title,
      description,
      link: path.alias ?? '/',
      pubDate: new Date(date),
    })),
    trailingSlash: false,
    customData: '<language>en</language>',
  });
};
