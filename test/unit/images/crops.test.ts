import sharpService from 'astro/assets/services/sharp';
import fc from 'fast-check';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Actor } from '../../../integration/core/access/actor.ts';
import { createRuntime } from '../../../integration/core/runtime/open-site.ts';
import { formatDiagnostics } from '../../../integration/core/source/diagnostic.ts';
import { partOf, positionOf, ROTATIONS, shownSize } from '../../../integration/features/images/crop.ts';
import { parseCrop } from '../../../integration/features/images/crop-file.ts';
import { createPictureOf } from '../../../integration/features/images/picture-of.ts';
import { FEATURES } from '../../../integration/features.ts';
import { defineSchema, image, z } from '../../../integration/schema.ts';
import { createHandler } from '../../support/handler.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { parseOptions } from '../../support/options.ts';
import { fetchFrom } from '../../support/request.ts';
import { adminApp, TEST_SETTINGS } from '../../support/services.ts';

const SCHEMA = defineSchema({
  article: {
    cover: image().nullish(),
    tags: z.array(z.string()).default([]),
    picture: z
      .object({
        src: image(),
        alt: z.string(),
        crop: z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() }).nullish(),
        rotation: z.number().nullish(),
      })
      .nullish(),
  },
});
const EDITOR: Actor = { name: 'ada', roles: ['administrator'] };
const STYLES = {
  wide: { width: 80, format: 'png' },
  square: { width: 40, height: 40, format: 'png' },
  top: { width: 40, height: 40, position: 'left', format: 'png' },
} as const;

/** 200 × 100 pixels: a red quarter at the left, then green, blue and white. */
let stripes: Uint8Array;
/** The same pixels, stored lying on their side with an EXIF orientation. */
let turned: Uint8Array;
beforeAll(async () => {
  const stripe = (background: string, left: number) => ({
    input: { create: { width: 50, height: 100, channels: 3 as const, background } },
    left,
    top: 0,
  });
  const base = sharp({ create: { width: 200, height: 100, channels: 3, background: '#fff' } });
  stripes = await base
    .composite([stripe('#f00', 0), stripe('#0f0', 50), stripe('#00f', 100)])
    .png()
    .toBuffer();
  turned = await sharp(stripes)
    .rotate(270)
    .jpeg({ quality: 100 })
    .withMetadata({ orientation: 6 })
    .toBuffer();
});

async function open(files: Readonly<Record<string, string | Uint8Array>> = {}, drupal = true) {
  const driver = createMemoryDriver({
    'article/sea.md': '---\ntitle: Sea\ncover: { src: sea.png, alt: The sea }\n---\n',
    'article/sea.png': stripes,
    ...files,
  });
  const written: (readonly string[])[] = [];
  const runtime = await createRuntime(
    { driver, schema: SCHEMA },
    {
      features: FEATURES,
      options: parseOptions({
        ...(drupal && { imageStyles: STYLES }),
        drupal,
        editing: { requireIfMatch: false },
      }),
      settings: { ...TEST_SETTINGS, drupal, admin: true, readOnly: false },
      renderBody: async () => '',
      log: { info: () => undefined, warn: () => undefined, error: () => undefined },
      imageService: async () => sharpService,
      sharp: async () => sharp,
      onWritten: (_, keys) => {
        written.push([...keys]);
        return undefined;
      },
    },
  );
  const handle = createHandler(runtime.services, { adminApp });
  const get = (path: string, actor: Actor | undefined = EDITOR) =>
    fetchFrom(handle, path, actor === undefined ? {} : { actor });
  const style = (name: string, file = 'sea.png') =>
    get(`/content-files/_styles/${name}/content/article/${file}.png`);
  return {
    driver,
    written,
    runtime,
    get,
    style,
    request: (
      method: string,
      path: string,
      body?: BodyInit,
      headers: Readonly<Record<string, string>> = {},
    ) => fetchFrom(handle, path, { method, actor: EDITOR, headers, ...(body && { body }) }),
    async pixels(name: string, file?: string) {
      const { data, info } = await sharp(await (await style(name, file)).arrayBuffer())
        .raw()
        .toBuffer({ resolveWithObject: true });
      const at = (x: number, y: number) => {
        const start = (y * info.width + x) * info.channels;
        return [...data.subarray(start, start + 3)].map((value) => (value > 127 ? 1 : 0)).join('');
      };
      const middle = Math.floor(info.height / 2);
      return {
        size: [info.width, info.height],
        row: [0, 0.34, 0.67, 0.99].map((part) => at(Math.floor(info.width * part), middle)),
        column: [0, 0.34, 0.67, 0.99].map((part) =>
          at(Math.floor(info.width / 2), Math.floor(info.height * part)),
        ),
      };
    },
    async patch(attributes: unknown, { actor = EDITOR, file = 'sea.png', ...rest }: Patch = {}) {
      const response = await fetchFrom(handle, `/jsonapi/_crops/content/article/${file}`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/vnd.api+json' },
        ...(actor && { actor }),
        body: JSON.stringify({
          data: { type: 'crop', id: `content://article/${file}`, ...rest, attributes },
        }),
      });
      const text = await response.text();
      return { status: response.status, ...(text === '' ? {} : JSON.parse(text)) };
    },
    text: async (key: string) => new TextDecoder().decode(await driver.read(key)),
    problems: () => formatDiagnostics(runtime.services.diagnostics(), { root: '' }),
  };
}

interface Patch {
  readonly actor?: Actor | null;
  readonly file?: string;
  readonly id?: string;
}

const RED = '100';
const GREEN = '010';
const BLUE = '001';
const WHITE = '111';
const GREEN_STRIPE = { crop: { x: 0.25, y: 0, width: 0.25, height: 1 } };
const file = (data: unknown) => ({ 'article/sea.png.crop.json': JSON.stringify(data) });

describe('a cropped image', () => {
  it('is resized from the part that its file names', async () => {
    const { pixels, problems } = await open(file(GREEN_STRIPE));
    const { size, row } = await pixels('wide');
    expect(row).toEqual([GREEN, GREEN, GREEN, GREEN]);
    expect(size).toEqual([50, 100]);
    expect(problems()).toBe('');
  });

  it('has links with the size that it really has', async () => {
    const { get, style } = await open(file({ ...GREEN_STRIPE, rotation: 90 }));
    const { included } = await (await get('/jsonapi/node/article/sea?include=cover')).json();
    for (const name of Object.keys(STYLES)) {
      const { width, height } = await sharp(await (await style(name)).arrayBuffer()).metadata();
      expect(included[0].links[name].meta).toMatchObject({ width, height });
    }
  });

  it('is turned clockwise after it is cropped', async () => {
    const { pixels } = await open(file({ crop: { x: 0, y: 0, width: 0.5, height: 1 }, rotation: 90 }));
    const { size, column } = await pixels('wide');
    expect(size).toEqual([80, 80]);
    expect(column).toEqual([RED, RED, GREEN, GREEN]);
  });

  it('is cropped around its focus by styles that crop, and as the style says without one', async () => {
    const focused = await open(file({ focus: { x: 0.95, y: 0.5 } }));
    expect((await focused.pixels('square')).row).toEqual([BLUE, BLUE, WHITE, WHITE]);
    expect((await focused.pixels('top')).row).toEqual([BLUE, BLUE, WHITE, WHITE]);
    expect((await focused.pixels('wide')).row).toEqual([RED, GREEN, BLUE, WHITE]);
    const other = await open();
    expect((await other.pixels('square')).row).toEqual([GREEN, GREEN, BLUE, BLUE]);
    expect((await other.pixels('top')).row).toEqual([RED, RED, GREEN, GREEN]);
  });

  it('is measured as people see it, after its EXIF orientation', async () => {
    const { pixels } = await open({
      'article/sea.md': '---\ncover: sea.jpg\n---\n',
      'article/sea.jpg': turned,
      'article/sea.jpg.crop.json': JSON.stringify(GREEN_STRIPE),
    });
    expect((await pixels('wide', 'sea.jpg')).row).toEqual([GREEN, GREEN, GREEN, GREEN]);
  });

  it('has another ETag after each change, and none of the earlier bytes', async () => {
    const { style, patch } = await open();
    const tags = [(await style('wide')).headers.get('etag')];
    for (const change of [GREEN_STRIPE, { rotation: 90 }, { crop: null, rotation: null }]) {
      expect((await patch(change)).status).toBe(204);
      tags.push((await style('wide')).headers.get('etag'));
    }
    expect(new Set(tags.slice(0, 3)).size).toBe(3);
    expect(tags[3]).toBe(tags[0]);
    expect(tags[0]).not.toBeNull();
  });

  it('says in its value how it is shown, and takes the value back', async () => {
    const { get, runtime } = await open(file({ ...GREEN_STRIPE, focus: { x: 0.26, y: 0.9 } }), false);
    const { cover } = (await (await get('/jsonapi/node/article/sea')).json()).data.attributes;
    expect(cover).toMatchObject({ ...GREEN_STRIPE, position: 'left bottom', width: 200, height: 100 });
    const handle = createHandler(runtime.services, { adminApp });
    const response = await fetchFrom(handle, '/jsonapi/node/article/sea', {
      method: 'PATCH',
      headers: { 'content-type': 'application/vnd.api+json' },
      actor: EDITOR,
      body: JSON.stringify({ data: { type: 'node--article', id: 'sea', attributes: { cover } } }),
    });
    expect(response.status).toBe(200);
  });

  it('is neither an entity nor a file that is served or listed', async () => {
    const { get, problems } = await open(file(GREEN_STRIPE));
    const articles = await (await get('/jsonapi/node/article')).json();
    expect(articles.data.map(({ id }: { id: string }) => id)).toEqual(['sea']);
    const files = await (await get('/jsonapi/_files')).json();
    expect(files.data.map(({ id }: { id: string }) => id)).toEqual(['content://article/sea.png']);
    expect((await get('/content-files/article/sea.png.crop.json')).status).toBe(404);
    expect((await get('/jsonapi/_files/content/article/sea.png.crop.json')).status).toBe(404);
    expect(problems()).toBe('');
  });
});

describe('the crop in an object of the content', () => {
  const page = (values: string, status = '') => ({
    'article/tower.md': `---\n${status}picture:\n  src: sea.png\n  alt: Tower\n${values}---\n`,
  });
  const SHOWN = '  crop: { x: 0.25, y: 0, width: 0.25, height: 1 }\n  rotation: 90\n';
  const NAME = 'sea.png@crop=0.25,0,0.25,1;rotation=90';

  it('has resized images of its own, and the file has others', async () => {
    const { pixels, style } = await open({
      ...page(SHOWN),
      ...file({ crop: { x: 0, y: 0, width: 0.25, height: 1 } }),
    });
    expect(await pixels('wide', NAME)).toMatchObject({ size: [80, 40], row: [GREEN, GREEN, GREEN, GREEN] });
    expect((await pixels('wide')).row).toEqual([RED, RED, RED, RED]);
    expect((await style('wide', 'sea.png@crop=0,0,1,1')).status).toBe(404);
    expect((await style('wide', 'sea.png@crop=0.25,0,0.25,1')).status).toBe(404);
  });

  it('has resized images only for actors with access to the object', async () => {
    const { get } = await open(page(SHOWN, 'status: false\n'));
    const address = `/content-files/_styles/wide/content/article/${NAME}.png`;
    expect((await get(address, { name: null, roles: ['anonymous'] })).status).toBe(404);
    expect(
      (await get(address.replace(/@[^/]*(?=\.png$)/, ''), { name: null, roles: ['anonymous'] })).status,
    ).toBe(200);
  });

  it('is not used if it is not a crop', async () => {
    const { style } = await open(page('  crop: { x: 0.25, y: 0, width: 7, height: 1 }\n'));
    expect((await style('wide', 'sea.png@crop=0.25,0,7,1')).status).toBe(404);
  });
});

describe('pictureOf', () => {
  const uri = { value: 'content://a.png' };
  const imageOf = async () => ({ src: 'whole', alt: 'of the image', position: 'left top' });
  const pictureOf = createPictureOf(
    imageOf,
    new Map([['content://a.png focus=0.9,0.5;rotation=90', async () => ({ default: 'cropped' })]]),
  );

  it('has the cropped image, the point and the alternative text of the object', async () => {
    const value = {
      file: { uri },
      alt: 'own',
      caption: 'c',
      crop: null,
      focus: { x: 0.9, y: 0.5 },
      rotation: 90,
    };
    expect(await pictureOf(value)).toEqual({ src: 'cropped', alt: 'own', position: 'bottom' });
  });

  it('has the image as its file says without a crop, and if the crop was made after the build', async () => {
    const whole = { src: 'whole', alt: 'of the image', position: 'left top' };
    expect(await pictureOf({ file: { uri }, caption: 'c' })).toEqual(whole);
    expect(await pictureOf({ file: { uri }, rotation: 180 })).toEqual(whole);
    expect(await pictureOf({ caption: 'c' })).toBeUndefined();
    expect(await pictureOf(null)).toBeUndefined();
  });
});

describe('a file with a crop that cannot be used', () => {
  const HOSTILE: readonly (readonly [string, string | Uint8Array, string])[] = [
    ['no JSON', '{ crop', 'article/sea.png.crop.json:1:'],
    ['a list', '[]', 'article/sea.png.crop.json:1:1'],
    ['null', 'null', 'article/sea.png.crop.json:1:1'],
    ['a huge number', '{\n  "crop": { "x": 1e308, "y": 0, "width": 1, "height": 1 }\n}', ':2:18'],
    ['an endless number', '{ "crop": { "x": 1e999, "y": 0, "width": 1, "height": 1 } }', ':1:18'],
    ['a negative number', '{ "focus": { "x": -0.1, "y": 0 } }', ':1:19'],
    ['no width', '{ "crop": { "x": 0, "y": 0, "width": 0, "height": 1 } }', ':1:38'],
    ['a crop outside of the image', '{ "crop": { "x": 0.6, "y": 0, "width": 0.6, "height": 1 } }', ':1:11'],
    ['text', '{ "rotation": "90" }', ':1:15'],
    ['another angle', '{ "rotation": 45 }', ':1:15'],
    ['a missing value', '{ "crop": { "x": 0 } }', ':1:'],
    ['a prototype', '{ "crop": { "__proto__": { "x": 0 } } }', ':1:'],
    ['deep lists', `{ "crop": ${'['.repeat(4000)}${']'.repeat(4000)} }`, ':1:'],
    ['a width that rounds to nothing', '{ "crop": { "x": 0, "y": 0, "width": 1e-9, "height": 1 } }', ':1:38'],
    ['an unknown key', '{ "rotation": 90,\n  "rotaton": 90 }', ':2:3'],
    ['an unknown key of a crop', '{ "focus": { "x": 0.5, "y": 0.5, "z": 1 } }', ':1:34'],
    ['bytes that are no text', new Uint8Array([0xff, 0xfe, 0x00]), ':1:1'],
    ['more than 10,000 bytes', `{ "crop": null, "x": "${'x'.repeat(10_000)}" }`, ':1:1'],
  ];

  it.each(HOSTILE)(
    'is reported with its position, and the image is shown as it is: %s',
    async (_, content, place) => {
      const { pixels, problems, get, patch } = await open({ 'article/sea.png.crop.json': content });
      expect(problems()).toContain('article/sea.png.crop.json:');
      expect(problems()).toContain(place);
      expect((await pixels('wide')).row).toEqual([RED, GREEN, BLUE, WHITE]);
      const { data } = await (await get('/jsonapi/_crops/content/article/sea.png')).json();
      expect(data.attributes).toEqual({ crop: null, focus: null, rotation: null });
      expect(data.meta.problems).not.toEqual([]);
      // A new crop corrects it.
      expect((await patch(GREEN_STRIPE)).status).toBe(204);
      expect((await pixels('wide')).row).toEqual([GREEN, GREEN, GREEN, GREEN]);
      expect(problems()).toBe('');
    },
  );

  it.each([
    ['{ "rotation": 45 }', '`rotation`: Expected 0, 90, 180 or 270: degrees, clockwise.'],
    [
      '{ "focus": { "x": 2, "y": 0 } }',
      '`focus.x`: Expected a number from 0 to 1, a part of the width or height.',
    ],
    [
      '{ "crop": { "x": 0, "y": 0, "width": 1e-9, "height": 1 } }',
      '`crop.width`: Expected a number from 0.0001 to 1, a part of the width or height.',
    ],
    ['{ "rotaton": 90 }', '`rotaton`: This key is not known. There are `crop`, `focus` and `rotation`.'],
    ['{ "focus": [0, 0] }', '`focus`: Expected `x` and `y`.'],
    [
      '{ "crop": { "x": 0.5, "y": 0, "width": 0.9, "height": 1 } }',
      '`crop`: The crop is larger than the image.',
    ],
  ])('reports the expected value: %s', (text, message) => {
    const { problems } = parseCrop(new TextEncoder().encode(text), 'a.png.crop.json');
    expect(problems.map((each) => each.message)).toEqual([message]);
  });

  it('may have 10,000 bytes, and not one more', () => {
    const ofSize = (size: number) => new TextEncoder().encode(`{ "rotation": 90 }${' '.repeat(size - 18)}`);
    expect(parseCrop(ofSize(10_000), 'a.png.crop.json')).toEqual({ crop: { rotation: 90 }, problems: [] });
    expect(parseCrop(ofSize(10_001), 'a.png.crop.json').problems).toHaveLength(1);
  });
});

describe('PATCH /jsonapi/_crops', () => {
  it('writes a file beside the image in one change, and leaves the image', async () => {
    const { patch, text, written, driver, get } = await open();
    expect((await patch({ ...GREEN_STRIPE, focus: { x: 1 / 3, y: 0.5 } })).status).toBe(204);
    expect(JSON.parse(await text('article/sea.png.crop.json'))).toEqual({
      ...GREEN_STRIPE,
      focus: { x: 0.3333, y: 0.5 },
    });
    expect(Buffer.compare((await driver.read('article/sea.png'))!, stripes)).toBe(0);
    expect(written).toEqual([['article/sea.png.crop.json']]);
    const { data } = await (await get('/jsonapi/_crops/content/article/sea.png')).json();
    expect(data.attributes).toEqual({ ...GREEN_STRIPE, focus: { x: 0.3333, y: 0.5 }, rotation: null });
  });

  it('changes one value and leaves the rest of the file, byte for byte', async () => {
    const before =
      '{\n\t"crop": { "x": 0, "y": 0, "width": 0.50, "height": 1 },\n\t"rotation": 90,\n\t"focus": { "x": 0.5, "y": 0.5 }\n}\n';
    const { patch, text } = await open({ 'article/sea.png.crop.json': before });
    expect((await patch({ rotation: 180 })).status).toBe(204);
    expect(await text('article/sea.png.crop.json')).toBe(before.replace('90', '180'));
  });

  it('removes the file with its last value, and does nothing without one', async () => {
    const { patch, driver } = await open(file({ rotation: 90 }));
    expect((await patch({ rotation: null })).status).toBe(204);
    expect(await driver.read('article/sea.png.crop.json')).toBeUndefined();
    expect((await patch({ crop: null, focus: null, rotation: 0 })).status).toBe(204);
    expect(await driver.read('article/sea.png.crop.json')).toBeUndefined();
  });

  it('rejects invalid crops, with a pointer', async () => {
    const { patch, driver } = await open();
    for (const [attributes, pointer] of [
      [{ crop: { x: 2, y: 0, width: 1, height: 1 } }, '/data/attributes/crop/x'],
      [{ crop: { x: 0.5, y: 0, width: 0.9, height: 1 } }, '/data/attributes/crop'],
      [{ rotation: 45 }, '/data/attributes/rotation'],
      [{ focus: [0, 0] }, '/data/attributes/focus'],
      [{ crop: { x: 0, y: 0, width: 1e-9, height: 1 } }, '/data/attributes/crop/width'],
      [{ rotaton: 90 }, '/data/attributes/rotaton'],
      [null, '/data/attributes'],
    ] as const) {
      const { status, errors } = await patch(attributes);
      expect([status, errors[0].source.pointer]).toEqual([422, pointer]);
    }
    expect((await patch({}, { id: 'content://article/other.png' })).status).toBe(409);
    expect(await driver.read('article/sea.png.crop.json')).toBeUndefined();
  });

  it('is for accounts that may change all content', async () => {
    const { patch, get } = await open({
      'article/hidden.md': '---\nstatus: false\ncover: hidden.png\n---\n',
      'article/hidden.png': stripes,
    });
    expect((await patch(GREEN_STRIPE, { actor: null })).status).toBe(401);
    expect((await patch(GREEN_STRIPE, { actor: { name: 'bob', roles: [] } })).status).toBe(403);
    // A hidden image, a missing one, and files that are not images.
    for (const name of ['hidden.png', 'missing.png', 'sea.md', '..%2Fsea.png']) {
      const { status } = await get(`/jsonapi/_crops/content/article/${name}`, { name: 'bob', roles: [] });
      expect([name, status]).toEqual([name, 404]);
    }
    expect((await get('/jsonapi/_crops/public/logo.png')).status).toBe(404);
  });
});

describe('the crop of an image', () => {
  it('is deleted with the image, in one change', async () => {
    const { request, driver, written } = await open({
      'article/free.png': stripes,
      'article/free.png.crop.json': '{ "rotation": 90 }',
    });
    expect((await request('DELETE', '/jsonapi/_files/content/article/free.png')).status).toBe(204);
    expect(await driver.read('article/free.png.crop.json')).toBeUndefined();
    expect(written).toEqual([['article/free.png', 'article/free.png.crop.json']]);
  });

  it('that an image has left behind is not the crop of the next image with its name', async () => {
    const { request } = await open({ 'article/free.png.crop.json': '{ "rotation": 90 }' });
    const response = await request('POST', '/jsonapi/_files?beside=node--article', new Uint8Array(stripes), {
      'content-type': 'application/octet-stream',
      'content-disposition': 'file; filename="free.png"',
    });
    expect(response.status).toBe(201);
    expect((await response.json()).data.id).toBe('content://article/free-2.png');
  });
});

describe('the part of an image', () => {
  const fraction = fc.double({ min: 0, max: 1, noNaN: true });
  const crops = fc
    .record({ x: fraction, y: fraction, width: fraction, height: fraction })
    .map(({ x, y, width, height }) => ({ x, y, width: (1 - x) * width, height: (1 - y) * height }));
  const size = fc.record({
    width: fc.integer({ min: 1, max: 9000 }),
    height: fc.integer({ min: 1, max: 9000 }),
  });

  it('is inside of the image and never empty', () => {
    const shown = fc.record(
      {
        crop: crops,
        focus: fc.record({ x: fraction, y: fraction }),
        rotation: fc.constantFrom(...ROTATIONS),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(shown, size, fc.option(size, { nil: undefined }), (crop, original, target) => {
        const part = partOf(crop, original, target);
        for (const value of Object.values(part)) expect(Number.isInteger(value)).toBe(true);
        expect(part.x).toBeGreaterThanOrEqual(0);
        expect(part.y).toBeGreaterThanOrEqual(0);
        expect(part.width).toBeGreaterThanOrEqual(1);
        expect(part.height).toBeGreaterThanOrEqual(1);
        expect(part.x + part.width).toBeLessThanOrEqual(original.width);
        expect(part.y + part.height).toBeLessThanOrEqual(original.height);
        const { width, height } = shownSize(crop, original);
        expect(width * height).toBeGreaterThanOrEqual(1);
      }),
    );
  });

  it('has its focus where CSS finds it after a turn', () => {
    const focus = { x: 0.1, y: 0.5 };
    expect(ROTATIONS.map((rotation) => positionOf({ focus, rotation }))).toEqual([
      'left',
      'top',
      'right',
      'bottom',
    ]);
    expect(positionOf({ focus: { x: 0.5, y: 0.5 } })).toBe('center');
    expect(positionOf({ focus: { x: 0.5, y: 0.5 }, crop: { x: 0.45, y: 0, width: 0.5, height: 0.5 } })).toBe(
      'left bottom',
    );
    expect(positionOf({ crop: { x: 0, y: 0, width: 1, height: 1 } })).toBeUndefined();
  });
});
