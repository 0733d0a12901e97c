import { beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../integration/core/engine/limits.ts';
import type { Handler } from '../../integration/core/server/handler.ts';
import type { WritableDriver } from '../../integration/core/storage/driver.ts';
import { defineSchema, file, image } from '../../integration/schema.ts';
import { createHandler } from '../support/handler.ts';
import { createMemoryDriver } from '../support/memory-driver.ts';
import { png, svg } from '../support/pictures.ts';
import { fetchFrom } from '../support/request.ts';
import { createServices } from '../support/services.ts';
import { collect } from '../unit/content/collect.ts';

const SCHEMA = defineSchema({
  article: { field_cover: image().nullish(), field_paper: file().nullish() },
});
const HUGE = png(2 ** 31 - 1, 2 ** 31 - 1);

let driver: WritableDriver;
let handle: Handler;
async function open(imagePixels = DEFAULT_LIMITS.imagePixels): Promise<void> {
  driver = createMemoryDriver({ 'article/moon.md': '---\ntitle: Moon\n---\n' });
  const settings = { limits: { ...DEFAULT_LIMITS, imagePixels } };
  handle = createHandler(await createServices(driver, SCHEMA, { writable: {}, settings }));
}
beforeEach(() => open());

async function upload(bytes: Uint8Array, address: string, name = 'a.png') {
  const response = await fetchFrom(handle, address, {
    method: 'POST',
    headers: {
      'content-type': 'application/octet-stream',
      'content-disposition': `file; filename="${name}"`,
    },
    body: bytes,
    actor: { name: 'ada', roles: ['editor'] },
  });
  return { status: response.status, text: await response.text() };
}

describe('an uploaded image that claims more pixels than the limit', () => {
  it.each([
    '/jsonapi/node/article/field_cover',
    '/jsonapi/node/article/moon/field_cover',
    '/jsonapi/node/article/moon/field_paper',
    '/api/content/articles/moon/field_cover',
  ])('is a 422 at %s that names the limit, and is not stored', async (address) => {
    const { status, text } = await upload(HUGE, address);
    expect(status).toBe(422);
    expect(text).toContain('The limit is 100000000 pixels.');
    expect((await driver.list()).files.map(({ key }) => key)).toEqual(['article/moon.md']);
  });

  it('is stored with as many pixels as the limit, and rejected with one more', async () => {
    await open(100);
    expect((await upload(png(10, 10), '/jsonapi/node/article/field_cover')).status).toBe(201);
    expect((await upload(png(101, 1), '/jsonapi/node/article/field_cover')).status).toBe(422);
  });
});

describe('an image with too many pixels in the content folder', () => {
  it('is a warning at the field and the position in the body that name it', async () => {
    const { problems, ids } = await collect(
      {
        'article/a.md':
          '---\nfield_cover: huge.png\n---\n\n![x](huge.png) ![y](small.png) ![z](vector.svg)\n',
        'article/huge.png': HUGE,
        'article/small.png': png(4, 4),
        'article/vector.svg': svg(1e6, 1e6),
      },
      { schema: SCHEMA },
    );
    const warning =
      'warning: `huge.png` claims 2147483647 × 2147483647 pixels, more than Astro can resize. A page with it can fail the build. (Replace it with a smaller image.)';
    expect(ids).toEqual(['node--article/a']);
    expect(problems).toEqual([`content/article/a.md:2:14 ${warning}`, `content/article/a.md:5:6 ${warning}`]);
  });
});
