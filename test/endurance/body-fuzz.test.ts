import { existsSync } from 'node:fs';
import { satteri } from '@astrojs/markdown-satteri';
import { chromium } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { createBodyRenderer } from '../../integration/astro/markdown.ts';
import { withAstroImages } from '../../integration/astro/markdown-images.ts';
import type { Entity } from '../../integration/core/content/model.ts';
import { InvalidEntityError } from '../../integration/core/util/errors.ts';
import { checkBody, checkRendered, ownChecks } from '../../integration/core/write/body.ts';
import { createBody } from '../support/body.ts';
import { PAGES, pageDangers } from './page-dangers.ts';
import { createBodies } from './random-bodies.ts';

const BODIES = Number(process.env.BODIES ?? 300_000);
const SEED = Number(process.env.SEED ?? 1);
/** Accepted bodies that a browser opens. */
const OPENED = 1500;
const CHROMIUM = '/usr/bin/chromium';
const NOBODY = { access: { has: () => false } } as unknown as Parameters<typeof checkBody>[0];
const INPUT = { pointer: () => '/body' };

/** Every way to render: all features, and each with the ones that read the same text in another way. */
const ALL = {
  ...{ math: true, headingAttributes: true, directive: true, superscript: true, subscript: true },
  ...{ wikilinks: true, definitionList: true },
};
const RENDERERS = [
  { features: ALL, share: 0.6 },
  { features: {}, share: 0.3 },
  { features: { ...ALL, rawHtml: true }, share: 0.09 },
  { features: ALL, syntaxHighlight: 'shiki', share: 0.01 },
] as const;

describe(`${BODIES} random bodies`, () => {
  const opened: string[] = [];

  it('are inert in the page if the server accepts them', async () => {
    const started = performance.now();
    const makeBody = createBodies(SEED);
    const failures: string[] = [];
    const counts = { accepted: 0, refused: 0 };
    for (const { share, features, ...rest } of RENDERERS) {
      const processor = await satteri({ features }).createRenderer({ syntaxHighlight: false, ...rest });
      let code = '';
      let imagePaths: readonly string[] = [];
      const renderBody = createBodyRenderer({
        contentUrl: undefined,
        createRenderer: async () => ({
          async render(text, options) {
            const rendered = await processor.render(text, options);
            code = rendered.code;
            imagePaths = rendered.metadata.localImagePaths;
            return rendered;
          },
        }),
      });
      for (let count = Math.round(BODIES * share); count > 0; count -= 1) {
        const value = makeBody();
        const entity = {
          key: 'a.md',
          revision: `${count}`,
          values: {},
          body: createBody(value),
        } as unknown as Entity;
        try {
          const check = checkBody(NOBODY, { body: { value } }, null, INPUT);
          await checkRendered({ renderBody, checks: ownChecks }, check, entity, INPUT);
        } catch (error) {
          if (!(error instanceof InvalidEntityError)) throw error;
          counts.refused += 1;
          continue;
        }
        counts.accepted += 1;
        const html = await renderBody(entity);
        if (counts.accepted % Math.ceil(BODIES / 4 / OPENED) === 0) opened.push(html);
        const inCollection = inAstro(withAstroImages(code, imagePaths));
        const dangers = [
          ...pageDangers(html),
          ...(inCollection === code
            ? []
            : pageDangers(inCollection).map((each) => `${each} in a collection`)),
        ];
        if (dangers.length > 0) failures.push(JSON.stringify({ value, html, dangers }));
      }
    }
    const seconds = (performance.now() - started) / 1000;
    console.log({ ...counts, seconds: Math.round(seconds), perSecond: Math.round(BODIES / seconds) });
    expect(failures.slice(0, 10)).toEqual([]);
    expect(counts.accepted).toBeGreaterThan(BODIES / 5);
    expect(counts.refused).toBeGreaterThan(BODIES / 5);
  });

  it.skipIf(!existsSync(CHROMIUM))('run nothing in Chromium, whatever a visitor does', async () => {
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
    const run: string[] = [];
    try {
      const page = await browser.newPage();
      await page.route('**/*', (route) => route.abort());
      let current = '';
      page.on('dialog', async (dialog) => {
        run.push(current);
        await dialog.dismiss();
      });
      // Shows that the trial can fail.
      for (current of ['<img src=x onerror=alert(1)>', '<a href="javascript:alert(1)">x</a>', ...opened]) {
        const { before, after } = PAGES[0];
        await page.setContent(before + current + after, { waitUntil: 'commit' });
        await page.evaluate(useEverything);
      }
    } finally {
      await browser.close();
    }
    console.log({ opened: opened.length });
    expect(opened.length).toBeGreaterThan(0);
    expect([...new Set(run)]).toEqual([
      '<img src=x onerror=alert(1)>',
      '<a href="javascript:alert(1)">x</a>',
    ]);
  });
});

/** What Astro's `render(entry)` makes of a collection's HTML, for images that it finds. */
function inAstro(html: string): string {
  return html.replaceAll(/__ASTRO_IMAGE_="([^"]+)"/g, (_token, escaped: string) => {
    const { index: _index, ...attributes } = JSON.parse(
      escaped
        .replace(/&(?:#x22|quot);/g, '"')
        .replace(/&(?:#x27|apos);/g, "'")
        .replace(/&(?:amp|#x26|#38);/g, '&'),
    );
    const escapes: Readonly<Record<string, string>> = {
      '&': '&amp;',
      '<': '&lt;',
      '>': '&gt;',
      '"': '&quot;',
      "'": '&#39;',
    };
    return Object.entries(attributes)
      .map(
        ([name, value]) => `${name}="${String(value).replace(/[&<>"']/g, (each) => escapes[each] ?? each)}"`,
      )
      .join(' ');
  });
}

/** Runs in the page. */
async function useEverything(): Promise<void> {
  const isScript = (element: Element) =>
    /^(?:java|vb)script:/i.test((element as HTMLAnchorElement).href ?? '');
  document.addEventListener('click', (event) => {
    const link = (event.target as Element).closest('a');
    if (link !== null && !isScript(link)) event.preventDefault();
  });
  document.addEventListener('submit', (event) => event.preventDefault());
  for (const element of document.querySelectorAll<HTMLElement>('*')) {
    for (const type of ['mouseover', 'mouseenter', 'mousedown', 'toggle', 'error', 'load', 'focus']) {
      element.dispatchEvent(new MouseEvent(type, { bubbles: type !== 'load' }));
    }
    element.click?.();
  }
  await new Promise((resolve) => setTimeout(resolve, 0));
}
