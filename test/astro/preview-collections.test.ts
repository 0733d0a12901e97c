import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { type Preview, type PreviewedSite, servePreviewed, update, writeFiles } from './previewed-site.ts';
import { build, emptySite } from './site.ts';

const CONFIG = `import { defineCollection, reference } from 'astro:content';
import { file, glob } from 'astro/loaders';
import { z } from 'astro/zod';
import { jsonapiLoader } from 'astro-jsonapi/loader';
const post = defineCollection({
  loader: glob({ base: './src/content/post', pattern: '**/*.{md,mdx}' }),
  schema: ({ image }) => z.object({
    title: z.string().transform((title) => title.trim()),
    day: z.coerce.date(),
    author: reference('author').optional(),
    cover: image().optional(),
    draft: z.boolean().default(false),
  }),
});
const author = defineCollection({
  loader: glob({ base: './src/content/author', pattern: '*.json' }),
  schema: z.object({ name: z.string() }),
});
const shop = defineCollection({ loader: file('./src/data/shops.json') });
const past = defineCollection({ loader: async () => [{ id: 'apple', title: 'Apple' }] });
export const collections = { post, author, shop, past, tale: defineCollection({ loader: jsonapiLoader('post') }) };
`;
const PAGE = `---
import { getCollection, getEntry, render } from 'astro:content';
import { Image } from 'astro:assets';
export async function getStaticPaths() {
  const posts = await getCollection('post', ({ data }) => !data.draft);
  return posts.map((post) => ({ params: { id: post.id }, props: { post } }));
}
const { post } = Astro.props;
if (post.data.title === 'Broken') throw new Error('The title is broken.');
const author = post.data.author && (await getEntry(post.data.author));
const { Content, headings } = await render(post);
---
<html><body>
<h1>{post.data.title}</h1>
<time>{post.data.day.toISOString()}</time>
<p class="author">{author?.data.name}</p>
<nav>{headings.map(({ text }) => text)}</nav>
{post.data.cover && <Image src={post.data.cover} alt="" width={4} height={4} />}
<article><Content /></article>
</body></html>
`;
const LIST = `---
import { getCollection } from 'astro:content';
const posts = await getCollection('post', ({ data }) => !data.draft);
posts.sort((a, b) => b.data.day - a.data.day);
---
<ol>{posts.map((post) => <li><a href={\`/posts/\${post.id}\`}>{post.data.title}</a></li>)}</ol>
`;
const FILES: Readonly<Record<string, string | Uint8Array>> = {
  'astro.config.mjs': `import node from '@astrojs/node';
import mdx from '@astrojs/mdx';
import jsonapi from 'astro-jsonapi';
export default {
  adapter: node({ mode: 'standalone' }),
  integrations: [mdx(), jsonapi({ editing: true, roles: { coder: { also: ['write mdx'] } }, contentDir: 'src/content', bundles: { post: { alias: '/posts/[id]' } } })],
};
`,
  'src/content.config.ts': CONFIG,
  'src/components/Box.astro': '<aside><slot /></aside>\n<style>aside { color: rgb(4 5 6) }</style>\n',
  'src/pages/posts/[id].astro': PAGE,
  'src/pages/index.astro': LIST,
  'src/pages/live.astro': LIST.replace('---\n', '---\nexport const prerender = false;\n'),
  'src/pages/rss.xml.ts': `import { getCollection } from 'astro:content';
export async function GET() {
  const posts = await getCollection('post', ({ data }) => !data.draft);
  posts.sort((a, b) => b.data.day - a.data.day);
  const items = posts.map(({ data }) => \`<item><title>\${data.title}</title></item>\`);
  return new Response(\`<rss>\${items.join('')}</rss>\`, { headers: { 'content-type': 'application/xml' } });
}
`,
  'src/pages/tales.astro': `---
import { getCollection, getEntries } from 'astro:content';
const tales = await getCollection('tale');
const again = await getEntries(tales.map(({ collection, id }) => ({ collection, id })));
---
<ol>{again.map((tale) => <li><a href={tale.data.day}>{tale.data.title}</a></li>)}</ol>
`,
  'src/pages/shops.astro': `---
import { getCollection, getEntry } from 'astro:content';
const [shops, past] = [await getCollection('shop'), await getEntry('past', 'apple')];
---
<ol>{[past, ...shops].map(({ data }) => <li>{data.title}</li>)}</ol>
`,
  'src/pages/people/[id].astro': `---
import { getCollection } from 'astro:content';
export async function getStaticPaths() {
  const authors = await getCollection('author');
  return authors.map((author) => ({ params: { id: author.id }, props: { author } }));
}
---
<h1>{Astro.props.author.data.name}</h1>
`,
  'src/pages/people/index.astro': `---
import { getCollection } from 'astro:content';
export const prerender = false;
const [some, none] = await Promise.all([true, false].map((all) => getCollection('author', () => all)));
---
<h1>{[...some, ...none].map(({ data }) => data.name)}</h1>
`,
  'src/data/shops.json': '[{ "id": "north", "title": "North" }, { "id": "south", "title": "South" }]\n',
  'src/content/post/apple.md':
    '---\ntitle: Apple\nday: 2024-01-01\nauthor: ada\ncover: ./cover.png\n---\n## Core\n\n![Seeds](./seeds.png)\n',
  'src/content/post/plum.md': '---\ntitle: Plum\nday: 2024-02-01\nauthor: ada\n---\nA plum.\n',
  'src/content/post/tide.mdx':
    "---\ntitle: Tide\nday: 2024-03-01\n---\nimport Box from '../../components/Box.astro';\n\nHigh water.\n\n<Box>Twice a day</Box>\n",
  'src/content/post/draft.md': '---\ntitle: Draft\nday: 2023-01-01\ndraft: true\n---\nNot yet.\n',
  'src/content/post/cover.png': readFileSync(
    new URL('fixtures/collections/content/article/cover.png', import.meta.url),
  ),
  'src/content/post/seeds.png': readFileSync(
    new URL('fixtures/collections/content/article/secret.png', import.meta.url),
  ),
  'src/content/author/ada.json': '{ "name": "Ada" }\n',
};

describe.each(['astro dev', 'a built server'] as const)(
  'a preview of pages with getCollection in %s',
  (kind) => {
    let opened: PreviewedSite;
    beforeAll(async () => {
      opened = await servePreviewed('preview-collections', kind, FILES, ['editor', 'coder']);
    });
    afterAll(() => opened?.stop());

    const html = ({ page, errors }: Preview) => page?.html ?? JSON.stringify(page ?? errors);
    const part = (text: string, tag: string) =>
      new RegExp(`<${tag}[^>]*>(.*?)</${tag}>`, 's').exec(text)?.[1];
    const list = (text = '') => [...text.matchAll(/<a href="[^"]*">(.*?)<\/a>/g)].map(([, title]) => title);

    it('shows the fields and the text of the entry', async () => {
      const before = await opened.published('/posts/apple');
      const shown = await opened.preview([
        update('apple', {
          title: ' Pear ',
          day: '2025-12-31T00:00:00Z',
          body: { value: '## Stem\n\nA *pear*.' },
        }),
      ]);
      expect(shown.page).toMatchObject({ url: '/posts/apple', status: 200 });
      const text = html(shown);
      expect([part(text, 'h1'), part(text, 'time'), part(text, 'nav')]).toEqual([
        'Pear',
        '2025-12-31T00:00:00.000Z',
        'Stem',
      ]);
      expect(part(text, 'article')).toContain('A <em>pear</em>.');
      expect(await opened.published('/posts/apple')).toBe(before);
    });

    it.each(['/posts/apple', '/posts/tide', '/', '/live', '/tales'])(
      'is the published page if nothing has changed: %s',
      async (at) => {
        const { page } = await opened.preview([update('apple', {})], at);
        if (kind !== 'astro dev') expect(page.html).toBe(await opened.published(at));
        else expect(page.html).toContain(at === '/posts/apple' ? 'Apple' : 'Tide');
      },
    );

    it('keeps the pictures of an entry whose text changes', async () => {
      const body = { value: '## Core\n\nNew. ![Seeds](./seeds.png)' };
      const shown = html(await opened.preview([update('apple', { title: 'Pear', body })]));
      const pictures = (text: string) => [...text.matchAll(/<img[^>]*>/g)].map(([tag]) => tag);
      const published = pictures(await opened.published('/posts/apple'));
      expect(published).toHaveLength(2);
      expect(pictures(shown)).toEqual(published);
    });

    it.each(['/', '/live'])('changes lists, their order and their links: %s', async (at) => {
      expect(list(await opened.published(at))).toEqual(['Tide', 'Plum', 'Apple']);
      const shown = await opened.preview(
        [update('apple', { title: 'Zucchini', day: '2025-01-01T00:00:00Z' })],
        at,
      );
      expect(list(html(shown))).toEqual(['Zucchini', 'Tide', 'Plum']);
      expect(shown.page.queries).toBe(1);
      expect(list(await opened.published(at))).toEqual(['Tide', 'Plum', 'Apple']);
    });

    it('changes feeds', async () => {
      const titles = (text = '') => [...text.matchAll(/<title>(.*?)<\/title>/g)].map(([, title]) => title);
      const before = await opened.published('/rss.xml');
      expect(titles(before)).toEqual(['Tide', 'Plum', 'Apple']);
      const changed = update('apple', { title: 'Zucchini', day: '2025-01-01T00:00:00Z' });
      const { page } = await opened.preview([changed], '/rss.xml');
      expect(titles(page.text)).toEqual(['Zucchini', 'Tide', 'Plum']);
      expect(await opened.published('/rss.xml')).toBe(before);
    });

    it('changes collections of jsonapiLoader', async () => {
      const published = list(await opened.published('/tales'));
      expect(published).toEqual(['Apple', 'Plum', 'Tide']);
      const shown = await opened.preview([update('apple', { title: 'Zucchini' })], '/tales');
      expect(list(html(shown))).toEqual(['Zucchini', 'Plum', 'Tide']);
      const deleted = await opened.preview(
        [{ op: 'remove', ref: { type: 'node--post', id: 'plum' } }],
        '/tales',
      );
      expect(list(html(deleted))).toEqual(['Apple', 'Tide']);
      expect(list(html(await opened.preview([update('draft', {})], '/tales')))).toContain('Draft');
    });

    it('names the collections of a page that does not follow the form', async () => {
      const { page } = await opened.preview([update('apple', { title: 'Pear' })], '/shops');
      expect(page).toMatchObject({ status: 200, queries: 0, collections: ['shop', 'past'] });
      const followed = await opened.preview([update('ada', {}, 'node--author')], '/');
      expect([followed.page.queries, followed.page.collections]).toEqual([1, undefined]);
    });

    it('offers pages that read an entry without a page of its own', async () => {
      // In dev, those that were opened.
      for (const at of ['/posts/plum', '/people/ada', '/people', '/live']) await opened.published(at);
      const [first] = (await opened.preview([update('ada', {}, 'node--author')])).errors;
      expect(first).toMatchObject({ code: 'no-page' });
      const { pages } = (first?.meta ?? {}) as { pages: readonly string[] };
      const addresses = pages.map((each) => each.replace(/\/$/, ''));
      expect(addresses).toEqual(expect.arrayContaining(['/posts/plum', '/people/ada', '/people']));
      expect(pages).not.toContain('/live');
      const shown = await opened.preview([update('ada', { name: 'Ada King' }, 'node--author')], pages[0]);
      expect(html(shown)).toContain('Ada King');
    });

    it('changes values that a page gets through a reference', async () => {
      const shown = await opened.preview(
        [update('ada', { name: 'Ada Lovelace' }, 'node--author')],
        '/posts/plum',
      );
      expect(html(shown)).toContain('>Ada Lovelace<');
    });

    it('shows a draft as readers will see it', async () => {
      const shown = await opened.preview([update('draft', { title: 'Ready' })]);
      expect([shown.page.status, part(html(shown), 'h1')]).toEqual([200, 'Ready']);
      expect(list(html(await opened.preview([update('draft', {})], '/')))).toContain('Draft');
    });

    it('shows a new entry at its future address, and leaves out a deleted entry', async () => {
      const data = {
        type: 'node--post',
        id: 'quince',
        attributes: { title: 'Quince', day: '2024-05-05T00:00:00Z' },
      };
      const shown = await opened.preview([{ op: 'add', data }]);
      expect(shown.page).toMatchObject({ url: '/posts/quince', status: 200 });
      expect(part(html(shown), 'h1')).toBe('Quince');
      expect(list(html(await opened.preview([{ op: 'add', data }], '/')))[0]).toBe('Quince');
      const remove = [{ op: 'remove', ref: { type: 'node--post', id: 'plum' } }];
      expect(list(html(await opened.preview(remove, '/')))).toEqual(['Tide', 'Apple']);
      expect((await opened.preview(remove, '/posts/plum')).page.status).toBe(404);
    });

    it('keeps the components of MDX until its text changes', async () => {
      const titled = html(await opened.preview([update('tide', { title: 'Tides' })]));
      expect([part(titled, 'h1'), part(titled, 'aside')]).toEqual([
        'Tides',
        expect.stringContaining('Twice a day'),
      ]);
      const body = {
        value: FILES['src/content/post/tide.mdx']?.toString().split('---\n')[2]?.replace('High', 'Low'),
      };
      const shown = html(await opened.preview([update('tide', { body })]));
      expect(part(shown, 'article')).toMatch(/Low water\..*Twice a day/s);
    });

    it('reports the error of a template with its place', async () => {
      const { page } = await opened.preview([update('apple', { title: 'Broken' })]);
      expect(page).toMatchObject({ status: 500, message: expect.stringContaining('The title is broken.') });
    });

    it('shows changes saved after the build', async () => {
      expect((await opened.save('node--post', 'plum', { title: 'Damson' })).status).toBe(200);
      if (kind === 'astro dev')
        for (const at of ['/', '/tales'])
          await eventually(async () => expect(list(await opened.published(at))).toContain('Damson'));
      const shown = async (at: string) =>
        list(html(await opened.preview([update('apple', { title: 'Fig' })], at))).toSorted();
      expect([await shown('/'), await shown('/tales')]).toEqual([
        ['Damson', 'Fig', 'Tide'],
        ['Damson', 'Fig', 'Tide'],
      ]);
    });
  },
);

describe('the HTML of pages with getCollection', () => {
  it('is the same in builds with and without previews', async () => {
    const pages = async (name: string, change: (config: string) => string) => {
      const site = emptySite(`preview-collections-${name}`);
      const config = change(String(FILES['astro.config.mjs']));
      writeFiles(site, { ...FILES, 'astro.config.mjs': config });
      await build(site);
      const client = site.file('dist/client');
      const files = readdirSync(client, { recursive: true, encoding: 'utf8' });
      const shown = files.filter((file) => /\.(?:html|css|png|webp)$/.test(file)).sort();
      const bytes = shown.map((file) => [file, readFileSync(path.join(client, file), 'base64')] as const);
      site.remove();
      return Object.fromEntries(bytes);
    };
    const without = await pages('without', (config) => config.replace('editing: true', 'editing: false'));
    expect(Object.keys(without)).toContain('posts/tide/index.html');
    expect(await pages('with', (config) => config)).toEqual(without);
  });
});
