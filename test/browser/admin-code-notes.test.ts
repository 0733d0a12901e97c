import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { beforeAll, expect, test } from 'vitest';
import { describeInBrowser } from './chromium.ts';
import { useTab } from './tab.ts';
import { startWritableSite, type WritableSite } from './writable-site.ts';

const FRONT = '---\ntitle: T\n---\n';
const TEXTS = {
  code: 'Before\n\n~~~  js {1,3}\na\n~~~\n\n```\nb\n```\n',
  video: 'Before\n\n> [!NOTE]\n> Careful\n',
  notes: 'The moon[^1] and the sun[^2]\n\n[^1]: A *stone*.\n\nMore\n',
};
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

describeInBrowser('code and footnotes in the editor for bodies', async () => {
  const { page } = await useTab({ viewport: { width: 1440, height: 900 } });
  let site: WritableSite;

  beforeAll(async () => {
    site = await startWritableSite({
      content: Object.fromEntries(
        Object.entries(TEXTS).map(([name, text]) => [`article/${name}.md`, FRONT + text]),
      ),
    });
    await page.context().addCookies([await site.signIn('ada')]);
  });

  const body = () => page.getByRole('textbox', { name: 'Text', exact: true });
  const languages = () => page.getByRole('combobox', { name: 'Language', exact: true });

  const lineOfCursor = () =>
    page.evaluate(() => getSelection()?.anchorNode?.parentElement?.closest('.cm-line')?.textContent);

  async function open(name: keyof typeof TEXTS): Promise<void> {
    await page.goto(`${site.origin}/admin/edit/node/article/${name}`);
    await page.locator('.cm-content').waitFor();
    await body().focus();
  }
  async function save(name: keyof typeof TEXTS): Promise<string> {
    await page.keyboard.press('Control+s');
    await page.getByText('Unsaved changes', { exact: true }).waitFor({ state: 'hidden' });
    return (await site.read(`article/${name}.md`)).slice(FRONT.length);
  }
  async function violations(): Promise<unknown> {
    await page.evaluate(readFileSync(AXE, 'utf8'));
    return page.evaluate(async () => {
      const { axe } = window as unknown as {
        axe: {
          run(selector: string): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
        };
      };
      return (await axe.run('.body-editor')).violations.map(({ id, nodes }) => [id, nodes[0]?.html]);
    });
  }

  test('code blocks have a field for their language, which changes one word of the file', async () => {
    await open('code');
    await languages().nth(1).waitFor();
    expect(await languages().evaluateAll((all: HTMLInputElement[]) => all.map(({ value }) => value))).toEqual(
      ['js', ''],
    );
    await page.keyboard.press('Control+Home');
    for (let line = 0; line < 3; line++) await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Alt+F10');
    await page.keyboard.type('rust');
    await page.keyboard.press('Enter');
    await page.locator('.cm-editor.cm-focused').waitFor();
    await languages().nth(1).fill('my lang');
    await page.keyboard.press('Enter');
    expect(await save('code')).toBe(TEXTS.code.replace('js', 'rust').replace('```\nb', '```my-lang\nb'));
    await page.keyboard.press('Control+z');
    expect(await save('code')).toBe(TEXTS.code.replace('js', 'rust'));
    expect(await violations()).toEqual([]);
    await page.getByRole('button', { name: 'Show the Markdown source' }).click();
    await languages().first().waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Show the Markdown source' }).click();
  });

  test('an address of a video is a card that loads nothing, and stays an address in the file', async () => {
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    await open('video');
    await page.locator('.md-callout-line').first().waitFor();
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.keyboard.insertText('https://youtu.be/dQw4w9WgXcQ');
    await page.getByText('Video on YouTube').waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.type('/video');
    await page.getByRole('option', { name: 'Video' }).waitFor();
    await page.waitForTimeout(100);
    await page.keyboard.press('Enter');
    const address = page.getByRole('textbox', { name: 'Or the address of a page of YouTube or Vimeo' });
    await address.fill('https://example.com/');
    await page.keyboard.press('Enter');
    await page.getByText('This is not the address of a video').waitFor();
    await address.fill('https://vimeo.com/76979871');
    await page.keyboard.press('Enter');
    await page.getByText('Video on Vimeo').waitFor();
    expect(await page.getByRole('link', { name: 'Open the video' }).first().getAttribute('rel')).toBe(
      'noopener noreferrer',
    );
    expect(await save('video')).toBe(
      'Before\n\nhttps://youtu.be/dQw4w9WgXcQ\n\nhttps://vimeo.com/76979871\n\n> [!NOTE]\n> Careful\n',
    );
    expect(await violations()).toEqual([]);
    expect(requests.filter((url) => !url.startsWith(site.origin))).toEqual([]);
  });

  test('footnotes are inserted and followed with one key, and a missing text is marked', async () => {
    await open('notes');
    await page.locator('.md-footnote').first().waitFor();
    expect(await page.locator('.md-footnote-missing').allInnerTexts()).toEqual(['[^2]']);
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('End');
    await page.keyboard.press('Control+Alt+f');
    await expect.poll(() => page.locator('.md-footnote-missing').count()).toBe(0);
    await page.keyboard.type('A star.');
    await page.keyboard.press('Control+Alt+f');
    await expect.poll(lineOfCursor).toContain('The moon');
    await page.keyboard.type(' rise');
    await page.getByRole('button', { name: 'Footnote', exact: true }).click();
    await expect.poll(() => page.locator('.md-footnote').count()).toBe(3);
    await page.keyboard.type('Daily.');
    expect(await save('notes')).toBe(
      'The moon[^1] and the sun[^2] rise[^3]\n\n[^1]: A *stone*.\n\nMore\n\n[^2]: A star.\n[^3]: Daily.\n',
    );
    expect(await violations()).toEqual([]);
  });
});
