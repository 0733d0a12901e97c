import sharpService from 'astro/assets/services/sharp';
import fc from 'fast-check';
import sharp from 'sharp';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { siteLanguages } from '../../../integration/core/content/languages.ts';
import { file, image } from '../../../integration/core/content/schema/schema.ts';
import type { JsonapiOptions } from '../../../integration/core/options/options.ts';
import { createRuntime } from '../../../integration/core/runtime/open-site.ts';
import type { Runtime } from '../../../integration/core/runtime/runtime.ts';
import type { Site } from '../../../integration/core/runtime/site.ts';
import type { HandlerContext } from '../../../integration/core/server/handler.ts';
import { canResize, styledSize } from '../../../integration/features/images/image-links.ts';
import { FEATURES } from '../../../integration/features.ts';
import { compareAnswers } from '../../snapshot/compare.ts';
import { createHandler } from '../../support/handler.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { parseOptions } from '../../support/options.ts';
import { png, svg } from '../../support/pictures.ts';
import { fetchFrom, ORIGIN } from '../../support/request.ts';
import { TEST_SETTINGS } from '../../support/services.ts';

const STYLES = {
  card: { width: 40 },
  square: { width: 30, height: 30, position: 'top' },
  large: { width: 5000, height: 5000, fit: 'contain', format: 'png' },
} as const;
const REL = 'drupal://jsonapi/extensions/consumer_image_styles/links/relation-types/#derivative';
const ADMIN: HandlerContext = { actor: { name: 'root', roles: ['administrator'] } };
const SCHEMA = {
  article: { field_cover: image().nullish(), field_paper: file().nullish() },
};

let photo: Uint8Array;
let turned: Uint8Array;
let animated: Uint8Array;
beforeAll(async () => {
  const picture = sharp({ create: { width: 200, height: 100, channels: 3, background: '#357' } });
  photo = await picture.clone().jpeg().toBuffer();
  turned = await picture.clone().jpeg().withMetadata({ orientation: 6 }).toBuffer();
  const frame = (background: string) =>
    sharp({ create: { width: 60, height: 20, channels: 3, background } })
      .png()
      .toBuffer();
  animated = await sharp([await frame('#f00'), await frame('#00f')], { join: { animated: true } })
    .gif()
    .toBuffer();
});

const open: Runtime[] = [];
afterEach(async () => {
  for (const runtime of open.splice(0)) await runtime.close();
});

async function start(
  files: Readonly<Record<string, string | Uint8Array>> = {},
  { options = {}, publicFiles = {}, ...site }: Parts = {},
  driver = createMemoryDriver({
    'article/sea.md': '---\nfield_cover: sea view.jpg\n---\n',
    'article/sea view.jpg': photo,
    ...files,
  }),
): Promise<Runtime> {
  const runtime = await createRuntime(
    {
      driver,
      publicFiles: createMemoryDriver(publicFiles),
      schema: SCHEMA,
    },
    {
      features: FEATURES,
      options: parseOptions({ imageStyles: STYLES, ...options }),
      settings: TEST_SETTINGS,
      renderBody: async () => '',
      log: { info: () => undefined, warn: () => undefined, error: () => undefined },
      imageService: async () => sharpService,
      ...site,
    },
  );
  open.push(runtime);
  return runtime;
}

interface Parts extends Partial<Omit<Site, 'options'>> {
  readonly options?: JsonapiOptions;
  readonly publicFiles?: Readonly<Record<string, string | Uint8Array>>;
}

/** The links of the cover of an article. */
async function linksOf({ handle }: Runtime, id: string, field = 'field_cover') {
  const document = await (await fetchFrom(handle, `/jsonapi/node/article/${id}?include=${field}`)).json();
  const { self, ...links } = document.included[0].links;
  expect(self.href).toMatch(/\/jsonapi\/file\/file\//);
  return links;
}

async function sizeOf(response: Response) {
  const { format, width, height, pages } = await sharp(await response.arrayBuffer(), {
    pages: -1,
  }).metadata();
  return { format, width, height: pages === undefined ? height : (height ?? 0) / pages, pages };
}

/** True for the image with which a site checks its service. */
const isCheck = ([, { src }]: Parameters<typeof sharpService.transform>) => src === '/pixel.png';

const styleOf = (style: string, file: string) => `/content-files/_styles/${style}/content/article/${file}`;

describe('the links of an image', () => {
  it('lead to smaller images of the size that they state', async () => {
    const runtime = await start();
    const links = await linksOf(runtime, 'sea');
    expect(links).toEqual({
      card: {
        href: `${ORIGIN}${styleOf('card', 'sea%20view.jpg.webp')}`,
        meta: { rel: [REL], width: 40, height: 20 },
      },
      square: {
        href: `${ORIGIN}${styleOf('square', 'sea%20view.jpg.webp')}`,
        meta: { rel: [REL], width: 30, height: 30 },
      },
      large: {
        href: `${ORIGIN}${styleOf('large', 'sea%20view.jpg.png')}`,
        meta: { rel: [REL], width: 200, height: 100 },
      },
    });
    for (const [style, type] of [
      ['card', 'webp'],
      ['square', 'webp'],
      ['large', 'png'],
    ] as const) {
      const { href, meta } = links[style];
      const response = await fetchFrom(runtime.handle, href);
      expect(response.status).toBe(200);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-type': `image/${type}`,
        'cache-control': 'no-cache',
        'x-content-type-options': 'nosniff',
        'content-security-policy': expect.stringContaining('sandbox'),
        etag: expect.any(String),
      });
      const { width, height } = meta;
      expect(await sizeOf(response)).toMatchObject({ format: type, width, height });
    }
  });

  it('state the size of a turned photo as browsers show it', async () => {
    const runtime = await start({
      'article/turned.md': '---\nfield_cover: turned.jpg\n---\n',
      'article/turned.jpg': turned,
    });
    const { card } = await linksOf(runtime, 'turned');
    expect(card.meta).toMatchObject({ width: 40, height: 80 });
    expect(await sizeOf(await fetchFrom(runtime.handle, card.href))).toMatchObject({ width: 40, height: 80 });
  });

  it('are those of images in a file field, in public/ and in a body too', async () => {
    const runtime = await start(
      {
        'article/paper.md': '---\nfield_paper: paper.jpg\n---\n![Told](told.jpg)\n',
        'article/paper.jpg': photo,
        'article/told.jpg': photo,
        'article/public.md': '---\nfield_cover: /images/a.jpg\n---\n',
      },
      { publicFiles: { 'images/a.jpg': photo } },
    );
    expect(Object.keys(await linksOf(runtime, 'paper', 'field_paper'))).toEqual(['card', 'square', 'large']);
    const { card } = await linksOf(runtime, 'public');
    expect(card.href).toBe(`${ORIGIN}/content-files/_styles/card/public/images/a.jpg.webp`);
    expect(await sizeOf(await fetchFrom(runtime.handle, card.href))).toMatchObject({ width: 40 });
    const files = await (await fetchFrom(runtime.handle, '/jsonapi/file/file')).json();
    const told = files.data.find(
      (each: { readonly attributes: { readonly filename: string } }) =>
        each.attributes.filename === 'told.jpg',
    );
    // The size of an image in a body is unknown.
    expect(told.links.card).toEqual({
      href: `${ORIGIN}${styleOf('card', 'told.jpg.webp')}`,
      meta: { rel: [REL] },
    });
    expect((await fetchFrom(runtime.handle, told.links.card.href)).status).toBe(200);
  });

  it('are missing for vectors, remote images, other files, and images that cannot be read', async () => {
    const runtime = await start({
      'article/vector.md': '---\nfield_cover: a.svg\n---\n',
      'article/a.svg': svg(30, 20),
      'article/remote.md': '---\nfield_cover: https://cdn.example/a.jpg\n---\n',
      'article/broken.md': '---\nfield_cover: broken.jpg\n---\n',
      'article/broken.jpg': 'no image',
      'article/huge.md': '---\nfield_cover: huge.png\n---\n',
      'article/huge.png': png(10_000, 10_001),
      'article/paper.md': '---\nfield_paper: paper.pdf\n---\n',
      'article/paper.pdf': '%PDF',
    });
    for (const id of ['vector', 'remote', 'broken', 'huge']) {
      expect([id, await linksOf(runtime, id)]).toEqual([id, {}]);
    }
    expect(await linksOf(runtime, 'paper', 'field_paper')).toEqual({});
    for (const [name, reason] of [
      ['a.svg', "There is no image 'article/a.svg.webp' in the style 'card'."],
      ['broken.jpg', 'it is damaged, or no image of pixels'],
      ['huge.png', 'limits.imagePixels is 100000000'],
    ]) {
      const response = await fetchFrom(runtime.handle, styleOf('card', `${name}.webp`));
      expect([name, response.status]).toEqual([name, 404]);
      expect((await response.json()).errors[0].detail).toContain(reason);
    }
  });

  it('have the base of the site, and no language', async () => {
    const runtime = await start(
      {},
      {
        settings: {
          ...TEST_SETTINGS,
          base: '/docs',
          languages: siteLanguages({ defaultLocale: 'en', locales: ['en', 'de'] }),
        },
      },
    );
    const document = await fetchFrom(
      runtime.handle,
      '/docs/de/jsonapi/node/article/sea?include=field_cover',
      ADMIN,
    );
    const { card } = (await document.json()).included[0].links;
    expect(card.href).toBe(`${ORIGIN}/docs${styleOf('card', 'sea%20view.jpg.webp')}`);
    const response = await fetchFrom(runtime.handle, card.href, ADMIN);
    expect(response.headers.get('cache-control')).toBe('private, no-cache');
  });

  it('are the same in a snapshot', async () => {
    const { services } = await start({
      'article/wave.md': '---\nfield_cover: wave.gif\n---\n',
      'article/wave.gif': animated,
    });
    const targets = [
      '/jsonapi/node/article?include=field_cover',
      '/jsonapi/node/article/sea?include=field_cover',
      '/jsonapi/file/file',
    ].map((target) => ({ target }));
    expect(await compareAnswers(services, targets)).toEqual({ answered: 3, differences: [] });
    const list = await fetchFrom(createHandler(services), targets[0]!.target);
    expect(Object.keys((await list.json()).included[0].links)).toContain('card');
  });

  it('are missing without the option', async () => {
    const runtime = await start({}, { options: { imageStyles: undefined } });
    expect(await linksOf(runtime, 'sea')).toEqual({});
    expect((await fetchFrom(runtime.handle, styleOf('card', 'sea%20view.jpg.webp'))).status).toBe(404);
  });
});

describe('a resized image', () => {
  it('of an animation is animated in WebP, and does not exist in other formats', async () => {
    const runtime = await start({
      'article/wave.md': '---\nfield_cover: wave.gif\n---\n',
      'article/wave.gif': animated,
    });
    const links = await linksOf(runtime, 'wave');
    expect(Object.keys(links)).toEqual(['card', 'square']);
    const response = await fetchFrom(runtime.handle, links.card.href);
    expect(await sizeOf(response)).toEqual({ format: 'webp', width: 40, height: 13, pages: 2 });
    expect((await fetchFrom(runtime.handle, styleOf('large', 'wave.gif.png'))).status).toBe(404);
  });

  it('is hidden from actors that do not see the original, in each style and method', async () => {
    const runtime = await start({
      'article/draft.md': '---\ndraft: true\nfield_cover: draft.jpg\n---\n',
      'article/draft.jpg': photo,
      'article/unused.jpg': photo,
    });
    const secret = styleOf('card', 'draft.jpg.webp');
    const body = async (path: string, init = {}) => {
      const response = await fetchFrom(runtime.handle, path, init);
      return [response.status, (await response.text()).replaceAll(/draft|unused|missing/g, 'x')];
    };
    // An administrator fills the cache.
    expect((await fetchFrom(runtime.handle, secret, ADMIN)).status).toBe(200);
    for (const method of ['GET', 'OPTIONS']) {
      const missing = await body(styleOf('card', 'missing.jpg.webp'), { method });
      expect(missing[0]).toBe(404);
      expect(await body(secret, { method })).toEqual(missing);
      expect(await body(styleOf('card', 'unused.jpg.webp'), { method })).toEqual(missing);
    }
    expect((await fetchFrom(runtime.handle, secret, { method: 'HEAD' })).status).toBe(404);
  });

  it.each([
    '/content-files/_styles',
    '/content-files/_styles/card',
    '/content-files/_styles/none/content/article/sea%20view.jpg.webp',
    '/content-files/_styles/constructor/content/article/sea%20view.jpg.webp',
    '/content-files/_styles/card/other/article/sea%20view.jpg.webp',
    '/content-files/_styles/card/content/article/sea%20view.jpg',
    '/content-files/_styles/card/content/article/sea%20view.jpg.png',
    '/content-files/_styles/card/content/article/sea.md.webp',
    '/content-files/_styles/card/content/.webp',
    '/content-files/_styles/card/public/..%2F..%2Fsecret.png.webp',
    '/content-files/_styles/card/public/missing.png.webp',
    '/content-files/_styles/card/content/%ff.png.webp',
  ])('does not exist at %s', async (path) => {
    const { handle } = await start();
    const response = await fetchFrom(handle, path);
    expect(response.status).toBe(404);
    expect((await response.json()).errors[0].status).toBe('404');
  });

  it('follows a change of the original, and has an ETag', async () => {
    const driver = createMemoryDriver({
      'article/a.md': '![A](<sea view.jpg>)',
      'article/sea view.jpg': photo,
    });
    const runtime = await start({}, {}, driver);
    const path = styleOf('card', 'sea%20view.jpg.webp');
    const etag = (await fetchFrom(runtime.handle, path)).headers.get('etag') ?? '';
    const headers = { 'if-none-match': etag };
    expect((await fetchFrom(runtime.handle, path, { headers })).status).toBe(304);
    await driver.write('article/sea view.jpg', turned);
    const changed = await fetchFrom(runtime.handle, path, { headers });
    expect(await sizeOf(changed)).toMatchObject({ width: 40, height: 80 });
  });

  it('is made once for many requests, and only a few are made at a time', async () => {
    let [running, most, calls] = [0, 0, 0];
    const service = {
      async transform(...args: Parameters<typeof sharpService.transform>) {
        if (isCheck(args)) return sharpService.transform(...args);
        calls += 1;
        running += 1;
        most = Math.max(most, running);
        const result = await sharpService.transform(...args);
        running -= 1;
        return result;
      },
    };
    const names = Array.from({ length: 8 }, (_, index) => `${index}.jpg`);
    const { handle } = await start(
      Object.fromEntries([
        ...names.map((name) => [`article/${name}`, photo]),
        ['article/all.md', names.map((name) => `![x](${name})`).join('\n')],
      ]),
      { imageService: async () => service },
    );
    const paths = [...names, ...names].map((name) => styleOf('card', `${name}.webp`));
    const responses = await Promise.all(paths.map((path) => fetchFrom(handle, path)));
    expect(responses.map(({ status }) => status)).toEqual(paths.map(() => 200));
    await fetchFrom(handle, styleOf('card', '3.jpg.webp'));
    expect(calls).toBe(8);
    expect(most).toBe(2);
  });

  it('stays in the cache only as long as there is memory for it', async () => {
    const transform = vi.spyOn(sharpService, 'transform');
    try {
      // The memory of all caches, of which one result may have a half.
      const { handle } = await start({}, { options: { cache: { memoryMb: 0.0005 } } });
      const path = styleOf('card', 'sea%20view.jpg.webp');
      for (const _ of [1, 2]) expect((await fetchFrom(handle, path)).status).toBe(200);
      expect(transform.mock.calls.filter((args) => !isCheck(args))).toHaveLength(2);
    } finally {
      transform.mockRestore();
    }
  });

  it('is refused with 503 if too many wait', async () => {
    let go = () => {};
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    const service = {
      async transform(...args: Parameters<typeof sharpService.transform>) {
        if (!isCheck(args)) await gate;
        return sharpService.transform(...args);
      },
    };
    const styles = Object.fromEntries(
      Array.from({ length: 203 }, (_, index) => [`s${index}`, { width: index + 1 }] as const),
    );
    const { handle } = await start(
      {},
      { options: { imageStyles: styles }, imageService: async () => service },
    );
    const responses = Object.keys(styles).map((style) =>
      fetchFrom(handle, styleOf(style, 'sea%20view.jpg.webp')),
    );
    const first = await Promise.race(responses);
    expect(first.status).toBe(503);
    expect(first.headers.get('retry-after')).toBe('5');
    go();
    const statuses = (await Promise.all(responses)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(202);
  });
});

describe('the size of a resized image', () => {
  const side = fc.integer({ min: 1, max: 300 });
  const style = fc
    .record({ width: fc.option(side, { nil: undefined }), height: fc.option(side, { nil: undefined }) })
    .filter(({ width, height }) => width !== undefined || height !== undefined);

  it('has the size that the image service makes, never larger than the original or the style', async () => {
    const fits = fc.constantFrom('cover' as const, 'contain' as const, 'fill' as const);
    await fc.assert(
      fc.asyncProperty(style, fits, side, side, async (sides, fit, width, height) => {
        const size = styledSize({ ...sides, fit }, { width, height });
        expect(size.width).toBeLessThanOrEqual(Math.min(width, sides.width ?? width));
        expect(size.height).toBeLessThanOrEqual(Math.min(height, sides.height ?? height));
        const original = await sharp({ create: { width, height, channels: 3, background: '#357' } })
          .png()
          .toBuffer();
        const options = {
          src: '/a.png',
          ...size,
          fit: fit === 'cover' ? 'cover' : 'fill',
          format: 'png',
        } as const;
        const config = { service: { entrypoint: '', config: {} } } as never;
        const { data } = await sharpService.transform(original, options, config, console as never);
        const made = await sharp(data).metadata();
        expect([made.width, made.height]).toEqual([size.width, size.height]);
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    [{ width: 40 }, { width: 40, height: 20 }],
    [{ height: 50 }, { width: 100, height: 50 }],
    [{ width: 500 }, { width: 200, height: 100 }],
    [
      { width: 50, height: 50 },
      { width: 50, height: 50 },
    ],
    // The proportions of the style stay.
    [
      { width: 400, height: 400 },
      { width: 100, height: 100 },
    ],
    [
      { width: 50, height: 50, fit: 'contain' },
      { width: 50, height: 25 },
    ],
    [
      { width: 500, height: 50, fit: 'fill' },
      { width: 200, height: 50 },
    ],
    [{ width: 1 }, { width: 1, height: 1 }],
  ] as const)('of 200 × 100 pixels in the style %j is %j', (sides, size) => {
    expect(styledSize({ fit: 'cover', ...sides }, { width: 200, height: 100 })).toEqual(size);
  });

  it('is not known for vectors and icons', () => {
    expect(['image/svg+xml', 'image/x-icon', 'video/mp4'].filter((type) => canResize(type))).toEqual([]);
    expect([canResize('image/gif'), canResize('image/gif', 'png'), canResize('image/png', 'avif')]).toEqual([
      true,
      false,
      true,
    ]);
  });
});

describe('the image service of a site', () => {
  const imageService = { entrypoint: 'my-service', config: {} };
  const withService = (service: unknown, styles: JsonapiOptions['imageStyles'] = STYLES) =>
    start(
      {},
      {
        options: { imageStyles: styles },
        settings: { ...TEST_SETTINGS, imageService },
        imageService: async () => service,
      },
    );

  it('is checked at the start', async () => {
    await expect(withService({ getURL: () => '' })).rejects.toThrow(
      'Option imageStyles: the image service of the site (my-service) leaves resizing to a host.',
    );
    await expect(withService(undefined)).rejects.toThrow('leaves resizing to a host');
    const noop = { transform: async (data: Uint8Array) => ({ data, format: 'webp' }) };
    await expect(withService(noop)).rejects.toThrow(
      'Option imageStyles: the image service of the site (my-service) cannot make images in the format webp',
    );
    const failing = {
      transform: async () => {
        throw new Error('Could not find Sharp.');
      },
    };
    await expect(withService(failing)).rejects.toThrow('Could not find Sharp.');
    await withService(sharpService, {
      card: { width: 40, format: 'avif' },
      print: { height: 9, format: 'jpg' },
    });
  });

  it('gets the options of the site, and a limit of pixels', async () => {
    const transform = vi.fn(sharpService.transform);
    const config = { limitInputPixels: 1000, webp: { effort: 0 } };
    const { handle } = await start(
      {},
      {
        settings: { ...TEST_SETTINGS, imageService: { entrypoint: 'x', config } },
        imageService: async () => ({ transform }),
      },
    );
    expect(transform.mock.lastCall?.[2].service.config).toEqual(config);
    // 200 × 100 pixels are more than the site allows.
    expect((await fetchFrom(handle, styleOf('card', 'sea%20view.jpg.webp'))).status).toBe(404);
  });
});

describe('option imageStyles', () => {
  it.each([
    [{ card: {} }, 'Option imageStyles.card: set width, height or both.'],
    [
      { card: { width: 0 } },
      'Option imageStyles.card.width cannot be 0. Valid: a whole number from 1 to 8192.',
    ],
    [{ card: { width: 8193 } }, 'Option imageStyles.card.width cannot be 8193.'],
    [{ card: { width: 4, fit: 'cover' } }, 'Option imageStyles.card.fit: it needs width and height.'],
    [
      { card: { width: 4, height: 4, fit: 'contain', position: 'top' } },
      "Option imageStyles.card.position: it needs width, height and fit 'cover'",
    ],
    [{ card: { width: 4, format: 'gif' } }, "Valid: one of 'avif', 'jpg', 'png', 'webp'."],
    [{ card: { width: 4, quality: 101 } }, 'Option imageStyles.card.quality cannot be 101.'],
    [{ card: { width: 4, crop: true } }, 'Option imageStyles.card.crop is unknown.'],
    [{ self: { width: 4 } }, 'Option imageStyles.self is not a valid name. Valid: styles such as'],
    [{ 'a/b': { width: 4 } }, 'Option imageStyles.a/b is not a valid name.'],
    [4, 'Option imageStyles cannot be 4. Valid: styles such as { card: { width: 400 } }'],
  ])('%j is an error', (imageStyles, message) => {
    expect(() => parseOptions({ imageStyles })).toThrow(message);
  });

  it('needs resources of files', () => {
    const imageStyles = { card: { width: 8192, height: 1, quality: 100 } };
    expect(parseOptions({ imageStyles }).imageStyles).toEqual({
      card: { width: 8192, height: 1, quality: 100, fit: 'cover', format: 'webp' },
    });
    expect(() => parseOptions({ imageStyles, drupal: false })).toThrow(
      'Option imageStyles: it needs option drupal',
    );
    expect(() => parseOptions({ imageStyles, api: false })).toThrow(
      'Option imageStyles: it needs option api',
    );
  });
});
