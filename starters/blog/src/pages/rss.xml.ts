import { entities } from 'astro-jsonapi:content';
import type { APIRoute } from 'astro';

const ITEMS = 20;

/** The newest posts as RSS 2.0. */
export const GET: APIRoute = async ({ site, url }) => {
  const posts = await entities('post').sort('-date').limit(ITEMS).all();
  const absolute = (path: string) => escapeXml(new URL(path, site ?? url).href);
  const items = posts.map(
    ({ title, path, date, description }) => `
    <item>
      <title>${escapeXml(title)}</title>
      <link>${absolute(path.alias ?? '/')}</link>
      <guid>${absolute(path.alias ?? '/')}</guid>
      <pubDate>${new Date(date).toUTCString()}</pubDate>
      <description>${escapeXml(description)}</description>
    </item>`,
  );
  const feed = `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0">
  <channel>
    <title>Workbench</title>
    <link>${absolute('/')}</link>
    <description>Notes on things that can be repaired.</description>
    <language>en</language>${items.join('')}
  </channel>
</rss>
`;
  return new Response(feed, { headers: { 'Content-Type': 'application/rss+xml; charset=utf-8' } });
};

function escapeXml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
