import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { build, emptySite, type Served, type Site, serveDev } from './site.ts';

const FILM = `<video src="./tide.mp4" poster="./ebb &amp; flow.jpg" aria-label="The tide" preload="none" controls></video>

<audio aria-label="Gulls" controls>
  <source src="gulls.mp3" />
</audio>

Not this: \`<video src="tide.mp4">\`, and not <img src="missing.png" alt="" />.
`;
const SERVED = [
  'src="/docs/content-files/article/tide.mp4"',
  'poster="/docs/content-files/article/ebb%20%26%20flow.jpg"',
  'src="/docs/content-files/article/gulls.mp3"',
  'src="missing.png"',
];
const MDX = `import Film from '../../src/film.astro';

${FILM}
<Film src="./tide.mp4" />
`;

/** Pages of a site with the collection of the loader, with a collection of Astro itself, and with a page that imports MDX. */
function mediaSite(name: string): Site {
  const site = emptySite(name);
  const files = {
    'astro.config.mjs': `import mdx from '@astrojs/mdx';
import jsonapi from 'astro-jsonapi';
export default { base: '/docs', devToolbar: { enabled: false }, integrations: [mdx(), jsonapi()] };
`,
    'content/schema.ts': `import { defineSchema } from 'astro-jsonapi/schema';\nexport default defineSchema({ article: {} });\n`,
    'content/article/plain.md': `---\ntitle: Plain\n---\n${FILM}`,
    'content/article/code.mdx': `---\ntitle: Code\n---\n${MDX}`,
    'content/article/tide.mp4': 'film',
    'content/article/gulls.mp3': 'sound',
    'content/article/ebb & flow.jpg': 'picture',
    'src/film.astro': '<p class="film">{Astro.props.src}</p>\n',
    'src/content.config.ts': `import { defineCollection } from 'astro:content';
import { glob } from 'astro/loaders';
import { jsonapiLoader } from 'astro-jsonapi/loader';
export const collections = {
  article: defineCollection({ loader: jsonapiLoader('article') }),
  own: defineCollection({ loader: glob({ base: 'content/article', pattern: '*.{md,mdx}' }) }),
};
`,
    'src/pages/[collection]/[id].astro': `---
import { getCollection, render } from 'astro:content';
export async function getStaticPaths() {
  const entries = [...(await getCollection('article')), ...(await getCollection('own'))];
  return entries.map((entry) => ({ params: { collection: entry.collection, id: entry.id }, props: { entry } }));
}
const { Content } = await render(Astro.props.entry);
---
<Content />
`,
  };
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(site.file(file)), { recursive: true });
    writeFileSync(site.file(file), text);
  }
  return site;
}

const PAGES = ['article/plain', 'article/code', 'own/plain', 'own/code'];

describe('videos and sounds of texts in a built site', () => {
  let site: Site;

  beforeAll(async () => {
    site = mediaSite('media');
    await build(site);
  });
  afterAll(() => site?.remove());

  it.each(PAGES)('have the addresses that serve them in %s', (page) => {
    const html = readFileSync(site.file('dist', page, 'index.html'), 'utf8');
    for (const part of SERVED) expect(html).toContain(part);
    expect(html.replaceAll('&quot;', '"')).toContain('video src="tide.mp4"');
    for (const [, file = ''] of html.matchAll(/(?:src|poster)="\/docs\/([^"]+)"/g)) {
      expect(existsSync(site.file('dist', decodeURIComponent(file)))).toBe(true);
    }
  });

  it('have the same addresses in documents, and components get the paths that their author wrote', () => {
    const file = readFileSync(site.file('dist/jsonapi/node/article/code.json'), 'utf8');
    const { data } = JSON.parse(file) as {
      data: { attributes: { body: { value: string; processed: string } } };
    };
    for (const part of SERVED) expect(data.attributes.body.processed).toContain(part);
    expect(data.attributes.body.processed).toContain('<p class="film">./tide.mp4</p>');
    expect(data.attributes.body.value).toContain('<video src="./tide.mp4"');
  });
});

describe('videos and sounds of texts in astro dev', () => {
  let site: Site;
  let server: Served;

  beforeAll(async () => {
    site = mediaSite('media-dev');
    server = await serveDev(site);
  });
  afterAll(async () => {
    await server?.stop();
    site?.remove();
  });

  it.each(PAGES)('have the addresses that serve them in %s', async (page) => {
    const html = await (await fetch(`${server.origin}/docs/${page}`)).text();
    for (const part of SERVED) expect(html).toContain(part);
  });

  it('have them after an edit', async () => {
    const surf = '<video src="surf.mp4" controls></video>';
    writeFileSync(site.file('content/article/surf.mp4'), 'film');
    for (const name of ['plain.md', 'code.mdx']) {
      writeFileSync(site.file('content/article', name), `---\ntitle: Surf\n---\n${surf}\n`);
    }
    for (const page of PAGES) {
      await eventually(async () => {
        const html = await (await fetch(`${server.origin}/docs/${page}`)).text();
        expect(html).toContain('src="/docs/content-files/article/surf.mp4"');
      });
    }
  });
});
