import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { HAS_POSTGRES, usePostgres } from '../support/postgres.ts';
import { build, copySite, type Site, serve, serveDev, serveFiles, tryBuild } from './site.ts';

const BASE = '/shop';
const STYLES = {
  card: { width: 40 },
  print: { width: 60, height: 60, format: 'jpg', quality: 90 },
} as const;
const JSONAPI_OPTIONS = JSON.stringify({ imageStyles: STYLES });
const SCHEMA = `import { defineSchema, image } from 'astro-jsonapi/schema';
export default defineSchema({ article: { field_cover: image().nullish() } });
`;

/** A site whose articles have images beside them and in public/. */
async function siteWithImages(name: string): Promise<Site> {
  const photo = await sharp({ create: { width: 200, height: 100, channels: 3, background: '#357' } })
    .jpeg()
    .toBuffer();
  const site = copySite('plain', name);
  for (const folder of ['content', 'src/pages']) rmSync(site.file(folder), { recursive: true });
  const write = (file: string, content: string | Uint8Array) => {
    mkdirSync(site.file(file, '..'), { recursive: true });
    writeFileSync(site.file(file), content);
  };
  write('content/schema.ts', SCHEMA);
  write('content/article/beside/index.md', '---\nfield_cover: the cover.jpg\n---\n');
  write('content/article/beside/the cover.jpg', photo);
  write('content/article/public.md', '---\nfield_cover: /images/tide.jpg\n---\n');
  write('content/article/draft.md', '---\ndraft: true\nfield_cover: draft.jpg\n---\n');
  write('content/article/draft.jpg', photo);
  write('public/images/tide.jpg', photo);
  write('public/images/other.jpg', photo);
  write('src/pages/index.astro', '<p>Shop</p>');
  return site;
}

/** Follows the links of both covers. Returns their addresses below the site. */
async function expectImages(origin: string, ending = ''): Promise<readonly string[]> {
  const read = async (path: string) => (await fetch(`${origin}${BASE}/jsonapi/${path}${ending}`)).json();
  const paths: string[] = [];
  for (const article of ['beside', 'public']) {
    const { data } = (await read(`node/article/${article}`)).data.relationships.field_cover;
    const { links } = (await read(`file/file/${data.id}`)).data;
    expect(Object.keys(links)).toEqual(['self', 'card', 'print']);
    for (const [name, format, size] of [
      ['card', 'webp', { width: 40, height: 20 }],
      ['print', 'jpeg', { width: 60, height: 60 }],
    ] as const) {
      const { href, meta } = links[name];
      expect(meta).toMatchObject(size);
      const url = new URL(href, origin);
      const response = await fetch(url);
      expect([href, response.status, response.headers.get('content-type')]).toEqual([
        href,
        200,
        `image/${format}`,
      ]);
      expect(await sharp(await response.arrayBuffer()).metadata()).toMatchObject({ ...size, format });
      paths.push(url.pathname);
    }
  }
  const draft = `${origin}${BASE}/content-files/_styles/card/content/article/draft.jpg.webp`;
  expect((await fetch(draft)).status).toBe(404);
  return paths;
}

const PATHS = [
  `${BASE}/content-files/_styles/card/content/article/beside/the%20cover.jpg.webp`,
  `${BASE}/content-files/_styles/print/content/article/beside/the%20cover.jpg.jpg`,
  `${BASE}/content-files/_styles/card/public/images/tide.jpg.webp`,
  `${BASE}/content-files/_styles/print/public/images/tide.jpg.jpg`,
];

describe('images in the styles of a built server', () => {
  let site: Site;
  beforeAll(async () => {
    site = await siteWithImages('image-styles-server');
    await build(site, { SERVER: '1', BASE, JSONAPI_OPTIONS });
  });
  afterAll(() => site?.remove());

  async function served(check: (origin: string) => Promise<void>, env: Record<string, string> = {}) {
    const server = await serve(site, env);
    try {
      await check(server.origin);
    } finally {
      await server.stop();
    }
  }

  it('are made of the files in the content folder, and follow it', async () => {
    await served(async (origin) => {
      expect(await expectImages(origin)).toEqual(PATHS);
      // The build did not name this image.
      writeFileSync(site.file('content/article/public.md'), '---\nfield_cover: /images/other.jpg\n---\n');
      await eventually(async () =>
        expect(await expectImages(origin)).toContain(
          `${BASE}/content-files/_styles/card/public/images/other.jpg.webp`,
        ),
      );
    });
  });

  it('are made of the files that the build includes', async () => {
    for (const folder of ['content', 'public'])
      renameSync(site.file(folder), site.file(`${folder}-elsewhere`));
    try {
      await served(async (origin) => expect(await expectImages(origin)).toEqual(PATHS));
    } finally {
      for (const folder of ['content', 'public'])
        renameSync(site.file(`${folder}-elsewhere`), site.file(folder));
    }
  });
});

describe.skipIf(!HAS_POSTGRES)('images in the styles of a server that reads from PostgreSQL', () => {
  const postgres = usePostgres();

  it('are those of the server that writes, and follow its content', async () => {
    const site = await siteWithImages('image-styles-postgres');
    const options = JSON.stringify({ editing: true, engine: { name: 'postgres' }, imageStyles: STYLES });
    await build(site, { SERVER: '1', BASE, JSONAPI_OPTIONS: options });
    // A server without the folder has the files of its build.
    const written = site.file('written');
    renameSync(site.file('content'), written);
    const env = { DATABASE_URL: postgres().url };
    const writer = await serve(site, { ...env, JSONAPI_CONTENT_DIR: written });
    const reader = await serve(site, env);
    try {
      expect(await expectImages(writer.origin)).toEqual(PATHS);
      await eventually(async () => expect(await expectImages(reader.origin)).toEqual(PATHS));
      expect(reader.output()).toContain('This server reads: PostgreSQL answers');
      writeFileSync(`${written}/article/public.md`, '---\nfield_cover: beside/the cover.jpg\n---\n');
      await eventually(async () =>
        expect(await expectImages(reader.origin)).toEqual([...PATHS.slice(0, 2), ...PATHS.slice(0, 2)]),
      );
    } finally {
      await reader.stop();
      await writer.stop();
      site.remove();
    }
  });
});

describe('images in the styles of a static site', () => {
  it('are files to which its documents have links', async () => {
    const site = await siteWithImages('image-styles-static');
    try {
      const options = JSON.stringify({ imageStyles: STYLES, static: { queries: true } });
      const output = await build(site, { BASE, JSONAPI_OPTIONS: options });
      expect(output).toContain('Published 4 resized images');
      const server = await serveFiles(site.file('dist'), BASE);
      expect(await expectImages(server.origin, '.json')).toEqual(PATHS);
      await server.stop();
      expect(existsSync(site.file('dist/content-files/_styles/card/content/article/draft.jpg.webp'))).toBe(
        false,
      );
      const manifest = JSON.parse(readFileSync(site.file('dist/jsonapi/snapshot/manifest.json'), 'utf8'));
      expect(Object.keys(manifest.settings.imageStyles)).toEqual(['card', 'print']);
    } finally {
      site.remove();
    }
  });

  it('are not built without a service that resizes', async () => {
    const site = await siteWithImages('image-styles-passthrough');
    try {
      const config = readFileSync(site.file('astro.config.mjs'), 'utf8');
      writeFileSync(
        site.file('astro.config.mjs'),
        config
          .replace('memoryCache }', 'memoryCache, passthroughImageService }')
          .replace('  base: BASE,', '  base: BASE,\n  image: { service: passthroughImageService() },'),
      );
      const { code, output } = await tryBuild(site, { BASE, JSONAPI_OPTIONS });
      expect(code).not.toBe(0);
      expect(output).toContain(
        'Option imageStyles: the image service of the site (astro/assets/services/noop)',
      );
    } finally {
      site.remove();
    }
  });

  it("are made by the site's own service, and broken images are named", async () => {
    const site = await siteWithImages('image-styles-own');
    try {
      const config = readFileSync(site.file('astro.config.mjs'), 'utf8');
      writeFileSync(
        site.file('astro.config.mjs'),
        config.replace(
          '  base: BASE,',
          "  base: BASE,\n  image: { service: { entrypoint: './src/service.ts', config: { gray: true } } },",
        ),
      );
      writeFileSync(
        site.file('src/service.ts'),
        `import type { LocalImageService } from 'astro';
import sharpService from 'astro/assets/services/sharp';
import sharp from 'sharp';
const service: LocalImageService<{ gray: boolean }> = {
  ...sharpService,
  async transform(bytes, options, config, logger) {
    const input = config.service.config.gray ? await sharp(bytes).grayscale().png().toBuffer() : bytes;
    return sharpService.transform(input, options, config, logger);
  },
};
export default service;
`,
      );
      const photo = readFileSync(site.file('content/article/beside/the cover.jpg'));
      // The header is complete, so that its size is known.
      writeFileSync(site.file('content/article/beside/the cover.jpg'), photo.subarray(0, 250));
      const output = await build(site, { BASE, JSONAPI_OPTIONS });
      expect(output).toContain(
        'The image /content-files/article/beside/the%20cover.jpg cannot be resized: the image service cannot read it. Input buffer has corrupt header',
      );
      const made = readFileSync(site.file('dist/content-files/_styles/card/public/images/tide.jpg.webp'));
      const { channels } = await sharp(made).stats();
      const [red, green, blue] = channels.map(({ mean }) => Math.round(mean));
      expect([green, blue]).toEqual([red, red]);
    } finally {
      site.remove();
    }
  });
});

describe('images in the styles of a site in astro dev', () => {
  it('are made', async () => {
    const site = await siteWithImages('image-styles-dev');
    const server = await serveDev(site, { BASE, JSONAPI_OPTIONS, ASTRO_TELEMETRY_DISABLED: '1' });
    try {
      await eventually(async () => expect(await expectImages(server.origin)).toEqual(PATHS));
    } finally {
      await server.stop();
      site.remove();
    }
  });
});
