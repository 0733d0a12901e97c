import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { type Preview, type PreviewedSite, servePreviewed, update, writeFiles } from './previewed-site.ts';

const PAGE = `---
import { entities } from 'astro-jsonapi:content';
export async function getStaticPaths() {
  const posts = await entities('post').include('field_author').all();
  return posts.map((post) => ({ params: { slug: post.path.alias.split('/').at(-1) }, props: { post } }));
}
const { post } = Astro.props;
if (post.field_note === 'broken') throw new Error('The note is broken.');
---
<html><body><h1>{post.title}</h1><p class="author">{post.field_author?.title}</p><article set:html={post.body.processed} /></body></html>
<style>h1 { color: rgb(1 2 3) }</style>
<script>document.title = 'Seen';</script>
`;
const LIST = `---
import { entities } from 'astro-jsonapi:content';
const posts = await entities('post').sort('title').all();
---
<ol>{posts.map((post) => <li><a href={\`/posts/\${post.id}\`}>{post.title}</a></li>)}</ol>
`;
const FILES: Readonly<Record<string, string>> = {
  'astro.config.mjs': `import node from '@astrojs/node';
import { memoryCache } from 'astro/config';
import jsonapi from 'astro-jsonapi';
export default {
  cache: { provider: memoryCache() },
  adapter: node({ mode: 'standalone' }),
  integrations: [jsonapi({ editing: true, bundles: { post: { alias: '/posts/[id]' } } })],
};
`,
  'content/schema.ts': `import { defineSchema, reference, z } from 'astro-jsonapi/schema';
export default defineSchema({
  post: { field_author: reference('person').nullish(), field_note: z.string().nullish() },
  person: {},
});
`,
  'src/pages/posts/[slug].astro': PAGE,
  'src/pages/index.astro': LIST,
  'src/lib/kept.ts':
    "import { entities } from 'astro-jsonapi:content';\nexport const kept = (await entities('post').all()).map((post) => post.title);\n",
  'src/pages/kept.astro':
    "---\nexport const prerender = false;\nimport { kept } from '../lib/kept.ts';\n---\n<p>{kept.join()} {Astro.clientAddress}</p>\n",
  'src/pages/fails.astro': `---
import { entities } from 'astro-jsonapi:content';
export const prerender = false;
const apple = await entities('post').get('apple');
if (apple.title === 'Fig') throw new Error('No figs.');
---
<p>{apple.title}</p>
`,
  'src/pages/old.astro': "---\nexport const prerender = false;\nreturn Astro.redirect('/');\n---\n",
  'src/pages/large.ts': `export const prerender = false;
const body = () => 'a'.repeat(12_000_000);
export const GET = ({ url }) => new Response(body(), { headers: { 'content-type': url.searchParams.get('type') } });
`,
  'src/pages/titles.json.ts': `import { entities } from 'astro-jsonapi:content';
export const prerender = false;
export const GET = async () => Response.json((await entities('post').all()).map((post) => post.title));
`,
  'src/pages/feed.xml.ts': `import { entities } from 'astro-jsonapi:content';
export const GET = async () => {
  const posts = await entities('post').sort('title').all();
  const items = posts.map((post) => \`<item><title>\${post.title}</title></item>\`);
  return new Response(\`<rss>\${items.join('')}</rss>\`, { headers: { 'content-type': 'application/rss+xml' } });
};
`,
  'src/pages/fetching.astro': `---
export const prerender = false;
const titles = await (await fetch(new URL('/titles.json', Astro.url))).json();
---
<p>{titles.join()}</p>
`,
  'src/pages/fixed.astro': '<p>Nothing asks.</p>\n',
  'src/pages/live.astro': LIST.replace('---\n', '---\nexport const prerender = false;\n'),
  'src/pages/stored.astro': LIST.replace(
    '---\n',
    '---\nexport const prerender = false;\nAstro.cache.set({ maxAge: 60 });\n',
  ),
  'content/post/apple.md': '---\ntitle: Apple\nfield_author: ada\nfield_note: fine\n---\nAn apple.\n',
  'content/post/plum.md': '---\ntitle: Plum\nfield_author: ada\nfield_note: fine\n---\nA plum.\n',
  'content/post/draft.md': '---\ntitle: Draft\nstatus: false\nfield_author: ada\n---\nNot yet.\n',
  'content/person/ada.md': '---\ntitle: Ada\n---\n',
};

describe.each(['astro dev', 'a built server'] as const)('a preview of unsaved values in %s', (kind) => {
  let previewed: PreviewedSite;

  beforeAll(async () => {
    previewed = await servePreviewed('preview', kind, FILES);
  });
  afterAll(() => previewed?.stop());

  const preview: PreviewedSite['preview'] = (...wanted) => previewed.preview(...wanted);
  const published = (at: string) => previewed.published(at);
  const heading = ({ page }: Preview) => /<h1[^>]*>(.*?)<\/h1>/.exec(page.html ?? '')?.[1];
  const list = (html = '') => [...html.matchAll(/<a href="[^"]*">(.*?)<\/a>/g)].map(([, title]) => title);

  it('shows the page of the entry, and leaves the file and the published page as they are', async () => {
    const before = await published('/posts/apple');
    const file = readFileSync(previewed.site.file('content/post/apple.md'), 'utf8');
    const shown = await preview([update('apple', { title: 'Pear', body: { value: 'A *pear*.' } })]);
    expect(shown.page).toMatchObject({ url: '/posts/apple', status: 200 });
    expect(heading(shown)).toBe('Pear');
    expect(shown.page.html).toContain('A <em>pear</em>.');
    expect(await published('/posts/apple')).toBe(before);
    expect(readFileSync(previewed.site.file('content/post/apple.md'), 'utf8')).toBe(file);
  });

  it.each(['/posts/plum', '/', '/live'])('is the published page if nothing has changed: %s', async (at) => {
    const { page } = await preview([update('apple', {})], at);
    if (kind !== 'astro dev') expect(page.html).toBe(await published(at));
    else expect(page.html).toContain('Plum');
  });

  it.each(['/', '/live'])('changes lists too: %s', async (at) => {
    expect(list(await published(at))).toEqual(['Apple', 'Plum']);
    const { page } = await preview([update('apple', { title: 'Zucchini' })], at);
    expect(list(page.html)).toEqual(['Plum', 'Zucchini']);
    expect(list(await published(at))).toEqual(['Apple', 'Plum']);
  });

  it('neither shows nor fills the cache of pages', async () => {
    const shown = async () => list((await preview([update('apple', { title: 'Fig' })], '/stored')).page.html);
    expect(await shown()).toEqual(['Fig', 'Plum']);
    expect(list(await published('/stored'))).toEqual(['Apple', 'Plum']);
    expect(await shown()).toEqual(['Fig', 'Plum']);
    expect(list(await published('/stored'))).toEqual(['Apple', 'Plum']);
  });

  it('changes pages that show the entry through a reference', async () => {
    const { page } = await preview([update('ada', { title: 'Ada Lovelace' }, 'node--person')], '/posts/plum');
    expect(page.html).toContain('>Ada Lovelace<');
  });

  it('counts the queries of the page, so that editors learn when it does not follow the form', async () => {
    const queries = async (at: string) => (await preview([update('apple', {})], at)).page.queries;
    expect([await queries('/'), await queries('/fixed')]).toEqual([1, 0]);
  });

  it('shows a draft as readers will see it', async () => {
    expect((await fetch(`${previewed.server.origin}/posts/draft`)).status).toBe(404);
    const shown = await preview([update('draft', { title: 'Ready' })]);
    expect([shown.page.status, heading(shown)]).toEqual([200, 'Ready']);
    expect(list((await preview([update('draft', {})], '/')).page.html)).toEqual(['Apple', 'Draft', 'Plum']);
  });

  it('shows a new entry at its future address', async () => {
    const data = { type: 'node--post', id: 'quince', attributes: { title: 'Quince' } };
    const shown = await preview([{ op: 'add', data }]);
    expect(shown.page).toMatchObject({ url: '/posts/quince', status: 200 });
    expect(heading(shown)).toBe('Quince');
    expect((await fetch(`${previewed.server.origin}/posts/quince`)).status).toBe(404);
  });

  it('reports the error of a template with its place', async () => {
    const { status, page } = await preview([update('apple', { field_note: 'broken' })]);
    expect(status).toBe(200);
    expect(page).toMatchObject({ status: 500, message: expect.stringContaining('The note is broken.') });
    expect(page.location).toMatch(/^src\/pages\/posts\/\[slug\]\.astro:\d+:\d+$/);
    expect(heading(await preview([update('apple', {})]))).toBe('Apple');
  });

  it('keeps pages of the same moment apart', async () => {
    const titles = Array.from({ length: 8 }, (_, at) => `Title ${at}`);
    const pages = await Promise.all(
      titles.flatMap((title) => [preview([update('apple', { title })]), published('/posts/apple')]),
    );
    for (const [at, title] of titles.entries()) {
      expect(heading(pages[2 * at] as Preview)).toBe(title);
      expect(pages[2 * at + 1]).toContain('>Apple<');
    }
  });

  it('stays private after a save, and follows further changes', async () => {
    for (const title of ['Damson', 'Plum']) {
      expect((await previewed.save('node--post', 'plum', { title })).status).toBe(200);
      // A built server serves the page of the build.
      if (kind === 'astro dev')
        await eventually(async () => expect(await published('/posts/plum')).toContain(`>${title}<`));
      const before = await published('/posts/plum');
      for (const typed of ['Sloe', 'Greengage']) {
        expect(heading(await preview([update('plum', { title: typed })]))).toBe(typed);
        expect(await published('/posts/plum')).toBe(before);
      }
    }
  });

  it('changes feeds and other data of the site', async () => {
    const text = async (at: string) => (await preview([update('apple', { title: 'Zucchini' })], at)).page;
    const before = await published('/feed.xml');
    expect(before).toContain('<title>Apple</title>');
    const { status, ...shown } = await text('/feed.xml');
    expect([status, shown.html]).toEqual([200, undefined]);
    expect(shown.text).toMatch(/^<rss>.*<title>Zucchini<\/title><\/item><\/rss>$/);
    expect(shown.queries).toBe(1);
    expect(JSON.parse((await text('/titles.json')).text ?? '')).toContain('Zucchini');
    expect(await published('/feed.xml')).toBe(before);
  });

  it('leaves the state of modules as it is', async () => {
    expect((await preview([update('apple', { title: 'Fig' })], '/kept')).page.status).toBe(200);
    expect(await published('/kept')).toContain('Apple,Plum');
  });

  it('lets a page request another address of the site', async () => {
    const start = performance.now();
    const { page } = await preview([update('apple', { title: 'Fig' })], '/fetching');
    // In dev, both are rendered in one process.
    expect(page.html).toContain(kind === 'astro dev' ? 'Fig,Plum' : 'Apple,Plum');
    expect(performance.now() - start).toBeLessThan(10_000);
  });

  it('says that a page on request has failed', async () => {
    const { page } = await preview([update('apple', { title: 'Fig' })], '/fails');
    expect([page.status, page.html]).toEqual([500, undefined]);
    expect(page.message).toMatch(kind === 'astro dev' ? /No figs/ : /The page failed/);
  });

  it('follows redirects within the site', async () => {
    const { page } = await preview([update('apple', { title: 'Fig' })], '/old');
    expect([page.url, list(page.html)]).toEqual(['/', ['Fig', 'Plum']]);
  });

  it('leads from a former address to the new one, as the site does after a save', async () => {
    const move = (id: string) => [update(id, { path: { alias: `/posts/new-${id}` } })];
    const shown = await preview(move('apple'), '/posts/apple?page=2');
    expect(shown.page).toMatchObject({ url: '/posts/new-apple?page=2', status: 200 });
    expect(heading(shown)).toBe('Apple');
    expect((await preview(move('plum'), '/posts/apple')).page.url).toBe('/posts/apple');
    expect((await preview(move('draft'), '/posts/draft')).page).toMatchObject({
      url: '/posts/draft',
      status: 404,
    });
  });

  it.each([
    '/jsonapi/node/%3Cimg%20src=x%20onerror=alert(1)%3E',
    '/api/content/%3Cimg%3E',
    '/large?type=text/event-stream',
    '/large?type=text/html',
  ])('shows pages only, of a limited size: %s', async (at) => {
    const { page } = await preview([update('apple', {})], at);
    expect([404, 500]).toContain(page.status);
    expect(page.html ?? '').not.toMatch(/<img|aaaa/);
  });

  it('refuses the same values as a save, with the place', async () => {
    const [first] = (await preview([update('apple', { title: null })])).errors;
    expect(first?.source).toEqual({ pointer: '/atomic:operations/0/data/attributes/title' });
    const author = { field_author: { data: { type: 'node--person', id: 'nobody' } } };
    const [lost] = (await preview([update('apple', {}, 'node--post', author)])).errors;
    expect(lost?.source).toEqual({ pointer: '/atomic:operations/0/data/relationships/field_author/data' });
  });

  it.each([
    [{}, undefined, 401],
    [undefined, '//other.example/', 400],
    [undefined, 'https://other.example/', 400],
    [undefined, 'posts', 400],
    [undefined, '/%', 400],
  ])('refuses strangers and foreign paths: %j %s', async (headers, at, status) => {
    expect((await preview([update('apple', {})], at, headers)).status).toBe(status);
  });

  it('says so if the entry has no page of its own', async () => {
    const { status, errors } = await preview([update('ada', {}, 'node--person')]);
    expect(status).toBe(404);
    expect(errors[0]).toMatchObject({ code: 'no-page', source: { parameter: 'path' } });
  });
});

const MDX_FILES: Readonly<Record<string, string>> = {
  'astro.config.mjs': `import mdx from '@astrojs/mdx';
import jsonapi from 'astro-jsonapi';
export default { integrations: [mdx(), jsonapi({ editing: true, bundles: { note: { alias: '/notes/[id]' } } })] };
`,
  'src/components/Box.astro': '<aside class="box"><slot /></aside>\n',
  'src/pages/notes/[id].astro': `---
import { entities } from 'astro-jsonapi:content';
export async function getStaticPaths() {
  const notes = await entities('note').all();
  return notes.map((note) => ({ params: { id: note.id }, props: { note } }));
}
---
<article set:html={Astro.props.note.body.processed} />
`,
};

describe('a preview of an MDX file in astro dev', () => {
  const bodyOf = (text: string, boxed: string) =>
    `import Box from '../../src/components/Box.astro';\n\n${text}\n\n<Box>${boxed}</Box>\n`;
  let previewed: PreviewedSite;
  const fileOf = (body: string) => `---\ntitle: Tide\n---\n${body}`;
  const published = () => previewed.published('/notes/tide');

  beforeAll(async () => {
    const tide = fileOf(bodyOf('High water.', 'Twice a day'));
    previewed = await servePreviewed('preview-mdx', 'astro dev', {
      ...MDX_FILES,
      'content/note/tide.mdx': tide,
    });
  });
  afterAll(() => previewed?.stop());

  it('shows unsaved text without its components, and the page has them once it is saved', async () => {
    expect(await published()).toMatch(/High water\..*<aside class="box">\s*Twice a day/s);
    const body = bodyOf('Low water.', 'Every six hours');
    const { page } = await previewed.preview([update('tide', { body: { value: body } }, 'node--note')]);
    expect(page.html).toMatch(/Low water\..*Every six hours/s);
    expect(page.html).not.toMatch(/High water|<aside/);
    expect(await published()).toContain('High water');
    writeFiles(previewed.site, { 'content/note/tide.mdx': fileOf(body) });
    await eventually(async () =>
      expect(await published()).toMatch(/Low water\..*<aside class="box">\s*Every six hours/s),
    );
  });
});
