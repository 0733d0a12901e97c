import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { build, emptySite, REPOSITORY, type Served, type Site, serve } from '../astro/site.ts';
import { WHOLE_IMAGES } from '../support/pictures.ts';

/** In the order in which a reader adds their files: a later file replaces an earlier one of the same name. */
const PAGES = [
  'docs/tutorial',
  'docs/cookbook/paging',
  'docs/cookbook/tags',
  'docs/cookbook/related-posts',
  'docs/cookbook/previous-next',
  'docs/cookbook/rss',
  'docs/cookbook/sitemap',
  'docs/cookbook/search',
  'docs/cookbook/table-of-contents',
  'docs/cookbook/images',
  'docs/cookbook/dates',
  'docs/cookbook/index',
  'README',
];
/** A block whose first line, or the first line of its frontmatter, is a comment with the name of a file. */
const NAMED_BLOCK = /^```\w+\n((?:---\n)?(?:\/\/|#) ([\w./[\]-]+\.\w+)\n.*?)^```$/gms;
const COMMAND = /^curl (?:-g )?"http:\/\/localhost:4321(\/[^"]+)"$/gm;

const textOf = (page: string) => readFileSync(path.join(REPOSITORY, `${page}.md`), 'utf8');

describe('the blog of docs/tutorial.md with all recipes of docs/cookbook and the examples of the README', () => {
  let site: Site;
  let server: Served;
  const page = (name: string) => readFileSync(site.file('dist/client', name, 'index.html'), 'utf8');
  const file = (name: string) => readFileSync(site.file('dist/client', name), 'utf8');
  const linksIn = (html: string) => [...html.matchAll(/<a [^>]*href="([^"]+)"[^>]*>([^<]*)<\/a>/g)];
  const titlesIn = (html: string) =>
    linksIn(html).flatMap(([, href = '', title = '']) => (href.startsWith('/posts/') ? [title] : []));

  beforeAll(async () => {
    site = emptySite('docs-blog');
    for (const [, text = '', name = ''] of PAGES.flatMap((each) => [...textOf(each).matchAll(NAMED_BLOCK)])) {
      write(site.file(name), text);
    }
    write(site.file('content/post/storm-glass.jpg'), WHOLE_IMAGES['a.jpg'] ?? '');
    await build(site);
    server = await serve(site);
  });
  afterAll(async () => {
    await server?.stop();
    site?.remove();
  });

  it('has no recipe without files', () => {
    expect(PAGES.filter((each) => [...textOf(each).matchAll(NAMED_BLOCK)].length === 0)).toEqual([]);
  });

  it('lists posts on pages, the newest first, with their authors', () => {
    expect(titlesIn(page(''))).toEqual(['The storm glass', 'Low water']);
    expect(page('')).toContain('By Ben Quay');
    expect(page('')).toContain('<a href="/2">Older posts</a>');
    expect(titlesIn(page('2'))).toEqual(['First light']);
    expect(page('2')).toContain('<a href="/">Newer posts</a>');
  });

  it('has a page for each tag, with its count', () => {
    expect(page('tags/harbour')).toContain('<h1>harbour (2)</h1>');
    expect(titlesIn(page('tags/harbour'))).toEqual(['Low water', 'First light']);
    expect(page('tags')).toContain('<a href="/tags/harbour">harbour</a> (2)');
  });

  it('numbers the pages of a list for each tag', () => {
    const numbers = linksIn(page('topics/harbour/2')).map(([, href, text]) => [text, href]);
    expect(numbers.slice(-3)).toEqual([
      ['Previous', '/topics/harbour'],
      ['1', '/topics/harbour'],
      ['2', '/topics/harbour/2'],
    ]);
    expect(page('topics/harbour/2')).toContain('aria-current="page">2<');
  });

  it('shows contents, related posts, neighbors and the date of a post', () => {
    const post = page('posts/low-water');
    expect(post).toContain('<a href="#what-to-bring">What to bring</a>');
    expect(post).toContain(
      '<h2>Related posts</h2><ul><li><a href="/posts/storm-glass">The storm glass</a></li><li><a href="/posts/first-light">First light</a></li></ul>',
    );
    expect(post).toContain('<a rel="prev" href="/posts/first-light">← First light</a>');
    expect(post).toContain('<a rel="next" href="/posts/storm-glass">The storm glass →</a>');
    expect(post).toContain('By Ben Quay, <time datetime="2026-04-18T00:00:00+00:00">April 18, 2026</time>');
    const alone = page('posts/storm-glass');
    expect(alone).not.toContain('<li><a href="/posts/storm-glass">');
    expect(alone).not.toContain('Contents');
  });

  it('optimizes the cover, and serves the image of the text', async () => {
    const post = page('posts/storm-glass');
    expect(post).toMatch(/<img src="\/_astro\/storm-glass\.\w+\.webp" alt="Crystals in a glass tube"/);
    expect(post).toContain('alt="The tube on its stand" src="/content-files/post/storm-glass.jpg"');
    const image = await fetch(`${server.origin}/content-files/post/storm-glass.jpg`);
    expect(image.headers.get('content-type')).toBe('image/jpeg');
  });

  it('groups the archive by year, without a scheduled post', () => {
    expect(page('archive')).toContain('<h2>2026 (3)</h2>');
    expect(titlesIn(page('archive'))).toEqual(['The storm glass', 'Low water', 'First light']);
  });

  it('has feeds', () => {
    expect(file('rss.xml').match(/<title>[^<]+/g)).toEqual(
      ['Harbour notes', 'The storm glass', 'Low water', 'First light'].map((title) => `<title>${title}`),
    );
    expect(file('feeds/weather.xml')).toContain(
      'src=&quot;https://blog.example/content-files/post/storm-glass.jpg&quot;',
    );
  });

  it('has sitemaps', () => {
    expect(file('sitemap-0.xml')).toContain('<loc>https://blog.example/posts/low-water/</loc>');
    expect(file('sitemap-posts.xml')).toMatch(
      /<loc>https:\/\/blog.example\/posts\/low-water<\/loc><lastmod>\d{4}-/,
    );
    expect(file('sitemap-posts.xml')).not.toContain('winter-lights');
  });

  it('has an index for a search in the browser', () => {
    const entries: { id: string; text: string }[] = JSON.parse(file('search-index.json'));
    expect(entries.filter(({ text }) => text.includes('harbour')).map(({ id }) => id)).toEqual([
      'low-water',
      'first-light',
    ]);
  });

  it.each([
    ['tubes', ['The storm glass']],
    ['', []],
    ['!!!', []],
    [Array.from('abcdefghijklmnopqrstuvwxyz0123456789').join(' '), []],
  ])('searches on the server: %j', async (words, titles) => {
    const response = await fetch(`${server.origin}/search?q=${encodeURIComponent(words)}`);
    expect(response.status).toBe(200);
    expect(titlesIn(await response.text())).toEqual(titles);
  });

  it('answers the queries of the README in a page and over HTTP', async () => {
    expect(titlesIn(page('latest'))).toEqual(['The storm glass', 'First light']);
    const [jsonapi, plain, ...others] = await Promise.all(
      [...textOf('README').matchAll(COMMAND)].map(async ([, query = '']) =>
        (await fetch(`${server.origin}${query}`)).json(),
      ),
    );
    expect(others).toEqual([]);
    expect(jsonapi.data.map(({ id }: { id: string }) => id)).toEqual(['storm-glass', 'first-light']);
    expect(plain.data.map(({ author }: { author: unknown }) => author)).toMatchObject([
      { title: 'Ada Moor' },
      { title: 'Ben Quay' },
    ]);
  });

  it('answers the queries of the tutorial over HTTP', async () => {
    const [jsonapi, plain] = await Promise.all(
      [...textOf('docs/tutorial').matchAll(COMMAND)].map(async ([, query = '']) =>
        (await fetch(`${server.origin}${query}`)).json(),
      ),
    );
    expect(jsonapi.data.map(({ id }: { id: string }) => id)).toEqual(['storm-glass', 'first-light']);
    expect(jsonapi.included).toMatchObject([{ attributes: { title: 'Ada Moor' } }]);
    const [, shown = ''] = /^```json\n(.*?)^```$/ms.exec(textOf('docs/tutorial')) ?? [];
    expect(plain).toMatchObject(JSON.parse(shown));
  });
});

function write(name: string, data: string | Uint8Array): void {
  mkdirSync(path.dirname(name), { recursive: true });
  writeFileSync(name, data);
}
