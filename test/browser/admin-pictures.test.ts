import { randomBytes } from 'node:crypto';
import sharp from 'sharp';
import { beforeEach, expect, test } from 'vitest';
import { defineSchema, file, image, z } from '../../integration/schema.ts';
import { createMemoryDriver } from '../support/memory-driver.ts';
import { png, svg, WHOLE_IMAGES } from '../support/pictures.ts';
import { axeViolations } from './axe.ts';
import { describeInBrowser } from './chromium.ts';
import { useTab } from './tab.ts';
import { startWritableSite, type WritableSite } from './writable-site.ts';

const PICTURE = WHOLE_IMAGES['a.png'] ?? new Uint8Array();
const SCHEMA = defineSchema({
  article: {
    field_cover: image().nullish(),
    field_gallery: z.array(image()).default([]),
    field_paper: file().nullish(),
    field_card: z.object({ heading: z.string(), picture: image() }).partial().nullish(),
    field_slides: z.array(z.object({ picture: image(), note: z.string().nullish() })).default([]),
  },
});
const CONTENT = {
  'article/moon.md': '---\ntitle: The moon\n---\nRises.\n',
  'article/2024/tides.md':
    '---\ntitle: Tides\nchanged: 2026-01-02\nfield_cover: { src: ../shore.png, alt: The wide shore }\n---\n![A crab](crab.png)\n',
  'article/2024/crab.png': PICTURE,
  'article/shore.png': PICTURE,
  'article/tides.pdf': '%PDF-1.4',
};

describeInBrowser('pictures in the admin', async () => {
  const tab = await useTab();
  const { page } = tab;
  let site: WritableSite;

  beforeEach(async () => {
    const publicFiles = createMemoryDriver({ 'logo.png': PICTURE });
    site = await startWritableSite({ content: CONTENT, schema: SCHEMA, publicFiles });
  });

  async function open(id = 'moon'): Promise<void> {
    await tab.open(site, `/admin/edit/node/article/${id}`, 'ada');
    await page.getByRole('textbox', { name: 'Title', exact: true }).waitFor();
    await page.locator('.cm-content').waitFor();
  }
  const field = (name: string) => page.getByRole('group', { name, exact: true });
  const choose = (name: string) => field(name).getByRole('button', { name: /Choose …/ });
  const dialog = () => page.getByRole('dialog');
  const option = (name: string) => dialog().getByRole('option', { name });
  const insert = (name = 'Insert') => dialog().getByRole('button', { name, exact: true });
  const alt = (name: string) => dialog().getByRole('textbox', { name, exact: true });
  const decorative = () => dialog().getByRole('checkbox', { name: /^Decorative/ });
  const names = () => dialog().getByRole('listbox').locator('.name').allTextContents();
  const picture = (name: string, width = 20) => ({
    name,
    mimeType: 'image/png',
    buffer: Buffer.from(png(width, 20)),
  });
  async function save(id = 'moon'): Promise<string> {
    await page.keyboard.press('Control+s');
    await page.getByText('Unsaved changes', { exact: true }).waitFor({ state: 'hidden' });
    return site.read(`article/${id}.md`);
  }

  test('a picture that the site has is chosen with three clicks, with its last description', async () => {
    await open();
    await choose('Cover').click();
    await option('shore.png').click();
    await insert().click();
    await field('Cover').getByText('shore.png').waitFor();
    expect(await save()).toContain('field_cover: { src: ./shore.png, alt: The wide shore }\n');
  });

  test('a path is relative to the file of the entry, and starts with a slash in public/', async () => {
    await open('2024/tides');
    await field('Cover').getByRole('button', { name: 'Replace' }).click();
    await option('logo.png').click();
    await alt('logo.png').fill('The mark of the site');
    await insert().click();
    await choose('Gallery').click();
    await option('shore.png').click();
    await option('crab.png').click();
    await insert('Insert 2').click();
    const text = await save('2024/tides');
    expect(text).toContain('field_cover: { src: /logo.png, alt: The mark of the site }');
    expect(text).toContain(
      '- { src: ../shore.png, alt: The wide shore }\n  - { src: ./crab.png, alt: A crab }\n',
    );
  });

  test('finds pictures by alternative text, and leads into folders', async () => {
    await open();
    await choose('Cover').click();
    await option('shore.png').waitFor();
    expect(await names()).toEqual(['crab.png', 'shore.png', 'logo.png']);
    await dialog().getByRole('searchbox').fill('wide');
    await expect.poll(names).toEqual(['shore.png']);
    await dialog().getByRole('searchbox').fill('');
    await dialog()
      .getByRole('button', { name: /^article 2/ })
      .click();
    await expect.poll(names).toEqual(['crab.png', 'shore.png']);
    await dialog()
      .getByRole('button', { name: /^2024 1/ })
      .click();
    await expect.poll(names).toEqual(['crab.png']);
    await dialog().getByRole('button', { name: 'article', exact: true }).click();
    await expect.poll(names).toEqual(['crab.png', 'shore.png']);
    await dialog().getByRole('button', { name: 'All folders' }).click();
    await expect.poll(names).toHaveLength(3);
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    await choose('Paper').click();
    await dialog().getByLabel('Kind').selectOption('Documents');
    await expect.poll(names).toEqual(['tides.pdf']);
    await option('tides.pdf').click();
    await insert().click();
    expect(await save()).toContain('field_paper: ./tides.pdf');
  });

  test('a picture needs a description, or is marked as decorative', async () => {
    await open();
    await choose('Cover').click();
    await dialog()
      .getByLabel('Upload …')
      .setInputFiles([picture('Full Moon.png', 50)]);
    await alt('full-moon.png').waitFor();
    await insert().click();
    await dialog().getByText('Describe the picture, or mark it as decorative.').waitFor();
    expect(await alt('full-moon.png').evaluate((input) => input === document.activeElement)).toBe(true);
    await decorative().check();
    await insert().click();
    await dialog().waitFor({ state: 'hidden' });
    expect(await save()).toContain('field_cover: { src: ./full-moon.png, alt: "" }');
    expect(await site.read('article/full-moon.png')).not.toBe('');
  });

  test('a description can be replaced, but is not removed', async () => {
    await open('2024/tides');
    const own = field('Cover').getByRole('textbox', { name: 'Alternative text' });
    await own.fill(' ');
    await field('Cover').getByText('Describe the picture, or mark it as decorative.').waitFor();
    await page.getByRole('textbox', { name: 'Title', exact: true }).fill('Low tides');
    await page.keyboard.press('Control+s');
    expect(await own.evaluate((input) => input === document.activeElement)).toBe(true);
    expect(await site.read('article/2024/tides.md')).toContain('title: Tides');
    expect(await site.read('article/2024/tides.md')).toContain('alt: The wide shore');
    expect(await axeViolations(page)).toEqual([]);
    await field('Cover').getByRole('checkbox', { name: 'Decorative picture' }).check();
    expect(await save('2024/tides')).toContain('title: Low tides');
    expect(await site.read('article/2024/tides.md')).toContain('field_cover: { src: ../shore.png, alt: "" }');
    await own.fill('A shore');
    expect(await save('2024/tides')).toContain('field_cover: { src: ../shore.png, alt: "A shore" }');
  });

  test('a removed description is still missing when the form is opened again', async () => {
    await open('2024/tides');
    await field('Cover').getByRole('textbox', { name: 'Alternative text' }).fill('');
    await field('Cover').getByText('Describe the picture, or mark it as decorative.').waitFor();
    await page.waitForTimeout(500);
    await open('2024/tides');
    await page.getByText('Unsaved changes', { exact: true }).first().waitFor();
    await field('Cover').getByText('Describe the picture, or mark it as decorative.').waitFor();
    const own = field('Cover').getByRole('textbox', { name: 'Alternative text' });
    expect(await own.inputValue()).toBe('');
    await page.keyboard.press('Control+s');
    expect(await own.evaluate((input) => input === document.activeElement)).toBe(true);
    expect(await site.read('article/2024/tides.md')).toContain('alt: The wide shore');
    await field('Cover').getByRole('checkbox', { name: 'Decorative picture' }).check();
    expect(await save('2024/tides')).toContain('field_cover: { src: ../shore.png, alt: "" }');
  });

  test('a removed description is asked for in a field that is hidden, and in a folded block', async () => {
    const when = { field: 'field_layout', is: 'wide' };
    const schema = defineSchema({
      article: {
        field_layout: z.enum(['wide', 'text']).nullish(),
        field_cover: image().nullish().meta({ when }),
        field_slides: z.array(z.object({ picture: image(), note: z.string().nullish() })).default([]),
      },
    });
    const slide = '  - { picture: { src: ./shore.png, alt: The wide shore } }\n';
    const moon = `---\ntitle: The moon\nfield_layout: wide\nfield_cover: { src: ./shore.png, alt: The wide shore }\nfield_slides:\n${slide.repeat(2)}---\nRises.\n`;
    site = await startWritableSite({ content: { ...CONTENT, 'article/moon.md': moon }, schema });
    await open();
    await field('Cover').getByRole('textbox', { name: 'Alternative text' }).fill('');
    await page.getByRole('combobox', { name: 'Layout' }).selectOption('text');
    await field('Cover').waitFor({ state: 'hidden' });
    await page.keyboard.press('Control+s');
    const own = field('Cover').getByRole('textbox', { name: 'Alternative text' });
    await own.waitFor();
    expect(await site.read('article/moon.md')).toBe(moon);
    expect(await axeViolations(page)).toEqual([]);
    // The field stays while the text is written.
    await own.pressSequentially('Low');
    await expect.poll(() => own.inputValue()).toBe('Low');
    expect(await save()).toMatch(/field_cover: \{ src: \.\/shore\.png, alt: Low \}\n/);
    await field('Cover').waitFor({ state: 'hidden' });

    const slides = page.locator('[id="field-field_slides"]');
    await slides.getByRole('textbox', { name: 'Alternative text' }).first().fill('');
    await page.waitForTimeout(500);
    await open();
    await page.getByText('Unsaved changes', { exact: true }).first().waitFor();
    await page.keyboard.press('Control+s');
    await slides.getByText('Describe the picture, or mark it as decorative.').waitFor();
    expect(await site.read('article/moon.md')).toContain(slide.repeat(2));
  });

  const SLIDES =
    'field_slides:\n  - { picture: { src: ./shore.png, alt: The wide shore } }\n  - { picture: ./shore.png, note: Low }\n';

  test('a block stays open while its picture needs a description', async () => {
    const moon = `---\ntitle: The moon\n${SLIDES}---\nRises.\n`;
    site = await startWritableSite({ content: { ...CONTENT, 'article/moon.md': moon }, schema: SCHEMA });
    await open();
    const slides = page.locator('[id="field-field_slides"]');
    const toggle = (index: number) => slides.locator('.toggle').nth(index);
    const own = slides.getByRole('textbox', { name: 'Alternative text' }).first();
    await own.fill('');
    await slides.getByText('Describe the picture, or mark it as decorative.').waitFor();
    const isFocused = () => own.evaluate((input) => input === document.activeElement);
    for (const fold of [toggle(0), slides.getByRole('button', { name: /^Collapse all/ })]) {
      await fold.click();
      expect(await isFocused()).toBe(true);
      expect(await toggle(0).getAttribute('aria-expanded')).toBe('true');
    }
    expect(await toggle(1).getAttribute('aria-expanded')).toBe('false');
    await page.getByRole('textbox', { name: 'Title', exact: true }).fill('The new moon');
    await page.keyboard.press('Control+s');
    expect(await isFocused()).toBe(true);
    expect(await site.read('article/moon.md')).toContain(SLIDES);
    await own.fill('Low water');
    await toggle(0).click();
    expect(await toggle(0).getAttribute('aria-expanded')).toBe('false');
    expect(await save()).toContain('alt: Low water');
  });

  test('a picture in an object is marked as decorative, and keeps the mark', async () => {
    const moon =
      '---\ntitle: The moon\nfield_card: { heading: Sea, picture: { src: ./shore.png, alt: "" } }\n---\nRises.\n';
    site = await startWritableSite({ content: { ...CONTENT, 'article/moon.md': moon }, schema: SCHEMA });
    await open();
    const card = page.locator('[id="field-field_card"]');
    const own = card.getByRole('textbox', { name: 'Alternative text' });
    const mark = card.getByRole('checkbox', { name: 'Decorative picture' });
    expect([await own.inputValue(), await mark.isChecked()]).toEqual(['', true]);
    await card.getByRole('textbox', { name: 'heading', exact: false }).first().fill('Shore');
    expect(await save()).toMatch(/heading: Shore, picture: \{ src: \.\/shore\.png, alt: "" \}/);
    await mark.uncheck();
    await page.keyboard.press('Control+s');
    await card.getByText('Describe the picture, or mark it as decorative.').waitFor();
    expect(await own.evaluate((input) => input === document.activeElement)).toBe(true);
    await own.fill('A wide shore');
    expect(await save()).toContain('alt: "A wide shore"');
    await own.fill('A shore');
    expect(await mark.count()).toBe(0);
    await own.fill('');
    await card.getByText('Describe the picture, or mark it as decorative.').waitFor();
    await mark.check();
    expect(await save()).toMatch(/picture: \{ src: \.\/shore\.png, alt: "" \}/);
    expect(await axeViolations(page)).toEqual([]);
  });

  test('uploads several pictures in the dialog, and refuses files that are not pictures', async () => {
    await open();
    await choose('Gallery').click();
    const notes = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('x') };
    const broken = { ...picture('broken.png'), buffer: Buffer.from('x') };
    await dialog()
      .getByLabel('Upload …')
      .setInputFiles([picture('a.png'), notes, broken, picture('b.png', 21)]);
    await dialog().getByText('notes.txt is not a picture.').waitFor();
    await dialog()
      .getByText(/^broken\.png was not uploaded/)
      .waitFor();
    await alt('a.png').fill('First');
    await alt('b.png').fill('Second');
    await dialog().getByRole('button', { name: 'Do not use a.png' }).click();
    await insert().click();
    expect(await save()).toContain('field_gallery:\n  - { src: ./b.png, alt: Second }\n');
  });

  test('files that are dropped on a field or pasted into it go through the same dialog', async () => {
    await open();
    for (const [event, name] of [
      ['drop', 'dropped.png'],
      ['paste', 'pasted.png'],
    ] as const) {
      await field('Cover')
        .locator('.file')
        .evaluate(sendFile, { event, name, bytes: [...png(20, 20)] });
      await alt(name).fill(`It was ${event}`);
      await insert().click();
      await field('Cover').getByText(name, { exact: true }).waitFor();
    }
    expect(await save()).toContain('field_cover: { src: ./pasted.png, alt: It was paste }');
  });

  test('a picture in an object is chosen too', async () => {
    await open();
    await field('Card')
      .getByRole('button', { name: /Choose …/ })
      .click();
    await option('shore.png').click();
    await insert().click();
    expect(await save()).toContain('field_card:\n  picture: { src: ./shore.png, alt: The wide shore }');
  });

  test('pictures are put into the text from the toolbar and from the slash menu', async () => {
    await open('2024/tides');
    await page.locator('.cm-content').focus();
    await page.keyboard.press('Control+End');
    await page.getByRole('button', { name: 'Image', exact: true }).click();
    await option('shore.png').click();
    await option('logo.png').click();
    await alt('logo.png').fill('A [mark]');
    await insert('Insert 2').click();
    await page.locator('.md-image img').nth(1).waitFor();
    expect(await page.locator('.cm-content').evaluate((text) => text === document.activeElement)).toBe(true);
    await page.keyboard.press('Enter');
    await page.keyboard.type('/pict');
    await page.getByRole('option', { name: 'Image' }).click();
    await option('crab.png').click();
    await decorative().check();
    await insert().click();
    await dialog().waitFor({ state: 'hidden' });
    expect(await save('2024/tides')).toMatch(
      /!\[A crab\]\(crab\.png\)\n\n!\[The wide shore\]\(\.\.\/shore\.png\)\n\n!\[A \\\[mark\\\]\]\(\/logo\.png\)\n\n!\[\]\(\.\/crab\.png\)\n$/,
    );
  });

  test('a picture in the text has a caption, which is shown without its tags', async () => {
    await open();
    await page.locator('.cm-content').click();
    await page.getByRole('toolbar').getByRole('button', { name: 'Image' }).click();
    await option('shore.png').click();
    await dialog().getByRole('textbox', { name: 'Caption of shore.png' }).fill('At dusk. Photo: A_B & Co');
    expect(await axeViolations(page)).toEqual([]);
    await insert().click();
    expect(await save()).toBe(
      '---\ntitle: The moon\n---\nRises.\n\n<figure>\n\n![The wide shore](./shore.png)\n\n<figcaption>At dusk. Photo: A_B & Co</figcaption>\n</figure>\n',
    );
    await page.getByRole('textbox', { name: 'Title', exact: true }).focus();
    await page.locator('.md-caption').first().waitFor();
    expect((await page.locator('.md-caption').allInnerTexts()).join('').trim()).toBe(
      'At dusk. Photo: A_B & Co',
    );
    expect(await page.locator('.cm-content').innerText()).not.toContain('figure');
  });

  test('a large photo is made smaller, without its position, and the original can be kept', async () => {
    const photo = await noise(3000, 2000);
    expect((await sharp(photo).metadata()).exif).toBeDefined();
    await open();
    await choose('Cover').click();
    await dialog()
      .getByLabel('Upload …')
      .setInputFiles([{ name: 'Beach.jpg', mimeType: 'image/jpeg', buffer: photo }]);
    await dialog()
      .getByText(/^Beach\.jpg: [\d.]+ MB → /)
      .waitFor();
    const smaller = await sharp(await site.readBytes('article/beach.jpg')).metadata();
    // The photo lies on its side.
    expect([smaller.width, smaller.height, smaller.exif, smaller.format]).toEqual([
      1707,
      2560,
      undefined,
      'jpeg',
    ]);
    await dialog().getByRole('button', { name: 'Keep the original' }).click();
    await alt('beach-2.jpg').fill('A beach');
    await insert().click();
    expect(await save()).toContain('src: ./beach-2.jpg');
    expect(Buffer.from((await site.readBytes('article/beach-2.jpg')) ?? []).equals(photo)).toBe(true);
    expect(await site.readBytes('article/beach.jpg')).toBeUndefined();
  });

  test('a photo that was made smaller is cropped and turned from its stored file, and stays whole', async () => {
    await open();
    await choose('Cover').click();
    await dialog()
      .getByLabel('Upload …')
      .setInputFiles([{ name: 'Beach.jpg', mimeType: 'image/jpeg', buffer: await noise(3000, 2000) }]);
    await alt('beach.jpg').fill('A beach');
    await insert().click();
    await save();
    const stored = async () => Buffer.from((await site.readBytes('article/beach.jpg')) ?? []);
    const smaller = await stored();
    const crop = async () => JSON.parse((await site.read('article/beach.jpg.crop.json')) || 'null');
    const size = (text: string) => dialog().getByRole('status').getByText(text).waitFor();
    async function edit(before: string, names: readonly string[], after: string): Promise<void> {
      await field('Cover')
        .getByRole('button', { name: /Crop …/ })
        .click();
      await size(before);
      for (const name of names) await dialog().getByRole('button', { name, exact: true }).click();
      await size(after);
      await insert('Save').click();
      await dialog().waitFor({ state: 'hidden' });
      expect((await stored()).equals(smaller)).toBe(true);
    }
    await edit('1707 × 2560', ['Turn', '1:1'], '1707 × 1707');
    expect(await crop()).toMatchObject({ rotation: 90, crop: { x: 0, width: 1 } });
    // The next edit starts with the last one.
    await edit('1707 × 1707', ['Turn'], '1707 × 1707');
    expect(await crop()).toMatchObject({ rotation: 180 });
    await edit('1707 × 1707', ['Show all'], '1707 × 2560');
    expect(await crop()).toBeNull();
    expect(await site.read('article/moon.md')).toContain('field_cover: { src: ./beach.jpg, alt: A beach }');
  });

  test('a large PNG becomes a WebP, and SVG, GIF and small pictures stay as they are', async () => {
    const flat = (width: number) =>
      sharp({ create: { width, height: 40, channels: 4, background: { r: 9, g: 9, b: 9, alpha: 0.5 } } });
    const noisy = sharp(randomBytes(3000 * 300 * 3), { raw: { width: 3000, height: 300, channels: 3 } });
    const files = [
      { name: 'wide.png', mimeType: 'image/png', buffer: await noisy.png().toBuffer() },
      { name: 'still.gif', mimeType: 'image/gif', buffer: await flat(3000).gif().toBuffer() },
      { name: 'small.png', mimeType: 'image/png', buffer: await flat(2560).png().toBuffer() },
      { name: 'line.svg', mimeType: 'image/svg+xml', buffer: Buffer.from(svg(4000, 10)) },
    ];
    await open();
    await choose('Gallery').click();
    await dialog().getByLabel('Upload …').setInputFiles(files);
    await dialog()
      .getByText(/^wide\.png: [\d.]+ MB → /)
      .waitFor();
    await alt('line.svg').waitFor();
    const { width, height, format } = await sharp(await site.readBytes('article/wide.webp')).metadata();
    expect([width, height, format]).toEqual([2560, 256, 'webp']);
    for (const { name, buffer } of files.slice(1)) {
      expect(Buffer.from((await site.readBytes(`article/${name}`)) ?? []).equals(buffer)).toBe(true);
    }
  });

  test('a photo in the text is made smaller too, and so is a replacement, whose type stays', async () => {
    const photo = await noise(3000, 2000);
    await open();
    const sent = { event: 'paste' as const, name: 'photo.jpg', type: 'image/jpeg', bytes: [...photo] };
    await page.locator('.cm-content').evaluate(sendFile, sent);
    await dialog()
      .getByText(/ MB → /)
      .waitFor();
    await dialog().getByRole('button', { name: 'Keep the original' }).click();
    await decorative().check();
    await insert().click();
    expect(await save()).toContain('![](./photo-2.jpg)');
    expect(Buffer.from((await site.readBytes('article/photo-2.jpg')) ?? []).equals(photo)).toBe(true);
    expect(await site.readBytes('article/photo.jpg')).toBeUndefined();

    await tab.open(site, '/admin/media?file=content%3A%2F%2Farticle%2Fphoto-2.jpg', 'ada');
    const replacement = { name: 'x.jpg', mimeType: 'image/jpeg', buffer: photo };
    await dialog().getByLabel('Replace …').setInputFiles(replacement);
    await dialog()
      .getByText(/ MB → /)
      .waitFor();
    expect((await sharp(await site.readBytes('article/photo-2.jpg')).metadata()).height).toBe(2560);
    await dialog().getByRole('button', { name: 'Keep the original' }).click();
    await dialog().getByText('2000 × 3000').waitFor();
  });

  test('the keyboard alone chooses a picture, and the focus returns to the field', async () => {
    await open();
    await choose('Cover').focus();
    await page.keyboard.press('Enter');
    await option('crab.png').waitFor();
    await dialog().getByRole('searchbox').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowRight');
    expect(await option('shore.png').evaluate((each) => each === document.activeElement)).toBe(true);
    await page.keyboard.press('End');
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Space');
    expect(await option('shore.png').getAttribute('aria-selected')).toBe('true');
    await alt('shore.png').focus();
    await page.keyboard.press('Enter');
    await dialog().waitFor({ state: 'hidden' });
    await field('Cover').getByText('shore.png').waitFor();
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.textContent?.trim().split(/\s+/)[0]))
      .toBe('Replace');
    await page.keyboard.press('Enter');
    await option('crab.png').waitFor();
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'hidden' });
  });

  test('the dialog fits into 390 px and has no faults for axe, in light and dark', async () => {
    await open();
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 860 });
      await choose('Gallery').click();
      await option('shore.png').click();
      await option('crab.png').click();
      await alt('crab.png').fill('');
      await insert('Insert 2').click();
      await dialog().getByText('Describe the picture', { exact: false }).waitFor();
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
      expect(await axeViolations(page)).toEqual([]);
      await screenshots(`picker-${width}`);
      await page.keyboard.press('Escape');
      await dialog().waitFor({ state: 'hidden' });
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

/** A photo that lies on its side, with a position. */
function noise(width: number, height: number): Promise<Buffer> {
  return sharp(randomBytes(width * height * 3), { raw: { width, height, channels: 3 } })
    .withExif({ IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 0/1' } })
    .withMetadata({ orientation: 6 })
    .jpeg({ quality: 90 })
    .toBuffer();
}

function sendFile(
  element: Element,
  {
    event,
    name,
    bytes,
    type = 'image/png',
  }: { event: 'drop' | 'paste'; name: string; bytes: readonly number[]; type?: string },
): void {
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([new Uint8Array(bytes)], name, { type }));
  const init = { bubbles: true, cancelable: true };
  element.dispatchEvent(
    event === 'drop'
      ? new DragEvent('drop', { ...init, dataTransfer })
      : new ClipboardEvent('paste', { ...init, clipboardData: dataTransfer }),
  );
}
