import { existsSync, globSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { build, copySite, type Served, type Site, serveFiles } from './site.ts';

const VARIANTS = [
  { base: '/', trailingSlash: 'ignore' },
  { base: '/', trailingSlash: 'always' },
  { base: '/', trailingSlash: 'never' },
  { base: '/docs/', trailingSlash: 'ignore' },
  { base: '/docs/', trailingSlash: 'always' },
  { base: '/docs/', trailingSlash: 'never' },
] as const;

const OPTIONS = {
  pageSize: { default: 2, max: 2, unlimited: true },
  explorer: true,
  static: { openapi: true },
  prebuild: { recent: '/node/article?sort=-created&include=field_author' },
};

describe.concurrent.each(VARIANTS)(
  'a static site at $base, trailingSlash $trailingSlash',
  ({ base, trailingSlash }) => {
    const prefix = base.replace(/\/$/, '');
    let site: Site;
    let files: Served;
    let output: string;

    beforeAll(async () => {
      site = copySite('plain', `static-${prefix.slice(1)}-${trailingSlash}`);
      output = await build(site, {
        BASE: base,
        TRAILING_SLASH: trailingSlash,
        JSONAPI_OPTIONS: JSON.stringify(OPTIONS),
      });
      files = await serveFiles(site.file('dist'), prefix);
    });
    afterAll(async () => {
      await files?.stop();
      site?.remove();
    });

    const json = async (path: string): Promise<unknown> => {
      const response = await fetch(new URL(path, files.origin));
      expect(response.status, path).toBe(200);
      return response.json();
    };

    it('links to every document that was written', async () => {
      const plain = ['articles', 'people', 'tags'].map((name) => `${prefix}/api/content/${name}.json`);
      const unlinked = [`${prefix}/jsonapi/openapi.json`, `${prefix}/api/content.json`];
      const roots = [`${prefix}/jsonapi/index.json`, ...unlinked, ...plain];
      const seen = new Set<string>(roots);
      for (const path of seen) {
        const document = await json(path);
        for (const link of [...linksOf(document), ...plainResources(path, document)]) seen.add(link);
      }
      const written = globSync(['jsonapi/**/*.json', 'api/**/*.json'], { cwd: site.file('dist') })
        .map((file) => `${prefix}/${file.replaceAll('\\', '/')}`)
        .filter((path) => !/\/jsonapi\/(q|snapshot)\//.test(path));
      expect(
        [...seen]
          .map(decodeURI)
          .filter((path) => !path.includes('/jsonapi/q/'))
          .sort(),
      ).toEqual(written.sort());
      expect(written.length).toBeGreaterThan(15);
    });

    it('contains the listed queries with all their pages', async () => {
      const first = await json(`${prefix}/jsonapi/q/recent.json`);
      expect(first).toMatchObject({ data: [{ id: 'deep/third' }, { id: 'v1.2' }], meta: { count: 4 } });
      const [second] = linksOf(first).filter(
        (link) => link.includes('/q/recent.') && !link.endsWith('recent.json'),
      );
      expect(await json(second ?? 'no link to the second page')).toMatchObject({
        data: [{ id: 'second' }, { id: 'first' }],
      });
    });

    it('reveals no unpublished content', () => {
      const leaks = globSync('**/*.{json,html}', { cwd: site.file('dist') }).filter((file) =>
        /Not yet|Unpublished words|article\/hidden/.test(readFileSync(site.file('dist', file), 'utf8')),
      );
      expect(leaks).toEqual([]);
    });

    it('renders pages from build-time queries, and the explorer', () => {
      expect(readFileSync(site.file('dist/index.html'), 'utf8')).toContain('<li>Third, deep below</li>');
      expect(existsSync(site.file('dist/jsonapi-explorer/index.html'))).toBe(true);
    });

    it('summarizes the published files in one line', () => {
      expect(output).toMatch(
        /Published \d+ JSON documents, \d+ files? of the snapshot: [\d.]+ (kB|MB), in [\d.]+ (ms|s)/,
      );
    });
  },
);

/** The entities of a plain list, which have ids and no links. */
function plainResources(path: string, document: unknown): readonly string[] {
  const { data } = document as { data?: unknown };
  if (!path.includes('/api/content/') || !Array.isArray(data)) return [];
  const stem = path.replace(/(\.\d+)?\.json$/, '');
  return data.map(({ id }: { id: string }) => `${stem}/${encodeURI(id)}.json`);
}

/** Every absolute link of a document. */
function linksOf(value: unknown): readonly string[] {
  if (typeof value === 'string' && /^\/[^/].*\.json$/.test(value)) return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === 'attributes' || key === 'meta' ? [] : linksOf(inner),
  );
}
