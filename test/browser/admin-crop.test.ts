import sharp from 'sharp';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { defineSchema, image, z } from '../../integration/schema.ts';
import { axeViolations } from './axe.ts';
import { describeInBrowser } from './chromium.ts';
import { useTab } from './tab.ts';
import { startWritableSite, type WritableSite } from './writable-site.ts';

const part = z.number().min(0).max(1);
const SCHEMA = defineSchema({
  article: { field_cover: image().nullish() },
  page: {
    field_picture: z
      .object({
        src: image(),
        alt: z.string(),
        caption: z.string().nullish(),
        credit: z.string().nullish(),
        crop: z.object({ x: part, y: part, width: part, height: part }).nullish(),
        focus: z.object({ x: part, y: part }).nullish(),
        rotation: z.number().nullish(),
      })
      .nullish(),
  },
});
/** May change articles, but not pages. */
const ROLES = {
  author: { permissions: [{ actions: ['create', 'update', 'view'], bundles: ['article'] }] },
} as const;
let photo: Uint8Array;
let clicks = 0;

describeInBrowser('cropping in the admin', async () => {
  const tab = await useTab({ hasTouch: true });
  const { page } = tab;
  let site: WritableSite;

  beforeAll(async () => {
    const stripe = (background: string, left: number) => ({
      input: { create: { width: 200, height: 400, channels: 3 as const, background } },
      left,
      top: 0,
    });
    photo = await sharp({ create: { width: 800, height: 400, channels: 3, background: '#c83' } })
      .composite([stripe('#357', 0), stripe('#7a4', 200), stripe('#eee', 400)])
      .png()
      .toBuffer();
    await page.exposeFunction('countClick', () => clicks++);
    await page.addInitScript(() =>
      addEventListener('click', ({ detail }) => detail > 0 && Reflect.get(window, 'countClick')(), true),
    );
  });
  beforeEach(async () => {
    const content = {
      'article/moon.md':
        '---\ntitle: The moon\nfield_cover: { src: tower.png, alt: A tower }\n---\n![A tower](tower.png)\n',
      'article/tower.png': photo,
    };
    site = await startWritableSite({ content, schema: SCHEMA, roles: ROLES });
  });

  const dialog = () => page.getByRole('dialog', { name: /^Crop/ });
  const button = (name: string) => dialog().getByRole('button', { name, exact: true });
  const size = (text: string) => dialog().getByRole('status').getByText(text).waitFor();
  const crop = async () => JSON.parse((await site.read('article/tower.png.crop.json')) || 'null');
  async function save(): Promise<void> {
    await button('Save').click();
    await page.locator('.notices').getByText('“tower.png” is cropped.').waitFor();
    await dialog().waitFor({ state: 'hidden' });
  }
  async function openField(): Promise<void> {
    await tab.open(site, '/admin/edit/node/article/moon', 'ada');
    await page.locator('.cm-content').waitFor();
    clicks = 0;
    await page
      .getByRole('group', { name: 'Cover', exact: true })
      .getByRole('button', { name: /Crop …/ })
      .click();
    await dialog().getByRole('status').getByText('×').waitFor();
  }
  async function openFile(): Promise<void> {
    await tab.open(site, '/admin/media?file=content%3A%2F%2Farticle%2Ftower.png', 'ada');
    await page.getByRole('button', { name: 'Crop …' }).click();
    await size('800 × 400');
  }
  async function drag(name: string, x: number, y: number): Promise<void> {
    const box = await button(name).boundingBox();
    if (box === null) throw new Error(`${name} is not shown.`);
    const [left, top] = [box.x + box.width / 2, box.y + box.height / 2];
    await page.mouse.move(left, top);
    await page.mouse.down();
    await page.mouse.move(left + x / 2, top + y / 2);
    await page.mouse.move(left + x, top + y);
    await page.mouse.up();
  }
  const frame = async () => (await dialog().locator('.frame').boundingBox())!;

  test('a picture of a field is cropped with three clicks, and its file stays', async () => {
    await openField();
    await button('1:1').click();
    await size('400 × 400');
    await save();
    expect(clicks).toBeLessThanOrEqual(4);
    expect(clicks).toBe(3);
    expect(await crop()).toEqual({ crop: { x: 0.25, y: 0, width: 0.5, height: 1 } });
    expect(Buffer.from((await site.readBytes('article/tower.png')) ?? []).equals(Buffer.from(photo))).toBe(
      true,
    );
    expect(await site.read('article/moon.md')).toContain('field_cover: { src: tower.png, alt: A tower }');
  });

  test('a field whose schema has the keys stores the crop, the description and the caption itself', async () => {
    const content = {
      'page/moon.md': '---\ntitle: The moon\nfield_picture:\n  src: tower.png\n  alt: A tower\n---\nText\n',
      'page/tower.png': photo,
    };
    site = await startWritableSite({ content, schema: SCHEMA, roles: ROLES });
    await tab.open(site, '/admin/edit/node/page/moon', 'ada');
    const field = page.getByRole('group', { name: 'Picture', exact: true });
    await field.getByLabel('Alternative text').fill('A lighthouse');
    await field.getByLabel('Caption').fill('At dusk');
    clicks = 0;
    await field.getByRole('button', { name: /Crop …/ }).click();
    await button('1:1').click();
    await size('400 × 400');
    expect(await axeViolations(page)).toEqual([]);
    await button('Apply').click();
    expect(clicks).toBe(3);
    await field.locator('svg image').waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.locator('.notices').getByText('is saved').waitFor();
    expect(await site.read('page/moon.md')).toBe(
      '---\ntitle: The moon\nfield_picture:\n  src: tower.png\n  alt: A lighthouse\n  caption: At dusk\n  crop:\n    x: 0.25\n    y: 0\n    width: 0.5\n    height: 1\n---\nText\n',
    );
    expect(await site.read('page/tower.png.crop.json')).toBe('');
  });

  test('a picture in the text is cropped from its button', async () => {
    await tab.open(site, '/admin/edit/node/article/moon', 'ada');
    await page.locator('.md-image img').waitFor();
    clicks = 0;
    await page.locator('.md-image').getByRole('button', { name: 'Crop … A tower' }).click();
    await button('1:1').click();
    await save();
    expect(clicks).toBeLessThanOrEqual(4);
    expect(await crop()).toEqual({ crop: { x: 0.25, y: 0, width: 0.5, height: 1 } });
    expect(await site.read('article/moon.md')).toContain('![A tower](tower.png)\n');
  });

  test('corners, the part and the point are dragged with the mouse', async () => {
    await openFile();
    const { width, height } = await frame();
    await drag('Corner at the bottom right', -width / 2, -height / 4);
    await size('400 × 300');
    await drag('Part that is shown', width / 4, 0);
    await button('Keep a point visible').click();
    await save();
    const { crop: part, focus } = await crop();
    expect(part.x).toBeCloseTo(0.25, 1);
    expect(part.width).toBeCloseTo(0.5, 2);
    expect(part.height).toBeCloseTo(0.75, 2);
    expect(focus.x).toBeCloseTo(part.x + part.width / 2, 2);
  });

  test('a finger drags a corner, and does not scroll the page', async () => {
    await openFile();
    const session = await page.context().newCDPSession(page);
    const box = (await button('Corner at the top left').boundingBox())!;
    const { width } = await frame();
    const at = (x: number) => ({
      touchPoints: [{ x: box.x + box.width / 2 + x, y: box.y + box.height / 2 }],
    });
    await session.send('Input.dispatchTouchEvent', { type: 'touchStart', ...at(0) });
    for (const part of [0.1, 0.2, 0.25])
      await session.send('Input.dispatchTouchEvent', { type: 'touchMove', ...at(width * part) });
    await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    await size('600 × 400');
    await session.detach();
  });

  test('the keyboard alone crops, turns and resets a picture', async () => {
    await openFile();
    await button('Corner at the top left').focus();
    await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('ArrowDown');
    await size('720 × 396');
    await button('Part that is shown').focus();
    await page.keyboard.press('ArrowLeft');
    await button('Turn').focus();
    await page.keyboard.press('Enter');
    await size('396 × 720');
    await button('Save').focus();
    await page.keyboard.press('Enter');
    await page.locator('.notices').getByText('“tower.png” is cropped.').waitFor();
    expect(await crop()).toEqual({ crop: { x: 0.09, y: 0.01, width: 0.9, height: 0.99 }, rotation: 90 });
    // The focus returns to the button that opened the dialog.
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Crop …');
    await page.keyboard.press('Enter');
    await size('396 × 720');
    await button('Show all').focus();
    await page.keyboard.press('Space');
    await size('800 × 400');
    await button('Save').click();
    await expect.poll(crop).toBeNull();
  });

  test('the shape stays while a corner moves, and after a turn', async () => {
    await openFile();
    await button('16:9').click();
    await size('711 × 400');
    await drag('Corner at the top left', 60, 0);
    const text = async () => (await dialog().getByRole('status').textContent()) ?? '';
    const ratio = async () => {
      const [across = 0, down = 1] = (await text()).split(' × ').map(Number);
      return across / down;
    };
    expect(await text()).not.toBe('711 × 400');
    expect(await ratio()).toBeCloseTo(16 / 9, 1);
    await button('Turn').click();
    await expect.poll(ratio).toBeCloseTo(16 / 9, 1);
  });

  test('accounts that may not change all content do not see it', async () => {
    await site.addAccount('bob', ['author']);
    await tab.open(site, '/admin/edit/node/article/moon', 'bob');
    await page.locator('.md-image img').waitFor();
    await page.getByRole('group', { name: 'Cover', exact: true }).getByText('tower.png').waitFor();
    expect(await page.getByRole('button', { name: /Crop/ }).count()).toBe(0);
  });

  test('the dialog fits into 390 px and has no faults for axe, in light and dark', async () => {
    await openFile();
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 860 });
      await button('4:3').click();
      await button('Turn').click();
      await button('Keep a point visible').click();
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
      expect(await axeViolations(page)).toEqual([]);
      await screenshots(`crop-${width}`);
      await button('Show all').click();
    }
    await button('1:1').click();
    await button('Turn').click();
    await save();
    // The library, the field and the text with the result.
    expect(await axeViolations(page)).toEqual([]);
    await screenshots('cropped-file');
    await openField();
    await button('1:1').click();
    await save();
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 860 });
      await page.getByRole('img', { name: /tower\.png/ }).waitFor();
      expect(await axeViolations(page)).toEqual([]);
      await screenshots(`cropped-field-${width}`);
    }
  });

  /** Pictures to look at, if a folder for them is named. */
  async function screenshots(name: string): Promise<void> {
    const folder = process.env.SCREENSHOTS;
    if (folder === undefined) return;
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: `${folder}/${name}-${colorScheme}.png` });
    }
  }
});
