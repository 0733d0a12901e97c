import { cpSync, globSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFetch } from '../../integration/client.ts';
import { expectJsonApi } from '../support/json-schema.ts';
import { QUERIES } from './queries.ts';
import { build, copySite, REPOSITORY, type Served, type Site, serve, serveFiles } from './site.ts';

interface Document {
  readonly data: readonly unknown[];
  readonly meta?: { readonly count?: number };
  readonly links: Readonly<Record<string, { readonly href: string }>>;
}

describe('one query in four modes', () => {
  let site: Site;
  let server: Served;
  let files: Served;
  let fromSnapshot: typeof fetch;
  let atBuild: Readonly<Record<string, Document>>;

  beforeAll(async () => {
    site = copySite('four-modes', 'four-modes');
    cpSync(path.join(REPOSITORY, 'public'), site.file('public'), { recursive: true });
    cpSync(path.join(REPOSITORY, 'content'), site.file('content'), {
      recursive: true,
      preserveTimestamps: true,
    });
    writeFileSync(site.file('queries.json'), JSON.stringify(QUERIES));
    await build(site, {}, 'static');
    await build(site, { SERVER: '1' }, 'dist');
    server = await serve(site);
    files = await serveFiles(site.file('static'));
    fromSnapshot = createFetch({ base: `${files.origin}/jsonapi` });
    atBuild = JSON.parse(readFileSync(site.file('static/answers.json'), 'utf8'));
  });
  afterAll(async () => {
    await Promise.all([server?.stop(), files?.stop()]);
    site?.remove();
  });

  const get = async (url: string): Promise<Document> => {
    const response = await fetch(url);
    expect(response.status, url).toBe(200);
    return (await response.json()) as Document;
  };

  it('has results for most queries', () => {
    const answers = Object.values(atBuild);
    expect(answers.length).toBeGreaterThanOrEqual(100);
    expect(answers.filter(({ data }) => data.length > 0).length).toBeGreaterThanOrEqual(95);
  });

  it.each(Object.entries(QUERIES))('%s: %s', async (name, query) => {
    const served = await get(`${server.origin}/jsonapi${query}`);
    const written = await get(`${files.origin}/jsonapi/q/${name}.json`);
    for (const document of [served, written, atBuild[name]]) expectJsonApi(document, query);
    expect(withoutLinks(written)).toEqual(withoutLinks(served));
    expect(withoutLinks(atBuild[name])).toEqual(withoutLinks(served));
  });

  it.each(Object.entries(QUERIES))('%s has the same bytes from the snapshot: %s', async (_, query) => {
    const served = await fetch(`${server.origin}/jsonapi${query}`);
    const read = await fromSnapshot(`${files.origin}/jsonapi${query}`);
    expect((await read.text()).replaceAll(files.origin, server.origin)).toBe(await served.text());
    expect(read.headers.get('content-type')).toBe(served.headers.get('content-type'));
  });

  it.each(Object.entries(QUERIES).filter(([, query]) => query.includes('page[limit]')))(
    '%s returns the same pages: %s',
    async (name, query) => {
      const served = await pages(`${server.origin}/jsonapi${query}`);
      const written = await pages(`${files.origin}/jsonapi/q/${name}.json`);
      expect(written.map(withoutLinks)).toEqual(served.map(withoutLinks));
    },
  );

  it('a server does not contain the code of features for builds and for the command line', () => {
    const modules = globSync(site.file('dist/server/**/*.mjs'));
    const sources = modules.map((file) => readFileSync(file, 'utf8'));
    expect(sources.some((source) => source.includes('JSONAPI_CONTENT_DIR'))).toBe(true);
    expect(sources.filter((source) => source.includes('npx astro-jsonapi account add jane'))).toEqual([]);
  });

  it('a server without its content folder returns the same bytes, and reads its snapshot only', async () => {
    const paths = [...Object.values(QUERIES).map((query) => `/jsonapi${query}`), ...OTHERS];
    const answersOf = async ({ origin }: Served) => {
      const answers: Record<string, unknown> = {};
      for (const path of paths) {
        const { status, headers, body } = await fetchText(origin + path);
        const lasting = [...headers].filter(([name]) => !PASSING.has(name));
        answers[path] = { status, headers: lasting, body: body.replaceAll(origin, '') };
      }
      return answers;
    };
    const expected = await answersOf(server);
    const [sources = ''] = globSync(site.file('dist/server/chunks/*carried-content*'));
    renameSync(site.file('content'), site.file('content-away'));
    rmSync(sources);
    const other = await serve(site);
    try {
      expect(await answersOf(other)).toEqual(expected);
    } finally {
      await other.stop();
    }
  });

  /** A document and its following pages. */
  async function pages(url: string): Promise<readonly Document[]> {
    const documents = [await get(url)];
    for (let next = documents[0]?.links.next; next !== undefined; ) {
      const document = await get(new URL(next.href, url).href);
      documents.push(document);
      next = document.links.next;
    }
    return documents;
  }
});

async function fetchText(url: string) {
  const response = await fetch(url);
  const { status, headers } = response;
  return { status, headers, body: await response.text() };
}

/** Headers that differ with the time, or with the port in the links. */
const PASSING = new Set(['date', 'etag', 'connection', 'keep-alive', 'content-length']);

/** Addresses beside the queries. */
const OTHERS = [
  '/jsonapi',
  '/api/content',
  '/api/content/articles?limit=3&include=author',
  '/api/content/people/maren-holt',
  '/de/jsonapi/node/article?page[limit]=5',
  '/jsonapi/node/article/resource/schema',
  '/jsonapi/node/article?filter[fulltext]=tide&facetBy=field_tags',
  '/jsonapi/node/article?filter[titel]=x',
  '/jsonapi/node/article/holdfast/field_author',
  '/jsonapi/menu_items/main',
  '/router/translate-path?path=/journal/holdfast',
  '/content-files/article/holdfast/kelp.svg',
  '/content-files/missing.svg',
];

/** Only links may differ between the modes, also those of `meta.translations`. */
function withoutLinks(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutLinks);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== 'links' && key !== 'href')
      .map(([key, inner]) => [key, withoutLinks(inner)]),
  );
}
