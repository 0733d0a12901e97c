import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { png, svg } from '../support/pictures.ts';
import { build, copySite, type Served, type Site, serve, serveDev, serveFiles, tryBuild } from './site.ts';

const BASE = '/shop';
const SCHEMA = `import { defineSchema, file, image, z } from 'astro-jsonapi/schema';
export default defineSchema({
  article: { field_cover: image().nullish(), field_paper: file().nullish() },
});
`;
const COVER = png(640, 480);
const TOLD = png(7, 7);

/** A site whose articles have images beside them and in public/. */
function siteWithFiles(name: string): Site {
  const site = copySite('plain', name);
  for (const folder of ['content', 'src/pages']) rmSync(site.file(folder), { recursive: true });
  const write = (file: string, content: string | Uint8Array) => {
    mkdirSync(site.file(file, '..'), { recursive: true });
    writeFileSync(site.file(file), content);
  };
  write('content/schema.ts', SCHEMA);
  write(
    'content/article/beside/index.md',
    '---\nfield_cover: { src: "./the cover.png", alt: A }\nfield_paper: paper.svg\n---\n![Told](deep/told.png)\n',
  );
  write('content/article/beside/deep/told.png', TOLD);
  write('content/article/beside/the cover.png', COVER);
  write('content/article/beside/paper.svg', svg(20, 10));
  write('content/article/public.md', '---\nfield_cover: /images/tide.svg\n---\n');
  write('content/article/draft.md', '---\ndraft: true\nfield_cover: draft.png\n---\n');
  write('content/article/draft.png', png(8, 8));
  write('public/images/tide.svg', svg(1200, 800));
  write('public/images/other.png', png(70, 50));
  write(
    'src/pages/index.astro',
    `---
import { entities } from 'astro-jsonapi:content';
const articles = await entities('article').sort('id').all();
---
{articles.map(({ field_cover: cover }) => cover && <img src={cover.uri.url} alt={cover.alt} width={cover.width} />)}
{articles.map(({ body }) => <Fragment set:html={body?.processed} />)}
`,
  );
  return site;
}

interface Cover {
  readonly uri: { readonly url: string };
  readonly width: number;
}

async function coverOf(origin: string, id: string, suffix = ''): Promise<Cover> {
  const read = async (path: string) => (await fetch(`${origin}${BASE}/jsonapi/${path}${suffix}`)).json();
  const { data } = (await read(`node/article/${id}`)).data.relationships.field_cover;
  const file = await read(`file/file/${data.id}`);
  return { ...data.meta, uri: file.data.attributes.uri };
}

async function load(origin: string, url: string): Promise<[number, string | null, Uint8Array]> {
  const response = await fetch(origin + url);
  return [
    response.status,
    response.headers.get('content-type'),
    new Uint8Array(await response.arrayBuffer()),
  ];
}

const SVG = new TextEncoder().encode(svg(1200, 800));

async function expectFiles(origin: string): Promise<void> {
  const beside = await coverOf(origin, 'beside');
  expect(beside).toMatchObject({
    width: 640,
    uri: { url: `${BASE}/content-files/article/beside/the%20cover.png` },
  });
  expect(await load(origin, beside.uri.url)).toEqual([200, 'image/png', COVER]);
  const own = await coverOf(origin, 'public');
  expect(own).toMatchObject({ width: 1200, uri: { url: `${BASE}/images/tide.svg` } });
  expect(await load(origin, own.uri.url)).toEqual([200, 'image/svg+xml', SVG]);
  const [paper] = await load(origin, `${BASE}/content-files/article/beside/paper.svg`);
  expect(paper).toBe(200);
  const { data } = await (await fetch(`${origin}${BASE}/jsonapi/node/article/beside`)).json();
  const coverUrl = `${BASE}/content-files/article/beside/deep/told.png`;
  expect(data.attributes.body.processed).toContain(`<img alt="Told" src="${coverUrl}">`);
  expect(await load(origin, coverUrl)).toEqual([200, 'image/png', TOLD]);
  for (const hidden of ['article/draft.png', 'article/draft.md', 'schema.ts', 'article/beside/none.png']) {
    expect([hidden, (await fetch(`${origin}${BASE}/content-files/${hidden}`)).status]).toEqual([hidden, 404]);
  }
}

describe('files on a built server', () => {
  let site: Site;
  beforeAll(async () => {
    site = siteWithFiles('files-server');
    await build(site, { SERVER: '1', BASE });
  });
  afterAll(() => site?.remove());

  async function served(
    env: Record<string, string>,
    check: (server: Served) => Promise<void>,
  ): Promise<void> {
    const server = await serve(site, env);
    try {
      await check(server);
    } finally {
      await server.stop();
    }
  }

  it('load from the content folder', async () => {
    await served({}, ({ origin }) => expectFiles(origin));
  });

  it('load from the files included in the build', async () => {
    renameSync(site.file('content'), site.file('content-elsewhere'));
    renameSync(site.file('public'), site.file('public-elsewhere'));
    try {
      await served({}, ({ origin }) => expectFiles(origin));
    } finally {
      renameSync(site.file('content-elsewhere'), site.file('content'));
      renameSync(site.file('public-elsewhere'), site.file('public'));
    }
  });

  it('load from another folder and follow its changes', async () => {
    cpSync(site.file('content'), site.file('deployed'), { recursive: true });
    await served({ JSONAPI_CONTENT_DIR: site.file('deployed') }, async ({ origin }) => {
      await expectFiles(origin);
      writeFileSync(site.file('deployed/article/beside/the cover.png'), png(11, 12));
      writeFileSync(site.file('deployed/article/public.md'), '---\nfield_cover: /images/other.png\n---\n');
      await eventually(async () => {
        expect(await coverOf(origin, 'beside')).toMatchObject({ width: 11 });
        expect(await coverOf(origin, 'public')).toMatchObject({ width: 70 });
      });
      const { uri } = await coverOf(origin, 'beside');
      expect(await load(origin, uri.url)).toEqual([200, 'image/png', png(11, 12)]);
    });
  });
});

async function readDocument(site: Site, path: string) {
  return JSON.parse(readFileSync(site.file(`dist/jsonapi/${path}.json`), 'utf8'));
}

describe('files of a static site', () => {
  it('are copied if pages or bodies show them', async () => {
    const site = siteWithFiles('files-static');
    try {
      const printed = await build(site, { BASE });
      expect(printed).toMatch(/Published \d+ JSON documents, 2 content files: /);
      expect(printed).toContain('Not published: 1 content file that only fields name');
      const { data: paper } = (await readDocument(site, 'node/article/beside')).data.relationships
        .field_paper;
      const { attributes } = (await readDocument(site, `file/file/${paper.id}`)).data;
      expect(attributes.uri).toEqual({ value: 'content://article/beside/paper.svg', url: null });
      expect(readFileSync(site.file('dist/index.html'), 'utf8')).toContain(
        `<img src="${BASE}/content-files/article/beside/the%20cover.png" alt="A" width="640">`,
      );
      const coverUrl = `${BASE}/content-files/article/beside/deep/told.png`;
      expect(readFileSync(site.file('dist/index.html'), 'utf8')).toContain(
        `<img alt="Told" src="${coverUrl}">`,
      );
      const server = await serveFiles(site.file('dist'), BASE);
      expect(await load(server.origin, coverUrl)).toEqual([200, 'image/png', TOLD]);
      for (const [id, bytes] of [
        ['beside', COVER],
        ['public', SVG],
      ] as const) {
        const { uri } = await coverOf(server.origin, id, '.json');
        expect(await load(server.origin, uri.url)).toEqual([200, expect.stringMatching(/^image\//), bytes]);
      }
      await server.stop();
      expect(existsSync(site.file('dist/content-files/article/draft.png'))).toBe(false);
      writeFileSync(site.file('content/article/public.md'), '---\nfield_cover: /images/tides.svg\n---\n');
      const { code, output } = await tryBuild(site, { BASE });
      expect(code).not.toBe(0);
      expect(output).toContain(
        'content/article/public.md:2:14 There is no file `/images/tides.svg`. (Did you mean `/images/tide.svg`?)',
      );
    } finally {
      site.remove();
    }
  });
});

describe('files in astro dev', () => {
  it('load, and entities follow their changes', async () => {
    const site = siteWithFiles('files-dev');
    const server = await serveDev(site, { BASE, ASTRO_TELEMETRY_DISABLED: '1' });
    try {
      await eventually(() => expectFiles(server.origin));
      writeFileSync(site.file('content/article/beside/the cover.png'), png(21, 22));
      writeFileSync(site.file('public/images/tide.svg'), svg(30, 40));
      await eventually(async () => {
        expect(await coverOf(server.origin, 'beside')).toMatchObject({ width: 21 });
        expect(await coverOf(server.origin, 'public')).toMatchObject({ width: 30 });
      });
    } finally {
      await server.stop();
      site.remove();
    }
  });
});
