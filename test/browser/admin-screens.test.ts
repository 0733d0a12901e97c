import type { Request } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import type { ScreenName } from '../../admin/src/addresses.ts';
import { SCREENS } from '../../admin/src/screens.ts';
import { siteLanguages } from '../../integration/core/content/languages.ts';
import { eventually } from '../support/eventually.ts';
import { svg } from '../support/pictures.ts';
import { createRepository } from '../support/repository.ts';
import { axeViolations } from './axe.ts';
import { describeInBrowser } from './chromium.ts';
import { useTab } from './tab.ts';
import { startWritableSite, type WritableSite } from './writable-site.ts';

/** Addresses of each screen. A screen is tested as soon as it is registered. */
const ADDRESSES: Readonly<Record<ScreenName, readonly string[]>> = {
  home: ['/'],
  content: ['/content', '/content?type=node--article', '/content?type=node--person&q=nothing'],
  create: ['/new/node/article'],
  edit: ['/edit/node/article/moon', '/edit/node/article/missing', '/edit/node/tag/gone'],
  draft: ['/draft/node/article/missing'],
  faulty: ['/file/article/missing.md'],
  history: ['/history/node/article/moon', '/history/node/article/moon?compare=now', '/history/node/tag/gone'],
  translate: ['/translate/node/article/moon?to=de', '/translate/node/article/moon?to=fr'],
  media: ['/media', '/media?file=content%3A%2F%2Farticle%2Fmoon.svg'],
  redirects: ['/redirects'],
  bin: ['/bin', '/bin?entry=missing'],
  menus: ['/menus'],
  menu: ['/menus/menu_link_content/main', '/menus/node/none'],
  single: ['/single/node/none'],
  conflicts: ['/conflicts'],
  people: ['/people', '/people?account=eve'],
  audit: ['/people/audit'],
  profile: ['/profile'],
  explorer: ['/explorer'],
};
const CASES = [
  ...Object.keys(SCREENS).flatMap((name) => ADDRESSES[name as ScreenName]),
  '/nowhere',
  '/edit/node/nothing/moon',
];

const WORD = 'Niedrigwasserspringflutbeobachtungsprotokollfuehrerinnenverzeichnis';
const CONTENT = {
  'article/moon.md': `---
title: ${WORD} and everything else that a long title says about the moon
field_author: jane
field_tags: [sky, long]
field_words: [late, ${WORD}]
field_cover: { src: ./moon.svg, alt: The moon }
field_moment: 2026-03-01T12:00:00+02:00
field_place: { name: ${WORD}, depth: 3 }
---
## ${WORD}

Text with [a link](/sun), **${WORD}${WORD}** and an image: ![The moon](moon.svg)

| ${WORD} | ${WORD} |
| --- | --- |
| one | two |

- [ ] open

\`\`\`js
const ${WORD} = '${WORD}${WORD}';
\`\`\`
`,
  'article/moon.de.md': '---\ntitle: Der Mond\n---\nAlt.\n',
  'article/moon.svg': svg(30, 20),
  'article/draft.md': '---\ntitle: A draft\nstatus: false\n---\n',
  'person/jane.md': '---\ntitle: Jane Low\npath: /people/jane\n---\n',
  'tag/sky.md': '---\ntitle: Sky\n---\n',
  'tag/long.md': `---\ntitle: ${WORD}\n---\n`,
  'tag/gone.md': `---\ntitle: ${WORD}\n---\n`,
};

describeInBrowser('every screen of the admin', async () => {
  const { page } = await useTab({ reducedMotion: 'reduce' });
  let site: WritableSite;
  const pending = new Set<Request>();

  beforeAll(async () => {
    const repository = createRepository();
    repository.commit(CONTENT);
    repository.commit({ 'article/moon.md': CONTENT['article/moon.md'].replace('Text', 'Some text') });
    const languages = siteLanguages({ defaultLocale: 'en', locales: ['en', 'de', 'fr'] });
    site = await startWritableSite({ repository, languages });
    await page.context().addCookies([await site.signIn('ada')]);
    page.on('request', (request) => pending.add(request));
    page.on('requestfinished', (request) => pending.delete(request));
    page.on('requestfailed', (request) => pending.delete(request));
    await page.goto(`${site.origin}/admin`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    // The bin has an entry.
    await page.evaluate(() => fetch('/jsonapi/node/tag/gone', { method: 'DELETE' }));
  });

  /** Shows a screen without loading the application again. */
  async function open(address: string): Promise<void> {
    await page.evaluate((path) => {
      history.pushState(null, '', path);
      dispatchEvent(new PopStateEvent('popstate'));
    }, `/admin${address}`);
    await eventually(async () => {
      expect(pending.size).toBe(0);
      expect(await page.locator('main h1').count()).toBe(1);
      expect(await page.locator('main [aria-busy=true]').count()).toBe(0);
    });
  }

  test.each(CASES)('%s is accessible and fits a small screen, light and dark', async (address) => {
    await open(address);
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 800 });
      const found = {
        violations: await axeViolations(page),
        width: await page.evaluate(() => document.documentElement.scrollWidth),
      };
      expect(found).toEqual({ violations: [], width });
    }
  });
});
