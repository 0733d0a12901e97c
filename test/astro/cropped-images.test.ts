import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { build, copySite, type Served, type Site, serve, serveDev } from './site.ts';

/** The lower half of the right half, turned: 50 × 100 pixels of 200 × 100. */
const CROP = { crop: { x: 0.5, y: 0.5, width: 0.5, height: 0.5 }, rotation: 90, focus: { x: 0.9, y: 0.75 } };
const LEFT = { crop: { x: 0, y: 0, width: 0.5, height: 1 } };

/** A site whose cover is red at the left and blue at the right, with a crop. */
async function siteWithCrop(name: string, crop: unknown = CROP): Promise<Site> {
  const site = copySite('collections', name);
  const red = sharp({ create: { width: 200, height: 100, channels: 3, background: '#f00' } });
  const input = { create: { width: 100, height: 100, channels: 3 as const, background: '#00f' } };
  writeFileSync(
    site.file('content/article/cover.png'),
    await red
      .composite([{ input, left: 100, top: 0 }])
      .png()
      .toBuffer(),
  );
  if (crop !== undefined) writeCrop(site, crop);
  return site;
}

function writeCrop(site: Site, crop: unknown): void {
  writeFileSync(site.file('content/article/cover.png.crop.json'), `${JSON.stringify(crop, undefined, 2)}\n`);
}

async function picture(bytes: Uint8Array) {
  const { data, info } = await sharp(bytes).raw().toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, isBlue: data[0]! < 99 && data[2]! > 150 };
}

/** The tags of a page with images of the cover. */
function covers(html: string): readonly string[] {
  return html.match(/<img[^>]*cover[^>]*>/g) ?? [];
}

function attribute(tag: string, name: string): string {
  return (
    new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1]?.replaceAll('&#38;', '&').replaceAll('&amp;', '&') ?? ''
  );
}

describe('a build', () => {
  let site: Site;
  beforeAll(async () => {
    site = await siteWithCrop('cropped-build');
    await build(site);
  }, 120_000);
  afterAll(() => site?.remove());

  it('shows cropped images: of queries, of collections and of Markdown', async () => {
    const read = (...path: string[]) => readFileSync(site.file('dist', ...path, 'index.html'), 'utf8');
    const tags = [...covers(read('queried')), ...covers(read('articles', 'one'))];
    // One of a query; the cover, the gallery and the body of an article.
    expect(tags.length).toBeGreaterThanOrEqual(4);
    for (const tag of tags) {
      const src = attribute(tag, 'src');
      if (!src.startsWith('/_astro/')) continue;
      const { width, height, isBlue } = await picture(readFileSync(site.file(`dist${src}`)));
      expect([src, height]).toEqual([src, width * 2]);
      expect([attribute(tag, 'width'), attribute(tag, 'height')]).toEqual([String(width), String(height)]);
      expect(isBlue).toBe(true);
    }
  });

  it('contains no file with a crop, and no original that only cropped images need', () => {
    const files = readdirSync(site.file('dist'), { recursive: true, encoding: 'utf8' });
    expect(files.filter((file) => file.includes('crop.json'))).toEqual([]);
    expect(files.filter((file) => /_astro\/cover\..*\.webp$/.test(file)).length).toBeGreaterThan(0);
  });

  it('shows the whole image if its crop is invalid, and reports the line of the mistake', async () => {
    writeCrop(site, { crop: { x: 0, y: 0, width: 7, height: 1 } });
    const output = await build(site);
    expect(output).toContain('content/article/cover.png.crop.json:5:14');
    const [tag = ''] = covers(readFileSync(site.file('dist/queried/index.html'), 'utf8'));
    const { width, height } = await picture(readFileSync(site.file(`dist${attribute(tag, 'src')}`)));
    expect(width).toBe(height * 2);
  }, 120_000);
});

describe('a build with a crop in an object of the content', () => {
  const FIELD = `article: {
    picture: z.object({
      file: image(),
      alt: z.string(),
      crop: z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() }).nullish(),
      focus: z.object({ x: z.number(), y: z.number() }).nullish(),
      rotation: z.number().nullish(),
    }).nullish(),`;
  const PAGE = `---
import { Image } from 'astro:assets';
import { entities } from 'astro-jsonapi:content';
import { pictureOf } from 'astro-jsonapi:pictures';
const articles = await entities('article').all();
const covers = await Promise.all(articles.map(({ picture }) => pictureOf(picture)));
---
{covers.map((cover) => cover && <Image {...cover} width={10} data-position={cover.position} />)}
`;
  let site: Site;
  beforeAll(async () => {
    // The file says that the left half is shown.
    site = await siteWithCrop('cropped-object', LEFT);
    const schema = site.file('content/schema.ts');
    writeFileSync(schema, readFileSync(schema, 'utf8').replace('article: {', FIELD));
    writeFileSync(site.file('src/pages/pictures.astro'), PAGE);
    for (const [name, picture] of [
      ['four', { file: './cover.png', alt: 'Turned', ...CROP }],
      ['five', { file: './cover.png', alt: 'As the file says' }],
      ['six', { file: './cover.png', alt: 'Whole, with a point', focus: { x: 0.9, y: 0.5 } }],
    ] as const) {
      const data = JSON.stringify({ title: name, picture });
      writeFileSync(site.file(`content/article/${name}.md`), `---\n${data}\n---\n`);
    }
    const JSONAPI_OPTIONS = JSON.stringify({ imageStyles: { card: { width: 40, format: 'png' } } });
    await build(site, { JSONAPI_OPTIONS });
  }, 120_000);
  afterAll(() => site?.remove());

  it('shows the crop of the object in its own page, and resized', async () => {
    const html = readFileSync(site.file('dist/pictures/index.html'), 'utf8');
    const shown = await Promise.all(
      covers(html).map(async (tag) => [
        attribute(tag, 'alt'),
        await picture(readFileSync(site.file(`dist${attribute(tag, 'src')}`))),
      ]),
    );
    expect(Object.fromEntries(shown)).toMatchObject({
      Turned: { width: 10, height: 20, isBlue: true },
      'As the file says': { width: 10, height: 10, isBlue: false },
      'Whole, with a point': { width: 10, height: 5, isBlue: false },
    });
    expect(html).toContain('data-position="right"');
    const styles = 'dist/content-files/_styles/card/content/article';
    const card = 'cover.png@crop=0.5,0.5,0.5,0.5;focus=0.9,0.75;rotation=90.png';
    expect(await picture(readFileSync(site.file(`${styles}/${card}`)))).toMatchObject({
      width: 40,
      height: 80,
      isBlue: true,
    });
    expect((await picture(readFileSync(site.file(`${styles}/cover.png.png`)))).isBlue).toBe(false);
  });
});

describe('a dev server', () => {
  let site: Site;
  let server: Served;
  beforeAll(async () => {
    site = await siteWithCrop('cropped-dev');
    server = await serveDev(site);
  }, 120_000);
  afterAll(async () => {
    await server?.stop();
    site?.remove();
  });

  it('shows a crop, and the next one after a change, at another address', async () => {
    const shown = async () => {
      const [tag = ''] = covers(await (await fetch(`${server.origin}/queried`)).text());
      const address = attribute(tag, 'src');
      const response = await fetch(new URL(address, server.origin));
      return { address, ...(await picture(new Uint8Array(await response.arrayBuffer()))) };
    };
    const first = await shown();
    expect(first.isBlue).toBe(true);
    expect(first.height).toBe(first.width * 2);
    writeCrop(site, LEFT);
    await eventually(async () => expect((await shown()).isBlue).toBe(false));
    const second = await shown();
    expect(second.height).toBe(second.width);
    expect(second.address).not.toBe(first.address);
  }, 120_000);
});

describe('a built server', () => {
  const JSONAPI_OPTIONS = JSON.stringify({ imageStyles: { card: { width: 40, format: 'png' } } });
  const CARD = '/content-files/_styles/card/content/article/cover.png.png';
  let site: Site;
  beforeAll(async () => {
    site = await siteWithCrop('cropped-server');
    await build(site, { SERVER: '1', JSONAPI_OPTIONS });
  }, 120_000);
  afterAll(() => site?.remove());

  async function card(origin: string) {
    const response = await fetch(origin + CARD);
    const tag = response.headers.get('etag');
    return { tag, ...(await picture(new Uint8Array(await response.arrayBuffer()))) };
  }

  it('resizes the cropped image, and follows a change of its crop', async () => {
    const server = await serve(site);
    try {
      const first = await card(server.origin);
      expect(first).toMatchObject({ width: 40, height: 80, isBlue: true });
      writeCrop(site, LEFT);
      await eventually(async () =>
        expect(await card(server.origin)).toMatchObject({ width: 40, height: 40, isBlue: false }),
      );
      expect((await card(server.origin)).tag).not.toBe(first.tag);
    } finally {
      writeCrop(site, CROP);
      await server.stop();
    }
  }, 120_000);

  it('knows the crops of its build without its content folder', async () => {
    renameSync(site.file('content'), site.file('content-elsewhere'));
    const server = await serve(site);
    try {
      expect(await card(server.origin)).toMatchObject({ width: 40, height: 80, isBlue: true });
    } finally {
      await server.stop();
      renameSync(site.file('content-elsewhere'), site.file('content'));
    }
  }, 120_000);
});
