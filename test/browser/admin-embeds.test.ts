import type { Locator, Page } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { createMemoryDriver } from '../support/memory-driver.ts';
import { WHOLE_IMAGES } from '../support/pictures.ts';
import { axeViolations } from './axe.ts';
import { describeInBrowser } from './chromium.ts';
import { useTab } from './tab.ts';
import { startWritableSite, type WritableSite } from './writable-site.ts';

const FRONT = '---\ntitle: Tides\n---\n';
const PICTURE = WHOLE_IMAGES['a.png'] ?? new Uint8Array();
const ELSEWHERE = 'https://elsewhere.example';
const HOSTILE = [
  `<video src="${ELSEWHERE}/a.webm" poster="${ELSEWHERE}/a.jpg" autoplay onerror="alert(1)" controls></video>`,
  `<audio src="//elsewhere.example/a.mp3" autoplay controls></audio>`,
  '<video src="javascript:alert(1)" controls></video>',
  `<video src="./wave.wav" poster="${ELSEWHERE}/b.jpg" onloadedmetadata="alert(1)" controls></video>`,
  `[**A title** of a card](javascript:alert(1))`,
];
const CONTENT = {
  'article/tides.md': `${FRONT}Before.\n`,
  'article/hostile.md': `${FRONT}Before.\n\n${HOSTILE.join('\n\n')}\n`,
  'article/film.webm': sound(),
  'article/wave.wav': sound(),
  'article/still.png': PICTURE,
};

/** A tenth of a second of silence, which browsers play whatever the name of the file is. */
function sound(): Uint8Array {
  const samples = 800;
  const bytes = Buffer.alloc(44 + samples, 128);
  bytes.write('RIFF', 0);
  bytes.writeUInt32LE(36 + samples, 4);
  bytes.write('WAVEfmt ', 8);
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(1, 22);
  bytes.writeUInt32LE(8000, 24);
  bytes.writeUInt32LE(8000, 28);
  bytes.writeUInt16LE(1, 32);
  bytes.writeUInt16LE(8, 34);
  bytes.write('data', 36);
  bytes.writeUInt32LE(samples, 40);
  return new Uint8Array(bytes);
}

const isFocused = (control: Locator) =>
  control.evaluate(
    (element) => element === document.activeElement || element.contains(document.activeElement),
  );

/** Moves the focus to a control as the keyboard does. */
async function tabTo(page: Page, control: Locator): Promise<void> {
  await control.waitFor();
  for (let steps = 0; !(await isFocused(control)); steps += 1) {
    expect(steps, await control.innerText()).toBeLessThan(40);
    await page.keyboard.press('Tab');
  }
}

describeInBrowser('videos, sounds and link cards in texts', async () => {
  const tab = await useTab();
  const { page } = tab;
  let site: WritableSite;
  let requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));

  beforeEach(async () => {
    site = await startWritableSite({ content: CONTENT, publicFiles: createMemoryDriver({}) });
    await site.addAccount('edith', ['editor']);
    requests = [];
  });

  async function open(id = 'tides'): Promise<void> {
    await tab.open(site, `/admin/edit/node/article/${id}`, 'edith');
    await page.locator('.cm-content').waitFor();
  }
  const body = () => page.getByRole('textbox', { name: 'Text', exact: true });
  const dialog = (name: string) => page.getByRole('dialog', { name, exact: true });
  const button = (name: string, inside = page.locator('body')) =>
    inside.getByRole('button', { name, exact: true });

  /** Selects a block at the end of the text. */
  async function insert(words: string): Promise<void> {
    await body().focus();
    await page.keyboard.press('Control+End');
    await page.keyboard.press('Enter');
    await page.keyboard.type(`/${words}`);
    await page.getByRole('option').first().waitFor();
    await page.waitForTimeout(100);
    await page.keyboard.press('Enter');
  }
  async function pick(name: string, title: string): Promise<void> {
    await dialog(title).getByRole('option', { name }).click();
    await button('Insert', dialog(title)).click();
    await dialog(title).waitFor({ state: 'hidden' });
  }
  async function save(id = 'tides'): Promise<string> {
    await page.keyboard.press('Control+s');
    await page.getByText('Unsaved changes', { exact: true }).waitFor({ state: 'hidden' });
    return (await site.read(`article/${id}.md`)).slice(FRONT.length);
  }

  test('a video of the library is inserted with a poster, played in the text, and edited', async () => {
    await open();
    await insert('video');
    await button('Insert', dialog('Video')).click();
    await page.getByText('Choose a file, or enter an address.').waitFor();
    await button('Choose a video …', dialog('Video')).click();
    await pick('film.webm', 'Choose a video');
    await button('Insert', dialog('Video')).click();
    const shown = page.getByRole('textbox', { name: 'What the video shows' });
    expect(await shown.getAttribute('aria-invalid')).toBe('true');
    await shown.fill('Waves at the "pier"');
    await button('Choose a picture …', dialog('Video')).click();
    await pick('still.png', 'Choose a picture');
    await page.getByRole('textbox', { name: /^Caption/ }).fill('Photo: Ada');
    expect(await axeViolations(page)).toEqual([]);
    await button('Insert', dialog('Video')).click();
    const video = page.locator('.md-media video');
    await expect
      .poll(() => video.evaluate((element: HTMLVideoElement) => [element.readyState > 0, element.paused]))
      .toEqual([true, true]);
    await expect.poll(() => video.getAttribute('poster')).toBe('/content-files/article/still.png');
    // The poster is 20 pixels wide.
    await expect.poll(async () => (await video.boundingBox())?.width).toBeGreaterThan(300);
    const markup =
      '<video src="./film.webm" poster="./still.png" controls preload="none" aria-label="Waves at the &#34;pier&#34;"></video>';
    expect(await save()).toBe(
      `Before.\n\n<figure>\n\n${markup}\n\n<figcaption>Photo: Ada</figcaption>\n</figure>\n`,
    );
    expect(await axeViolations(page)).toEqual([]);
    await button('Edit Waves at the "pier"').click();
    await page.getByRole('textbox', { name: 'What the video shows' }).fill('Waves');
    await button('Remove', dialog('Video')).click();
    await button('Apply', dialog('Video')).click();
    await dialog('Video').waitFor({ state: 'hidden' });
    expect(await save()).toBe(
      'Before.\n\n<figure>\n\n<video src="./film.webm" controls preload="metadata" aria-label="Waves"></video>\n\n<figcaption>Photo: Ada</figcaption>\n</figure>\n',
    );
    // The player is there before the text has the focus.
    await open();
    await video.waitFor();
  });

  test('a sound and a link card are inserted from the slash menu', async () => {
    await open();
    await insert('podcast');
    await button('Choose a sound …', dialog('Sound')).click();
    await pick('wave.wav', 'Choose a sound');
    await page.getByRole('textbox', { name: 'What can be heard' }).fill('Gulls');
    await page.keyboard.press('Enter');
    await page.locator('.md-media audio').waitFor();
    await insert('card');
    const card = dialog('Link card');
    await card.getByRole('textbox', { name: 'Address' }).fill('javascript:alert(1)');
    await page.keyboard.press('Enter');
    await card.getByText(/Enter an address such as/).waitFor();
    await card.getByRole('textbox', { name: 'Address' }).fill('https://elsewhere.example/tides');
    await card.getByRole('textbox', { name: 'Title' }).fill('All tides');
    await card.getByRole('textbox', { name: 'Description' }).fill('A *good* table.');
    await button('Choose a picture …', card).click();
    await pick('still.png', 'Choose a picture');
    expect(await axeViolations(page)).toEqual([]);
    await button('Insert', card).click();
    await page.locator('.md-card').waitFor();
    expect(await save()).toBe(
      'Before.\n\n<audio src="./wave.wav" controls preload="metadata" aria-label="Gulls"></audio>\n\n[![](./still.png) **All tides** A \\*good\\* table.](https://elsewhere.example/tides)\n',
    );
    await button('Edit All tides').click();
    await card.getByRole('textbox', { name: 'Description' }).fill('');
    await button('Apply', card).click();
    await expect
      .poll(() => save())
      .toContain('[![](./still.png) **All tides**](https://elsewhere.example/tides)');
    expect(requests.filter((url) => !url.startsWith(site.origin) && !url.startsWith('blob:'))).toEqual([]);
  });

  test.each([1440, 390])(
    'the dialogs and the embeds they insert work with the keyboard, and fit into %i px',
    async (width) => {
      await open();
      await page.setViewportSize({ width, height: 900 });
      const check = async (name: string) => {
        expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(
          0,
        );
        expect(await axeViolations(page)).toEqual([]);
        if (process.env.SHOTS === undefined) return;
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          await page.screenshot({ path: `${process.env.SHOTS}/${name}-${width}-${colorScheme}.png` });
        }
      };
      const press = async (control: Locator, key = 'Enter') => {
        await tabTo(page, control);
        await page.keyboard.press(key);
      };
      const write = async (control: Locator, words: string) => {
        await tabTo(page, control);
        await page.keyboard.type(words);
      };
      const choose = async (opener: Locator, title: string, name: string) => {
        await press(opener);
        await press(dialog(title).getByRole('listbox').getByRole('option').first(), 'Home');
        const option = dialog(title).getByRole('option', { name });
        while (!(await isFocused(option))) await page.keyboard.press('ArrowRight');
        await page.keyboard.press('Space');
        await check(`choose-${name}`);
        await press(button('Insert', dialog(title)));
        await dialog(title).waitFor({ state: 'hidden' });
      };
      await insert('video');
      const video = dialog('Video');
      await video.waitFor();
      await check('video-empty');
      await choose(button('Choose a video …', video), 'Choose a video', 'film.webm');
      await press(button('Insert', video));
      await check('video-missing');
      await page.keyboard.type('Waves');
      await choose(button('Choose a picture …', video), 'Choose a picture', 'still.png');
      await check('video');
      await press(button('Insert', video));
      await video.waitFor({ state: 'hidden' });
      await insert('sound');
      const sound = dialog('Sound');
      await sound.waitFor();
      await choose(button('Choose a sound …', sound), 'Choose a sound', 'wave.wav');
      await write(sound.getByRole('textbox', { name: 'What can be heard' }), 'Gulls');
      await check('sound');
      await page.keyboard.press('Enter');
      await sound.waitFor({ state: 'hidden' });
      await insert('card');
      const card = dialog('Link card');
      await card.waitFor();
      await press(button('Insert', card));
      await check('card-missing');
      await page.keyboard.type('https://elsewhere.example/tides');
      await write(card.getByRole('textbox', { name: 'Title' }), 'All tides');
      await write(card.getByRole('textbox', { name: 'Description' }), 'When the sea comes, and when it goes');
      await choose(button('Choose a picture …', card), 'Choose a picture', 'still.png');
      await check('card');
      await press(button('Insert', card));
      await page.locator('.md-card').waitFor();
      await page.locator('.md-media audio').waitFor();
      await check('text');
      expect(await save()).toContain(
        '<video src="./film.webm" poster="./still.png" controls preload="none" aria-label="Waves"></video>\n\n<audio',
      );
    },
  );

  test('hostile videos and cards run nothing and ask no other host', async () => {
    let dialogs = 0;
    page.on('dialog', (each) => {
      dialogs += 1;
      void each.dismiss();
    });
    await open('hostile');
    await page.locator('.md-media').nth(3).waitFor();
    await body().focus();
    await page.waitForTimeout(300);
    expect(await page.locator('.md-media :is(video, audio)').count()).toBe(1);
    expect(await page.locator('.md-media video').getAttribute('poster')).toBeNull();
    expect(requests.filter((url) => !url.startsWith(site.origin))).toEqual([]);
    expect(dialogs).toBe(0);
  });
});
