import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PreviewedSite, servePreviewed } from './previewed-site.ts';

const PICTURES = new URL('fixtures/collections/content/article/', import.meta.url);
const picture = (name: string) => readFileSync(new URL(name, PICTURES));

/** Shows the pictures of an entry in each way that a template has. `post` is in its code. */
const SHOWN = `
{cover && <Image {...cover} width={2} height={2} />}
{cover && <Picture {...cover} widths={[1, 2]} formats={['avif', 'webp']} />}
{post.cover && <Image src={new URL(post.cover.uri.url, Astro.url).href} width={2} height={2} alt="" />}
{post.cover && <div style={\`background: #fff url(\${post.cover.uri.url})\`} />}
{post.cover && <div style={\`background: #fff url("\${post.cover.uri.url}")\`} />}
{post.cover && <style is:inline set:html={\`.hero { background-image: url('\${post.cover.uri.url}'); }\`} />}
{post.cover && <svg><image href={post.cover.uri.url} /></svg>}
{post.cover && <link rel="preload" as="image" href={post.cover.uri.url} imagesrcset={\`\${post.cover.uri.url} 2w\`} />}
{post.cover && <img src={post.cover.uri.url.replace('/content-files/', '/content-files/_styles/small/content/') + '.webp'} alt="" />}
<article set:html={post.body.processed} />`;
const HEAD = `import { entities } from 'astro-jsonapi:content';
import { imageOf } from 'astro-jsonapi:images';
import { Image, Picture } from 'astro:assets';`;
const PAGE = `---
${HEAD}
export async function getStaticPaths() {
  const posts = await entities('post').all();
  return posts.map((post) => ({ params: { slug: post.id }, props: { post } }));
}
const { post } = Astro.props;
const cover = await imageOf(post.cover);
---
<html><body><h1>{post.title}</h1><a href="/">All</a>${SHOWN}</body></html>
`;
const LIST = `---
${HEAD}
const posts = await Promise.all((await entities('post').sort('title').all()).map(async (post) => ({ post, cover: await imageOf(post.cover) })));
---
<html><body><a href="/live">Live</a><a href="/notes">Notes</a><a href="/built-notes">Notes</a>{posts.map(({ post, cover }) => <section><a href={\`/posts/\${post.id}\`}>{post.title}</a>${SHOWN}</section>)}</body></html>
`;
const NOTES = `---
import { getCollection, render } from 'astro:content';
import { Image } from 'astro:assets';
const posts = await getCollection('post', ({ data }) => data.status !== false);
const shown = await Promise.all(posts.map(async (post) => ({ post, ...(await render(post)) })));
---
<html><body>{shown.map(({ post, Content }) => <section><h2>{post.data.title}</h2>{post.data.cover && <Image src={post.data.cover} alt="" width={2} height={2} />}<Content /></section>)}</body></html>
`;
const onRequest = (text: string) => text.replace('---\n', '---\nexport const prerender = false;\n');
const FILES: Readonly<Record<string, string | Uint8Array>> = {
  'astro.config.mjs': `import node from '@astrojs/node';
import jsonapi from 'astro-jsonapi';
export default {
  adapter: node({ mode: 'standalone' }),
  image: { domains: ['127.0.0.1'] },
  integrations: [jsonapi({ editing: true, bundles: { post: { alias: '/posts/[id]' } }, imageStyles: { small: { width: 2 } } })],
};
`,
  'src/content.config.ts': `import { defineCollection } from 'astro:content';
import { glob } from 'astro/loaders';
import { z } from 'astro/zod';
const post = defineCollection({
  loader: glob({ base: './content/post', pattern: '*.md' }),
  schema: ({ image }) => z.object({ title: z.string(), status: z.boolean().optional(), cover: image().optional() }),
});
export const collections = { post };
`,
  'src/pages/posts/[slug].astro': PAGE,
  'src/pages/index.astro': LIST,
  'src/pages/live.astro': onRequest(LIST),
  'src/pages/notes.astro': onRequest(NOTES),
  'src/pages/built-notes.astro': NOTES,
  'src/pages/404.astro': '<p>Nothing is here.</p>\n',
  'content/post/apple.md': '---\ntitle: Apple\ncover: ./apple.png\n---\n![Apples](./apple.png)\n',
  'content/post/plum.md':
    '---\ntitle: Plum\nstatus: false\ncover: ./plum.png\n---\nA *plum*.\n\n![Plums](./plums.png)\n',
  'content/post/sloe.md': '---\ntitle: Sloe\nstatus: false\ncover: ./sloe.png\n---\n![Sloes](./sloe.png)\n',
  'content/post/apple.png': picture('cover.png'),
  'content/post/plum.png': picture('cover.png'),
  'content/post/plums.png': picture('secret.png'),
  'content/post/sloe.png': picture('secret.png'),
};

describe.each(['astro dev', 'a built server'] as const)('pictures of a shared link in %s', (kind) => {
  let opened: PreviewedSite;
  let root: string;
  beforeAll(async () => {
    opened = await servePreviewed('share-pictures', kind, FILES);
    const response = await fetch(`${opened.server.origin}/jsonapi/_shares`, {
      method: 'POST',
      headers: {
        'content-type': 'application/vnd.api+json',
        origin: opened.server.origin,
        ...opened.editor,
      },
      body: JSON.stringify({
        data: { type: 'share', attributes: { resource: { type: 'node--post', id: 'plum' } } },
      }),
    });
    const { data } = await response.json();
    root = data.attributes.url.replace(/\/posts\/plum$/, '');
  });
  afterAll(() => opened?.stop());

  it.each(['/posts/plum', '/', '/live', '/notes', '/built-notes'])('show on %s', async (at) => {
    const html = await (await fetch(root + at)).text();
    expect(html).toContain('Plum');
    const shown = picturesIn(html);
    expect(shown.some((address) => address.includes('plum'))).toBe(true);
    for (const address of shown) {
      const { status, headers } = await fetch(new URL(address, root + at));
      expect([address, status, headers.get('content-type')]).toEqual([
        address,
        200,
        expect.stringMatching(/^image\//),
      ]);
      if (address.startsWith(new URL(root).pathname)) {
        expect(headers.get('cache-control')).toBe('private, no-store');
      } else {
        expect(address).not.toContain('content-files');
      }
    }
  });

  it('of templates are those of the entry, in each way to show one', async () => {
    const shown = picturesIn(await (await fetch(`${root}/posts/plum`)).text());
    const own = `${new URL(root).pathname}/content-files/post/plum.png`;
    // <Image>, <Picture> with three lists, two `style`, one <style>, <image>, and two of <link>.
    expect(shown.filter((address) => address === own).length).toBeGreaterThanOrEqual(10);
    expect(await (await fetch(`${root}/posts/plum`)).text()).toContain(`<image href="${own}"`);
  });

  it.each(['sloe.png', 'none.png', 'plum.md'])(
    'of others, and files that are not pictures, stay hidden: %s',
    async (name) => {
      const { origin } = opened.server;
      const query = new URLSearchParams({
        href: `${origin}/content-files/post/${name}`,
        w: '2',
        h: '2',
        f: 'webp',
      });
      for (const address of [`${root}/_image?${query}`, `${origin}/_image?${query}`]) {
        expect((await fetch(address)).ok).toBe(false);
      }
    },
  );

  it('do not show through Astro without the link', async () => {
    const { origin } = opened.server;
    const query = new URLSearchParams({
      href: `${origin}/content-files/post/plum.png`,
      w: '2',
      h: '2',
      f: 'webp',
    });
    expect((await fetch(`${root}/_image?${query}`)).headers.get('content-type')).toBe('image/webp');
    expect((await fetch(`${origin}/_image?${query}`)).ok).toBe(false);
    expect((await fetch(`${root}x/_image?${query}`)).status).toBe(404);
  });
});

/** The addresses of all pictures in a page. */
function picturesIn(html: string): readonly string[] {
  const text = html.replaceAll('&quot;', '"').replaceAll('&amp;', '&');
  const parts = text.match(/[^\s"'(),<>]+/g) ?? [];
  return parts.filter((part) => /\/(?:content-files|_image|_astro)\b/.test(part));
}
